"""A pasted list or a CSV file of candidates, read as a whole: every good row, and every problem with its row.

Columns are found by their header (`email`, `name`, `extra`, in any order and case, with usual synonyms); without a
header they are taken in that order. Comma, semicolon and tab separate. UTF-8 with or without a mark, UTF-16 with one,
and Windows-1252 are read. An address that comes twice is invited once. A cell that a spreadsheet would run as a formula
is refused where it would end up in a name.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.addresses import InvalidEmailError
from app.errors import BadRequestError
from app.hiring.invitations import Guest, InvalidInvitationError, read_guest
from app.hiring.tables import FORMULA

MOST_ROWS = 10_000
LONGEST_LINE = 2000
HEADERS = {
    "email": "email",
    "e-mail": "email",
    "mail": "email",
    "mail address": "email",
    "email address": "email",
    "name": "name",
    "full name": "name",
    "candidate": "name",
    "extra": "extra",
    "extra time": "extra",
    "extra_percent": "extra",
    "extra %": "extra",
}
ORDER = ("email", "name", "extra")


class UnreadableListError(BadRequestError):
    """The text is no list at all."""

    status = 422
    title = "The list could not be read"


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Why a row invites nobody; rows count from 1, the header among them."""

    row: int
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class GuestList:
    """What a list says: whom to invite, and the rows that cannot be used."""

    guests: tuple[Guest, ...]
    problems: tuple[RowProblem, ...]


def decode(raw: bytes) -> str:
    """Return the text of an uploaded list.

    Raises `UnreadableListError` for what is no text.
    """
    marked = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" not in text:
            return text
    raise UnreadableListError("Save it as CSV in UTF-8 and choose it again. Nobody was invited.")


def read_list(text: str) -> GuestList:
    """Return the guests of a list and the problems of its rows.

    Raises `UnreadableListError` where it has too many rows.
    """
    rows = list(_rows(text))
    if len(rows) > MOST_ROWS + 1:
        raise UnreadableListError(f"It has more than {MOST_ROWS} rows. Split it. Nobody was invited.")
    columns = _columns(rows[0][1]) if rows else None
    guests: dict[str, Guest] = {}
    problems = []
    for number, cells in rows[1:] if columns else rows:
        named = dict(zip(columns or ORDER, cells, strict=False))
        try:
            guest = _guest(named)
        except (InvalidEmailError, InvalidInvitationError) as error:
            problems.append(RowProblem(number, ", ".join(filter(None, cells))[:80], error.message))
            continue
        if guest.email in guests:
            problems.append(RowProblem(number, guest.email, "It is in the list already, and is invited once."))
        guests.setdefault(guest.email, guest)
    return GuestList(tuple(guests.values()), tuple(problems))


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    lines = text.splitlines()
    separator = max(",;\t", key=text.count)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE:
            yield number, [line[:80]]
            continue
        try:
            cells = next(csv.reader(io.StringIO(line), delimiter=separator, skipinitialspace=True))
        except csv.Error:
            cells = [line[:80]]
        yield number, [cell.strip() for cell in cells]


def _columns(cells: Sequence[str]) -> list[str] | None:
    names = [HEADERS.get(cell.strip().lower(), "") for cell in cells]
    return names if "email" in names else None


def _guest(named: dict[str, str]) -> Guest:
    name = named.get("name", "")
    if name.startswith(FORMULA):
        raise InvalidInvitationError("The name begins like a formula of a spreadsheet. Write it plainly.")
    return read_guest(named.get("email", ""), name, named.get("extra", ""))
