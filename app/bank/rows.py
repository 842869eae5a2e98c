"""The bank's lists (topics, misconceptions, glossary, claims): rows of text by id, and every mistake of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from app.bank.documents import Document

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Columns:
    """What a row holds: texts it needs, texts it may have, and lists of texts it may have."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()

    @property
    def known(self) -> tuple[str, ...]:
        """Return every column, in the order in which a message names them."""
        return (*self.required, *self.optional, *self.lists)


def read_rows(document: Document, columns: Columns, make: Callable[..., Row]) -> dict[str, Row]:
    """Return the good rows of a file by their `id`, in order; what is wrong with others goes to the document."""
    rows = document.data
    if not isinstance(rows, list):
        if not document.problems:
            named = ", ".join(columns.required)
            document.report((), f"The file is a list; each row has {named}. Write `- id: …`.")
        return {}
    entries: dict[str, Row] = {}
    for index, row in enumerate(rows):
        if not _is_row(document, index, row, columns):
            continue
        if row["id"] in entries:
            document.report((index, "id"), f"`{row['id']}` stands in the list twice. Keep one.")
        else:
            entries[row["id"]] = make(**{key: tuple(v) if isinstance(v, list) else v for key, v in row.items()})
    return entries


def _is_row(document: Document, index: int, row: Any, columns: Columns) -> bool:
    if not isinstance(row, dict):
        document.report((index,), f"A row has {', '.join(columns.required)}. Write it as `key: value`.")
        return False
    before = len(document.problems)
    for key in row:
        if key not in columns.known:
            document.report((index, key), f"`{key}` is not a field here. Known: {', '.join(columns.known)}.")
    for key in (*columns.required, *(name for name in columns.optional if name in row)):
        if not _is_text(row.get(key)):
            document.report((index, key), f"`{key}` is missing or is no text. Write it, in quotes if need be.")
    for key in columns.lists:
        if key in row and not (isinstance(row[key], list) and all(map(_is_text, row[key]))):
            document.report((index, key), f"`{key}` is a list of texts. Write `[one, two]`.")
    return len(document.problems) == before


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
