"""Moodle XML: a writer, and a reader that lists whatever a draft has no place for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from app.exchange.gift import SINGLE_RIGHT
from app.exchange.questions import Answer, ExchangeError, Form, Parcel, Question
from app.exchange.texts import from_html, from_plain, slug, split_code, to_html, with_code
from app.exchange.trees import Node, read_tree

TYPES: Mapping[str, Form] = {
    "multichoice": "choice",
    "truefalse": "true_false",
    "shortanswer": "short",
    "numerical": "number",
}
NAMES = {form: name for name, form in TYPES.items()}
_KNOWN = frozenset({"name", "questiontext", "generalfeedback", "answer", "idnumber", "tags"})
# What says nothing new: the values a program writes where its author chose none.
_USUAL: Mapping[str, frozenset[str]] = {
    "defaultgrade": frozenset({"", "1", "1.0", "1.0000000"}),
    "penalty": frozenset({"", "0", "0.0", "0.0000000", "0.3333333", "1", "1.0", "1.0000000"}),
    "hidden": frozenset({"", "0"}),
    "single": frozenset({"", "true", "1", "false", "0"}),
    "shuffleanswers": frozenset({"", "true", "1"}),
    "answernumbering": frozenset({"", "abc", "none"}),
    "showstandardinstruction": frozenset({"", "0", "1"}),
    "usecase": frozenset({"", "0", "1"}),
}
_CONTROL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_moodle(parcel: Parcel) -> str:
    """Return the questions as a Moodle XML file."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    note = "<!-- Questions with their keys, for authors. Written by gradproof bank export moodle. -->\n"
    return f"{head}{note}<quiz>\n{''.join(map(_written, parcel.questions))}</quiz>\n"


def _written(question: Question) -> str:
    text = to_html(with_code(question.text, question.snippet))
    lines = [
        f'<question type="{NAMES[question.form]}">',
        f"<name><text>{_safe(question.title)}</text></name>",
        f'<questiontext format="html"><text>{_safe(text)}</text></questiontext>',
        f'<generalfeedback format="html"><text>{_safe(to_html(question.explanation))}</text></generalfeedback>',
        "<defaultgrade>1</defaultgrade><penalty>0</penalty><hidden>0</hidden>",
        f"<idnumber>{_safe(question.id)}</idnumber>",
        *(["<single>true</single><shuffleanswers>true</shuffleanswers>"] if question.form == "choice" else []),
        *(_answer(answer, question) for answer in question.answers),
        "<tags>" + "".join(f"<tag><text>{_safe(tag)}</text></tag>" for tag in question.tags) + "</tags>",
        "</question>\n",
    ]
    return "\n".join(lines)


def _answer(answer: Answer, question: Question) -> str:
    # With `single` each right option is worth everything, however many there are.
    fraction = "100" if answer.right else "0"
    is_choice = question.form == "choice"
    text = to_html(answer.text) if is_choice else answer.text.lower() if question.form == "true_false" else answer.text
    tolerance = f"<tolerance>{_safe(question.tolerance or '0')}</tolerance>" if question.form == "number" else ""
    feedback = f'<feedback format="html"><text>{_safe(to_html(answer.feedback))}</text></feedback>'
    kind = "html" if is_choice else "moodle_auto_format"
    return f'<answer fraction="{fraction}" format="{kind}"><text>{_safe(text)}</text>{feedback}{tolerance}</answer>'


def _safe(text: str) -> str:
    return escape(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))


@dataclass(frozen=True, slots=True)
class _Reader:
    """One question being read, and where its losses go."""

    node: Node
    subject: str
    parcel: Parcel

    def lose(self, field: str, reason: str, node: Node | None = None) -> None:
        self.parcel.lose(self.subject, field, reason, (node or self.node).line)

    def text(self, node: Node | None, field: str) -> str:
        """Return the text of a node as Markdown, by the format it is in."""
        if node is None:
            return ""
        for file in node.all("file"):
            self.lose(field, f"the file `{file.attributes.get('name', '')[:60]}` was left out", file)
        said, form = node.words(), node.attributes.get("format", "html")
        if form == "markdown":
            return said
        markdown, lost = from_html(said) if form == "html" else from_plain(said)
        for reason in lost:
            self.lose(field, reason, node)
        return markdown


