"""GIFT goes out and comes back, and what a file gets wrong has a line."""

from dataclasses import replace

import pytest
from hypothesis import given

from app.exchange.gift import escape, read_gift, unescape, write_gift
from app.exchange.questions import MAX_BYTES, Answer, ExchangeError
from tests.bank.content import unhurried
from tests.exchange.samples import ALL, CHOICE, SHORT, TRUTH, parcel_of, words


@unhurried
@given(words)
def test_escaped_text_is_one_line_and_says_the_same(text: str) -> None:
    assert "\n" not in escape(text)
    assert unescape(escape(text)) == text


def test_choice_truth_and_word_come_back_whole() -> None:
    back = read_gift(write_gift(parcel_of(CHOICE, TRUTH, SHORT)).encode())
    assert back.losses == []
    assert [replace(one, line=0) for one in back.questions] == [CHOICE, TRUTH, SHORT]


@unhurried
@given(words, words, words)
def test_any_words_come_back(title: str, text: str, option: str) -> None:
    given = replace(
        CHOICE,
        title=f"T{title}T",
        text=f"a{text}b",
        answers=(Answer(f"x{option}x", right=True), Answer("other", right=False, feedback=f"f{text}f")),
        snippet="",
        explanation=f"e{option}e",
    )
    (back,) = read_gift(write_gift(parcel_of(given)).encode()).questions
    assert (back.title, back.text, back.answers) == (given.title, given.text.strip(), given.answers)
    assert back.explanation == given.explanation


def test_several_right_options_stay_right() -> None:
    answers = (Answer("a", right=True), Answer("b", right=True), Answer("c", right=False))
    (back,) = read_gift(write_gift(parcel_of(replace(CHOICE, answers=answers))).encode()).questions
    assert back.answers == answers


def test_form_that_gift_writes_otherwise_is_read_by_its_own_rules() -> None:
    text = "// a remark\n$CATEGORY: top/autograd\n\n::N::How many?{#2.5:0.1}\n\n::G::A {=leaf =node} tensor.\n"
    back = read_gift(text.encode())
    assert [one.form for one in back.questions] == ["number", "short"]
    assert (back.questions[0].answers[0].text, back.questions[0].tolerance) == ("2.5", "0.1")
    assert back.questions[1].text == "A \\_\\_\\_\\_\\_ tensor."
    said = "\n".join(map(str, back.losses))
    assert "line 1: `a remark`: comment" in said
    assert "line 2: top/autograd: category" in said
    assert "line 6: G: text: the gap" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("::M::Match{=a -> b =c -> d}", "line 1: M: the question: matching has no place here"),
        ("::E::Write{}", "line 1: E: the question: an essay has no place here"),
        ("::D::A description", "line 1: D: the question: no braces"),
        ("\n\n::O::Open{=a", "line 3: O: the question: a brace is not closed"),
        ("::T::Two{=a} and {=b}", "line 1: T: the question: more than one pair of braces"),
        ("::W::Half{~%50%a ~%-50%b =c}", "line 1: W: weight: a weight of 50 % reads as right"),
        ("::R::Range{#1..3}", "line 1: R: the question: `1..3` is not one number"),
        ("::H::[html]<img src=x onerror\\=y()>Look{=a ~b}", "line 1: H: text: an image was left out"),
        ("::F::Truth{TRUE#no}", "line 1: F: feedback"),
    ],
)
def test_what_is_not_kept_is_listed_with_its_line(text: str, said: str) -> None:
    assert any(said in str(loss) for loss in read_gift(text.encode()).losses)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"a\nb\xff{=a}", "line 2: The file is not UTF-8"),
        ("::a::b{=c}".encode("utf-16"), "line 1: The file is not UTF-8"),
        (b"a\n\0{T}", "line 2: The file is no text"),
        (b"a\n" * MAX_BYTES, "The file is larger than 8 MiB"),
        (b"::a::b{T}\n\n" * 5001, "line 10001: The file has more than 5000 questions"),
    ],
)
def test_file_that_cannot_be_read_is_refused_with_its_line(raw: bytes, said: str) -> None:
    with pytest.raises(ExchangeError, match=said):
        read_gift(raw)


@unhurried
@given(words)
def test_any_text_yields_questions_or_sentences(text: str) -> None:
    back = read_gift(text.encode())
    assert all(loss.reason for loss in back.losses)


def test_all_forms_can_be_written() -> None:
    assert write_gift(parcel_of(*ALL)).count("\n::") == len(ALL)
