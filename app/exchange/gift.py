"""GIFT, the plain-text format of Moodle: a writer, and a reader that names the line of whatever it cannot take.

A question is `::title::[markdown]text{=right ~wrong#feedback####explanation}`; a blank line ends it. The characters
`~ = # { } :` and the backslash are escaped by a backslash, a line break inside of a question is `\\n`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.exchange.questions import Answer, ExchangeError, Form, Parcel, Question, check_size
from app.exchange.texts import from_html, from_plain, slug, split_code, with_code

_SPECIAL = "\\~=#{}:"
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_WEIGHT = re.compile(r"\s*%(-?[0-9.]+)%")
_FORMATS = {"html": from_html, "plain": from_plain, "moodle": from_plain}
_TRUTH = {"T": True, "TRUE": True, "F": False, "FALSE": False}
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?\Z")
SINGLE_RIGHT = 100.0


def write_gift(parcel: Parcel) -> str:
    """Return the questions as a GIFT file."""
    head = "// Questions with their keys, for authors. Written by gradproof bank export gift.\n"
    return head + "".join(f"\n{_written(question)}" for question in parcel.questions)


def _written(question: Question) -> str:
    tags = "".join(f" [tag:{tag}]" for tag in question.tags)
    text = with_code(question.text, question.snippet)
    inside = _inside(question)
    if question.explanation:
        inside += f"\n####{escape(question.explanation)}"
    about = f"// [id:{question.id}]{tags}\n" if question.id else ""
    return f"{about}::{escape(question.title)}::[markdown]{escape(text)}{{{inside}\n}}\n"


def _inside(question: Question) -> str:
    if question.form == "true_false":
        return "TRUE" if _says_true(question) else "FALSE"
    several = sum(answer.right for answer in question.answers) > 1
    return "".join(f"\n{_option(answer, several=several)}" for answer in question.answers)


def _says_true(question: Question) -> bool:
    return next(answer.text for answer in question.answers if answer.right).lower() == "true"


def _option(answer: Answer, *, several: bool) -> str:
    # Several right options of which one is to be chosen: each is worth everything.
    mark = "=" if answer.right and not several else "~%100%" if answer.right else "~"
    feedback = f"#{escape(answer.feedback)}" if answer.feedback else ""
    return f"{mark}{escape(answer.text)}{feedback}"


def escape(text: str) -> str:
    """Return text as it stands in a GIFT file, on one line."""
    kept = "".join(f"\\{one}" if one in _SPECIAL else one for one in text.replace("\r\n", "\n").replace("\r", "\n"))
    return kept.replace("\n", "\\n")


def unescape(text: str) -> str:
    """Return what an escaped text says."""
    return _ESCAPED.sub(lambda match: "\n" if match[1] == "n" else match[1], text)


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines of one question, with the comment lines before it."""

    line: int
    text: str
    comments: tuple[str, ...]


def read_gift(raw: bytes) -> Parcel:
    """Return the questions of a GIFT file and everything that could not be kept.

    Raises `ExchangeError` with the line where the file cannot be read at all.
    """
    check_size(raw)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ExchangeError(f"line {line}: The file is not UTF-8. Save it as UTF-8.") from error
    if "\0" in text:
        raise ExchangeError(f"line {text[: text.index(chr(0))].count(chr(10)) + 1}: The file is no text.")
    parcel = Parcel()
    for block in _blocks(text, parcel):
        _read(block, parcel)
    return parcel


def _blocks(text: str, parcel: Parcel) -> Iterator[_Block]:
    lines: list[str] = []
    comments: list[str] = []
    start = 0
    for number, line in enumerate([*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""], 1):
        stripped = line.strip()
        if stripped.startswith("//"):
            comments.append(stripped)
            _lose_comment(stripped, number, parcel)
        elif stripped.startswith("$CATEGORY:"):
            parcel.lose(stripped.removeprefix("$CATEGORY:").strip(), "category", "give a folder with --into", number)
        elif stripped:
            start = start or number
            lines.append(line)
        elif lines:
            yield _Block(start, "\n".join(lines), tuple(comments))
            lines, comments, start = [], [], 0


def _lose_comment(comment: str, number: int, parcel: Parcel) -> None:
    said = re.sub(r"\[(?:id|tag):[^\]]*\]", "", comment).strip("/ ")
    if said and "gradproof bank export" not in said:
        parcel.lose(f"`{said[:60]}`", "comment", "comments are not kept", number)


