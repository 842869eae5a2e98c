"""`gradproof bank` for authors: new, schema, coverage, export, import. Files hold keys, so they are for authors."""

import json
from pathlib import Path
from typing import Annotated

import typer

from app.bank.coverage import cover, read_claims, table
from app.bank.item import KINDS, schema
from app.bank.loader import load
from app.bank.starters import write_starter
from app.commands.support import out
from app.errors import GradproofError
from app.settings import Settings, load_settings

app = typer.Typer()
SCHEMA = "item.schema.json"
COVERAGE = "coverage.md"


@app.command("new")
def new(
    kind: Annotated[str, typer.Argument(help=f"One of {', '.join(KINDS)}.")],
    topic: Annotated[str, typer.Option(help="A topic of topics.yaml; the first where none is named.")] = "",
    item_id: Annotated[str, typer.Option("--id", help="The id, kebab-case; a free one where none is named.")] = "",
) -> None:
    """Write a commented starter of a kind into the bank: it loads, it verifies, and every line wants to be replaced."""
    settings = load_settings()
    path = write_starter(settings.bank, load(settings.bank), kind, topic, item_id)
    out.print(f"Wrote {path}", markup=False)
    out.print(f"Edit it, then: gradproof bank verify {path.stem}", markup=False)


@app.command("schema")
def print_schema(
    write: Annotated[bool, typer.Option("--write", help=f"Write {SCHEMA} into the bank's folder.")] = False,
) -> None:
    """Print the JSON Schema of an item file, for editors."""
    text = schema_text()
    if not write:
        print(text, end="")
        return
    path = load_settings().bank / SCHEMA
    _write(path, text)
    out.print(f"Wrote {path}", markup=False)


def schema_text() -> str:
    """Return the JSON Schema of an item file as the checked-in file has it."""
    return json.dumps(schema(), indent=2) + "\n"


@app.command("coverage")
def coverage(
    write: Annotated[bool, typer.Option("--write", help="Write docs/coverage.md beside the bank.")] = False,
) -> None:
    """Print which items test which claim of the sources. Exit status 1 where a claim has no item."""
    settings = load_settings()
    rows = cover(load(settings.bank), read_claims(settings.bank))
    text = table(rows)
    if write:
        path = _docs(settings) / COVERAGE
        _write(path, text)
        out.print(f"Wrote {path}", markup=False)
    else:
        print(text, end="")
    raise typer.Exit(1 if any(row.missing for row in rows) else 0)


def _docs(settings: Settings) -> Path:
    folder = settings.bank.absolute().parent / "docs"
    if not folder.is_dir():
        raise GradproofError(f"There is no folder {folder} to write to. Run this in a checkout, or leave --write out.")
    return folder


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise GradproofError(f"{path} cannot be written: {error.strerror}.") from error
