"""Tables as files: what goes in comes out, and nothing a stranger typed is run."""

import csv
import io
import zipfile
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from app.hiring.tables import Cell, Table, csv_of, xlsx_of

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", '=HYPERLINK("http://x";"y")']


def table(*rows: tuple[Cell, ...]) -> Table:
    return Table("Sheet", ("one", "two"), rows)


def read_csv(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def parts_of(data: bytes) -> dict[str, Element]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert file.testzip() is None
        return {name: fromstring(file.read(name)) for name in file.namelist()}


def cells_of(data: bytes, sheet: int = 1) -> list[list[str | float | None]]:
    """Read a sheet as another program would: shared texts by number, numbers as they are."""
    parts = parts_of(data)
    shared = ["".join(one.itertext()) for one in parts["xl/sharedStrings.xml"].iter(f"{MAIN}si")]
    rows = []
    for row in parts[f"xl/worksheets/sheet{sheet}.xml"].iter(f"{MAIN}row"):
        cells: list[str | float | None] = []
        for cell in row.iter(f"{MAIN}c"):
            value = cell.findtext(f"{MAIN}v")
            assert value is not None
            cells.append(shared[int(value)] if cell.get("t") == "s" else float(value))
        rows.append(cells)
    return rows


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_puts_an_apostrophe_before_what_a_spreadsheet_would_run(text: str) -> None:
    assert read_csv(csv_of(table((text, "a"))))[1] == [f"'{text}", "a"]


@pytest.mark.parametrize("text", HOSTILE)
def test_xlsx_holds_no_formula_and_no_link(text: str) -> None:
    data = xlsx_of([table((text, "a"))])
    for name, part in parts_of(data).items():
        assert not list(part.iter(f"{MAIN}f")), name
        assert not list(part.iter(f"{MAIN}hyperlink")), name
    shown = cells_of(data)[1][0]
    assert isinstance(shown, str)
    assert shown.endswith(text.strip())


def test_numbers_stay_numbers_and_nothing_stays_empty() -> None:
    made = table((-1.5, 3), (None, "a"))
    assert read_csv(csv_of(made)) == [["one", "two"], ["-1.5", "3"], ["", "a"]]
    assert cells_of(xlsx_of([made])) == [["one", "two"], [-1.5, 3.0], ["a"]]


def test_workbook_has_a_sheet_for_each_table_and_cuts_what_no_cell_holds() -> None:
    data = xlsx_of([table(("a", "b")), Table("More", ("x",), [("y" * 40_000,)])])
    assert cells_of(data)[1] == ["a", "b"]
    (longest,) = cells_of(data, 2)[1]
    assert longest == "y" * 32_767


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(TEXT, TEXT)
def test_any_text_survives_csv(one: str, two: str) -> None:
    (row,) = read_csv(csv_of(table((one, two))))[1:]
    for shown, text in zip(row, (one, two), strict=True):
        assert shown in {text, f"'{text}"}


@given(TEXT)
def test_any_text_makes_a_workbook_that_can_be_read(text: str) -> None:
    assert cells_of(xlsx_of([table((text, "a"))]))[1][-1] == "a"
