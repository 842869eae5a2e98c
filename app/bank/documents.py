"""One YAML file as plain data, with the line of every key and element, and every mistake of the YAML itself.

The file is read as a stream of events first, so that aliases, depth and the number of documents are judged before
anything is built: composing a deeply nested file would recurse, and aliases multiply.
"""

import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from app.bank.problems import Problem

Place: TypeAlias = tuple[str | int, ...]

MAX_BYTES = 64 * 1024  # of an item
MAX_LIST_BYTES = 1024 * 1024  # of a list that grows with the bank, such as the misconceptions
MAX_DEPTH = 16
_TAG = "tag:yaml.org,2002:"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_QUOTE_HINT = "Put the value in quotes if it starts with a backtick, or holds `: ` or ` #`."


@dataclass(slots=True)
class Document:
    """The data of a file; `lines` has the line of each place, `contents` the line where a text's content starts."""

    file: str
    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)
    contents: dict[Place, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, place: Place) -> int:
        """Return the line of a place, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def report(self, place: Place, message: str, line: int | None = None) -> None:
        """Add a problem at a place."""
        self.problems.append(Problem(self.file, line or self.line(place), field_name(place), message))


def field_name(place: Place) -> str:
    """Return a place as its author reads it: `reasons[1].text`, counted from 1 like `expect`; `patch[4]` is a line."""
    text = ""
    for position, part in enumerate(place):
        if isinstance(part, str):
            text += f".{part}" if text else part
        else:
            is_line = position > 0 and place[position - 1] in ("patch", "without", "also_heals")
            text += f"[{part}]" if is_line else f"[{part + 1}]"
    return text


def read_file(path: Path, file: str, most: int = MAX_BYTES) -> Document:
    """Read one regular file of at most `most` bytes; whatever is wrong with it becomes a problem."""
    document = Document(file)
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            document.report((), "This is not a regular file. Replace the link, folder or pipe by the file itself.")
            return document
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            raw = stream.read(most + 1)
    except OSError as error:
        document.report((), f"The file cannot be read: {error.strerror}. Check its permissions.")
        return document
    return read_document(raw, file, most)


def read_document(raw: bytes, file: str, most: int = MAX_BYTES) -> Document:
    """Return the data of one YAML text; never raises, whatever the bytes are."""
    document = Document(file)
    if len(raw) > most:
        document.report((), f"The file is larger than {most // 1024} KiB. Split or shorten it.")
        return document
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        document.report((), "The file is not UTF-8. Save it as UTF-8.", line)
        return document
    try:
        if _is_simple(text, document):
            node = yaml.compose(text, yaml.CSafeLoader)
            document.data = None if node is None else _Builder(document).build(node, ())
    except yaml.YAMLError as error:
        _report_yaml(document, error)
    except (ValueError, RecursionError) as error:
        document.report((), f"The file is not YAML that can be read: {error}.")
    return document


def _is_simple(text: str, document: Document) -> bool:
    """Report aliases, depth and more than one document; say whether the text may be composed."""
    depth, documents = 0, 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        line = event.start_mark.line + 1 if event.start_mark is not None else 1
        documents += isinstance(event, yaml.DocumentStartEvent)
        if documents > 1:
            document.report((), "The file holds more than one document. Remove the `---` between them.", line)
            return False
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            document.report(
                (), "Anchors (`&`) and aliases (`*`) are not allowed. Write the value out or quote it.", line
            )
            return False
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            document.report((), f"The file is nested more than {MAX_DEPTH} levels deep. Write it flatter.", line)
            return False
    return True


def _report_yaml(document: Document, error: yaml.YAMLError) -> None:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
    line = mark.line + 1 if mark is not None else 1
    document.report((), f"The file is not valid YAML: {what}. {_QUOTE_HINT}", line)


class _Builder:
    """Turns composed nodes into plain data, keeping the line of each."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.constructor = yaml.constructor.SafeConstructor()
        self.scalars: dict[str, Callable[[Any], Any]] = {
            "null": lambda _node: None,
            "bool": self.constructor.construct_yaml_bool,
            "int": self.constructor.construct_yaml_int,
            "float": self.constructor.construct_yaml_float,
            "str": lambda node: node.value,
        }

    def build(self, node: yaml.Node, place: Place) -> Any:
        self.document.lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
            return self.mapping(node, place)
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.build(child, (*place, index)) for index, child in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node, place)
        self.document.report(place, f"The tag `{node.tag}` is not allowed. Remove it.")
        return None

    def mapping(self, node: yaml.MappingNode, place: Place) -> dict[str | int, Any]:
        data: dict[str | int, Any] = {}
        for key_node, value_node in node.value:
            key = self.build(key_node, (*place, "?")) if isinstance(key_node, yaml.ScalarNode) else None
            self.document.lines.pop((*place, "?"), None)
            line = key_node.start_mark.line + 1
            if isinstance(key, bool) or not isinstance(key, str | int):
                self.document.report(place, "A key is a name or a line number. Put it in quotes.", line)
            elif key in data:
                self.document.report((*place, key), f"The key `{key}` stands here twice. Keep one.", line)
            else:
                self.document.lines[*place, key] = line
                data[key] = self.build(value_node, (*place, key))
        return data

    def scalar(self, node: yaml.ScalarNode, place: Place) -> Any:
        construct = self.scalars.get(node.tag.removeprefix(_TAG))
        number = node.tag in (f"{_TAG}int", f"{_TAG}float")
        if construct is None or (number and (":" in node.value or re.match(r"[-+]?0[0-9_]", node.value))):
            self.document.report(place, f"YAML reads `{node.value[:40]}` as something else than it says. Quote it.")
            return None
        block = node.style in ("|", ">")
        self.document.contents[place] = node.start_mark.line + (2 if block else 1)
        try:
            value = construct(node)
        except (ValueError, KeyError, OverflowError):
            self.document.report(place, f"`{node.value[:40]}` is not what its tag or its digits say. Quote it.")
            return None
        if isinstance(value, str) and _CONTROL.search(value):
            self.document.report(place, "The text holds a control character. Remove it.")
            return None
        return value