def read_moodle(raw: bytes) -> Parcel:
    """Return the questions of a Moodle XML file and everything that could not be kept.

    Raises `ExchangeError` with the line where the file cannot be read at all.
    """
    root = read_tree(raw)
    if root.tag != "quiz":
        raise ExchangeError(f"line {root.line}: A Moodle file has <quiz> around its questions, not <{root.tag[:40]}>.")
    parcel = Parcel()
    for node in root.children:
        if node.tag == "question":
            _read(node, parcel)
        else:
            parcel.lose(f"<{node.tag[:40]}>", "element", "only questions are read", node.line)
    return parcel


def _read(node: Node, parcel: Parcel) -> None:
    kind = node.attributes.get("type", "")
    name = node.child("name")
    title = name.words() if name is not None else ""
    subject = title[:80] or f"the question of line {node.line}"
    if kind == "category":
        category = node.child("category")
        said = category.words() if category is not None else subject
        parcel.lose(said, "category", "give a folder with --into", node.line)
        return
    if kind not in TYPES:
        reason = f"the type `{kind[:40]}` has no place here, so no draft was made"
        parcel.lose(subject, "the question", reason, node.line)
        return
    reader = _Reader(node, subject, parcel)
    _list_others(reader)
    answers = _answers(reader, TYPES[kind])
    if not any(answer.right for answer in answers):
        reader.lose("answers", "none of them is right")
    words, snippet = split_code(reader.text(node.child("questiontext"), "text"))
    tags = node.child("tags")
    parcel.take(
        Question(
            id=slug(node.words("idnumber") or _plain(node, "idnumber")),
            title=title or words.strip().split("\n")[0][:80] or subject,
            form=TYPES[kind],
            text=words,
            answers=answers,
            snippet=snippet,
            explanation=reader.text(node.child("generalfeedback"), "explanation"),
            tags=tuple(tag.words() for tag in tags.all("tag")) if tags is not None else (),
            tolerance=_tolerance(node) if kind == "numerical" else "",
            line=node.line,
        )
    )


def _plain(node: Node, tag: str) -> str:
    found = node.child(tag)
    return found.text.strip() if found is not None else ""


def _list_others(reader: _Reader) -> None:
    for child in reader.node.children:
        said = child.text.strip() or child.words()
        if child.tag in _KNOWN or said in _USUAL.get(child.tag, ()):
            continue
        if child.tag in _USUAL:
            reader.lose(child.tag, f"`{said[:40]}` has no place in a draft", child)
        elif said or child.children:
            reader.lose(child.tag[:40], "it has no place in a draft", child)


def _answers(reader: _Reader, form: Form) -> tuple[Answer, ...]:
    nodes = reader.node.all("answer")
    if form == "true_false":
        truth = next((node.words().lower() == "true" for node in nodes if _share(reader, node) > 0), None)
        if any(_feedback(reader, node) for node in nodes):
            reader.lose("feedback", "feedback on true and false has no place in a draft")
        return (Answer("True", truth is True), Answer("False", truth is False))
    if form == "number" and len(nodes) > 1:
        reader.lose("answers", "only the first number is kept")
        nodes = nodes[:1]
    return tuple(
        Answer(
            reader.text(node, "option") if form == "choice" else node.words(),
            _share(reader, node) > 0,
            _feedback(reader, node),
        )
        for node in nodes
    )


def _share(reader: _Reader, node: Node) -> float:
    said = node.attributes.get("fraction", "0")
    try:
        share = float(said)
    except ValueError:
        reader.lose("weight", f"`{said[:40]}` is no number and reads as wrong", node)
        return 0.0
    if share not in (0.0, SINGLE_RIGHT):
        reader.lose("weight", f"a weight of {share:g} % reads as {'right' if share > 0 else 'wrong'}", node)
    return share


def _feedback(reader: _Reader, node: Node) -> str:
    return reader.text(node.child("feedback"), "feedback")


def _tolerance(node: Node) -> str:
    answer = node.child("answer")
    return "" if answer is None else _plain(answer, "tolerance")
