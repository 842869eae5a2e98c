"""Moodle XML goes out and comes back; hostile files are refused with a line."""

from dataclasses import replace

import pytest
from hypothesis import given

from app.exchange.moodle import read_moodle, write_moodle
from app.exchange.questions import MAX_BYTES, Answer, ExchangeError
from app.exchange.texts import to_html
from tests.bank.content import unhurried
from tests.exchange.samples import ALL, CHOICE, parcel_of, words

QUESTION = '<quiz><question type="{kind}"><name><text>Q</text></name>{rest}</question></quiz>'
RIGHT = '<answer fraction="100"><text>a</text></answer>'


def read(kind: str = "multichoice", rest: str = RIGHT) -> list[str]:
    return [str(loss) for loss in read_moodle(QUESTION.format(kind=kind, rest=rest).encode()).losses]


def test_every_form_comes_back_whole() -> None:
    back = read_moodle(write_moodle(parcel_of(*ALL)).encode())
    assert back.losses == []
    for question, given_ in zip(back.questions, ALL, strict=True):
        assert (question.id, question.title, question.form) == (given_.id, given_.title, given_.form)
        assert (question.snippet, question.tags, question.tolerance) == (given_.snippet, given_.tags, given_.tolerance)
        assert [one.right for one in question.answers] == [one.right for one in given_.answers]
        assert to_html(question.text) == to_html(given_.text)
        assert to_html(question.explanation) == to_html(given_.explanation)
        assert [to_html(one.text) for one in question.answers] == [to_html(one.text) for one in given_.answers]


@unhurried
@given(words)
def test_any_title_and_typed_answer_come_back(text: str) -> None:
    title, answer = f"T{text}T".replace("\n", " "), f"a{text}a".replace("\n", " ")
    asked = replace(ALL[2], title=title, answers=(Answer(answer, right=True),))
    (back,) = read_moodle(write_moodle(parcel_of(asked)).encode()).questions
    assert (back.title, back.answers) == (title, asked.answers)


def test_control_character_never_makes_broken_xml() -> None:
    assert read_moodle(write_moodle(parcel_of(replace(CHOICE, title="a\x00\x1b\ud800b"))).encode()).questions


@pytest.mark.parametrize(
    ("kind", "rest", "said"),
    [
        ("matching", "", "Q: the question: the type `matching` has no place here"),
        ("multichoice", '<answer fraction="50"><text>a</text></answer>', "Q: weight: a weight of 50 % reads as right"),
        ("multichoice", '<answer fraction="x"><text>a</text></answer>', "Q: weight: `x` is no number"),
        ("multichoice", RIGHT + "<hint><text>look</text></hint>", "Q: hint: it has no place in a draft"),
        ("multichoice", RIGHT + "<penalty>0.25</penalty>", "Q: penalty: `0.25` has no place in a draft"),
        ("multichoice", RIGHT + "<defaultgrade>3</defaultgrade>", "Q: defaultgrade: `3`"),
        ("multichoice", "", "Q: answers: none of them is right"),
        ("multichoice", RIGHT + '<questiontext><text>a</text><file name="b.png">AA</file></questiontext>', "`b.png`"),
        ("numerical", RIGHT * 2, "Q: answers: only the first number is kept"),
        ("category", "<category><text>top</text></category>", "top: category"),
    ],
)
def test_what_is_not_kept_is_listed(kind: str, rest: str, said: str) -> None:
    assert any(said in loss and loss.startswith("line 1: ") for loss in read(kind, rest))


def test_script_never_comes_in() -> None:
    text = "<questiontext><text><![CDATA[<p>a<script>alert(1)</script></p>]]></text></questiontext>"
    raw = QUESTION.format(kind="multichoice", rest=text + RIGHT).encode()
    back = read_moodle(raw)
    assert back.questions[0].text == "a"
    assert any("a script was removed" in str(loss) for loss in back.losses)


BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE quiz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<quiz><question type="truefalse"><name><text>&b;</text></name></question></quiz>"""


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (BOMB, "line 2: The file declares a DTD or entities"),
        (b'<!DOCTYPE q SYSTEM "file:///etc/passwd"><quiz/>', "line 1: The file declares a DTD"),
        (b"<quiz>\n<question>\n</quiz>", "line 3: The file is no well-formed XML"),
        (b"", "line 1: The file is no well-formed XML"),
        (b"<quiz>&nbsp;</quiz>", "line 1: The file is no well-formed XML"),
        (b'<?xml version="1.0" encoding="klingon"?><quiz/>', "line 1: "),
        (b'<?xml version="1.0" encoding="utf-8"?>\n<quiz>\xff</quiz>', "line 2: The file is no well-formed XML"),
        (b"<html/>", "line 1: A Moodle file has <quiz>"),
        (b"<a>" * 40, "line 1: The file is nested too deeply"),
        (b"<quiz>" + b"<a/>" * 400_001, "line 1: The file is made of too many elements"),
        (b" " * (MAX_BYTES + 1), "line 1: The file is larger than 8 MiB"),
    ],
    ids=lambda value: value[:24].decode("ascii", "replace") if isinstance(value, bytes) else "",
)
def test_hostile_file_is_refused_with_its_line(raw: bytes, said: str) -> None:
    with pytest.raises(ExchangeError, match=said):
        read_moodle(raw)


def test_file_in_another_encoding_is_read_as_it_declares() -> None:
    text = '<?xml version="1.0" encoding="iso-8859-1"?>' + QUESTION.format(kind="multichoice", rest=RIGHT)
    (back,) = read_moodle(text.replace(">Q<", ">Läufe<").encode("latin-1")).questions
    assert back.title == "Läufe"


@unhurried
@given(words)
def test_any_text_is_read_or_refused_with_a_line(text: str) -> None:
    try:
        read_moodle(f"<quiz>{text}</quiz>".encode())
    except ExchangeError as error:
        message = error.message
    else:
        message = "line 1: nothing"
    assert message.startswith("line ")
