"""Tables as files: CSV and XLSX that spreadsheets open as what they say, and run nothing of. Pure.

Names, addresses and reasons are typed in by strangers, and a spreadsheet takes a cell that begins with a sign for a
formula. In CSV such a text gets an apostrophe in front, which every program shows as text; in XLSX each text is stored
as text. Numbers stay numbers.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import xlsxwriter

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the wide signs as well
LONGEST = 32_767  # characters that a cell of XLSX holds
Cell: TypeAlias = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """A sheet: its name (at most 31 characters), a head, and rows as long as the head."""

    name: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]


def csv_of(table: Table) -> bytes:
    """Return a table as CSV in UTF-8, with the mark by which spreadsheets know that."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(table.head)
    writer.writerows([_safe(cell) for cell in row] for row in table.rows)
    return out.getvalue().encode("utf-8-sig")


def _safe(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def xlsx_of(tables: Sequence[Table]) -> bytes:
    """Return tables as the sheets of a workbook; a text that is longer than a cell can hold is cut."""
    out = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(out, options) as book:
        bold = book.add_format({"bold": True})
        for table in tables:
            sheet = book.add_worksheet(table.name)
            sheet.freeze_panes(1, 0)
            for column, title in enumerate(table.head):
                sheet.write_string(0, column, title, bold)
            for place, row in enumerate(table.rows, 1):
                for column, cell in enumerate(row):
                    if isinstance(cell, str):
                        sheet.write_string(place, column, cell[:LONGEST])
                    elif cell is not None:
                        sheet.write_number(place, column, cell)
    return out.getvalue()