def _read(block: _Block, parcel: Parcel) -> None:
    title, rest = _title(block)
    subject = title or f"the question of line {block.line}"
    opened = _find(rest, "{")
    closed = _find(rest, "}", opened + 1)
    if opened < 0 or closed < 0:
        reason = "no braces: a description asks nothing" if opened < 0 else "a brace is not closed"
        parcel.lose(subject, "the question", f"{reason}, so no draft was made", block.line)
        return
    if _find(rest, "{", closed + 1) >= 0:
        parcel.lose(subject, "the question", "more than one pair of braces, so no draft was made", block.line)
        return
    text, inside, after = rest[:opened], rest[opened + 1 : closed], rest[closed + 1 :]
    if after.strip():
        text = f"{text.rstrip()} _____ {after.strip()}"
        parcel.lose(subject, "text", "the gap is written as _____", block.line)
    _take(_Opened(block, title, subject, text, inside), parcel)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A question whose braces were found."""

    block: _Block
    title: str
    subject: str
    text: str
    inside: str


def _take(opened: _Opened, parcel: Parcel) -> None:
    block, subject = opened.block, opened.subject
    body, mark, explanation = _cut(opened.inside, "####")
    convert, text = _format(opened)
    found = _answers(body.strip(), opened, parcel)
    if found is None:
        return
    form, answers, tolerance = found
    explanation = _converted(explanation, convert, opened, "explanation", parcel) if mark else ""
    words, snippet = split_code(_converted(text, convert, opened, "text", parcel))
    ids = re.findall(r"\[id:([^\]]*)\]", " ".join(block.comments))
    tags = tuple(re.findall(r"\[tag:([^\]]*)\]", " ".join(block.comments)))
    made = tuple(
        Answer(
            _converted(one.text, convert, opened, "option", parcel),
            one.right,
            _converted(one.feedback, convert, opened, "feedback", parcel),
        )
        if form == "choice"
        else one
        for one in answers
    )
    title = opened.title or (words.strip().split("\n")[0][:80] or subject)
    name = slug(ids[-1]) if ids else ""
    parcel.take(Question(name, title, form, words, made, snippet, explanation, tags, tolerance, block.line))


def _title(block: _Block) -> tuple[str, str]:
    text = block.text.lstrip()
    if not text.startswith("::"):
        return "", text
    end = _find(text, "::", 2)
    return ("", text) if end < 0 else (unescape(text[2:end]).strip(), text[end + 2 :])


def _format(opened: _Opened) -> tuple[str, str]:
    match = re.match(r"\s*\[(html|moodle|plain|markdown)\]", opened.text)
    return (match[1], opened.text[match.end() :]) if match else ("plain", opened.text)


def _converted(text: str, convert: str, opened: _Opened, field: str, parcel: Parcel) -> str:
    said = unescape(text).strip()
    if convert == "markdown":
        return said
    markdown, lost = _FORMATS[convert](said)
    for reason in lost:
        parcel.lose(opened.subject, field, reason, opened.block.line)
    return markdown


def _answers(body: str, opened: _Opened, parcel: Parcel) -> tuple[Form, list[Answer], str] | None:
    """Return form, answers and tolerance, or `None` where the type has no place here."""
    line, subject = opened.block.line, opened.subject
    verdict, _, feedback = _cut(body, "#")
    if verdict.strip() in _TRUTH:
        if feedback:
            parcel.lose(subject, "feedback", "feedback on true and false has no place in a draft", line)
        truth = _TRUTH[verdict.strip()]
        return "true_false", [Answer("True", truth), Answer("False", not truth)], ""
    if body.startswith("#"):
        return _number(body[1:], opened, parcel)
    marks = [(kind, text) for kind, text in _options(body) if text.strip()]
    is_choice = any(mark == "~" for mark, _ in marks)
    is_matching = not is_choice and any(_find(text, "->") >= 0 for _, text in marks)
    if is_matching or not marks:
        kind = "matching" if is_matching else "an essay" if not body else "an answer without = or ~"
        parcel.lose(subject, "the question", f"{kind} has no place here, so no draft was made", line)
        return None
    return ("choice" if is_choice else "short"), [_answer(mark, text, opened, parcel) for mark, text in marks], ""


def _answer(mark: str, text: str, opened: _Opened, parcel: Parcel) -> Answer:
    weight = _WEIGHT.match(text)
    share = float(weight[1]) if weight and re.fullmatch(r"-?[0-9]+(\.[0-9]*)?", weight[1]) else None
    said, _, feedback = _cut(text[weight.end() :] if weight else text, "#")
    right = share > 0 if share is not None else mark == "="
    if share is not None and share not in (0.0, SINGLE_RIGHT):
        reason = f"a weight of {share:g} % reads as {'right' if right else 'wrong'}"
        parcel.lose(opened.subject, "weight", reason, opened.block.line)
    return Answer(said.strip(), right, feedback.strip())


def _number(body: str, opened: _Opened, parcel: Parcel) -> tuple[Form, list[Answer], str] | None:
    line, subject = opened.block.line, opened.subject
    options = [text for _, text in _options(body)] if body.lstrip().startswith("=") else [body]
    first, _, feedback = _cut(options[0] if options else "", "#")
    value, _, tolerance = unescape(_WEIGHT.sub("", first)).strip().partition(":")
    if len(options) > 1 or feedback:
        parcel.lose(subject, "answers", "only the first number is kept, without feedback", line)
    if not _NUMBER.match(value.strip()):
        parcel.lose(subject, "the question", f"`{value.strip()[:40]}` is not one number, so no draft was made", line)
        return None
    return "number", [Answer(value.strip(), right=True)], tolerance.strip()


def _options(body: str) -> list[tuple[str, str]]:
    """Return (mark, text) for each `=` and `~` that is not escaped."""
    places = [match.start() for match in re.finditer(r"[=~]", body) if not _escaped(body, match.start())]
    ends = [*places[1:], len(body)] if places else []
    return [(body[place], body[place + 1 : end]) for place, end in zip(places, ends, strict=True)]


def _cut(text: str, mark: str) -> tuple[str, str, str]:
    """Return a text before, at and after the first mark that is not escaped."""
    place = _find(text, mark)
    return (text, "", "") if place < 0 else (text[:place], mark, text[place + len(mark) :])


def _find(text: str, mark: str, start: int = 0) -> int:
    place = text.find(mark, start)
    while place >= 0 and _escaped(text, place):
        place = text.find(mark, place + 1)
    return place


def _escaped(text: str, place: int) -> bool:
    before = place - len(text[:place].rstrip("\\"))
    return before % 2 == 1
