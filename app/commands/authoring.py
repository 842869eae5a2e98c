"""`gradproof bank` for authors: new, schema, coverage, export, import. Files hold keys, so they are for authors."""

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.bank.coverage import cover, read_claims, table
from app.bank.item import KINDS, schema
from app.bank.loader import load
from app.bank.starters import write_starter
from app.commands.support import err, out
from app.errors import GradproofError, NotFoundError
from app.exchange.anki import write_anki
from app.exchange.drafts import write_drafts
from app.exchange.gift import read_gift, write_gift
from app.exchange.leaving import export
from app.exchange.moodle import read_moodle, write_moodle
from app.exchange.questions import MAX_BYTES, ExchangeError, Parcel
from app.settings import Settings, load_settings

app = typer.Typer()
SCHEMA = "item.schema.json"
COVERAGE = "coverage.md"


class Leaving(StrEnum):
    """The formats that can be written."""

    MOODLE = "moodle"
    GIFT = "gift"
    ANKI = "anki"


class Arriving(StrEnum):
    """The formats that can be read."""

    MOODLE = "moodle"
    GIFT = "gift"


READERS: Mapping[Arriving, Callable[[bytes], Parcel]] = {Arriving.MOODLE: read_moodle, Arriving.GIFT: read_gift}
WRITERS: Mapping[Leaving, Callable[[Parcel], str]] = {Leaving.MOODLE: write_moodle, Leaving.GIFT: write_gift}


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


@app.command("export")
def export_bank(
    form: Annotated[Leaving, typer.Argument(metavar="FORMAT", help="moodle, gift or anki.")],
    file: Annotated[Path, typer.Argument(help="The file to write; one that is there is not overwritten.")],
    topic: Annotated[str, typer.Option(help="Only the items of this topic.")] = "",
) -> None:
    """Write the items as questions of another program, with their keys: for authors, not for people who are asked."""
    bank = load(load_settings().bank)
    if topic and bank.topic(topic) is None:
        raise NotFoundError(
            f"There is no topic `{topic}`. topics.yaml has: {', '.join(one.id for one in bank.topics)}."
        )
    if file.exists():
        raise GradproofError(f"{file} is there already, and nothing is overwritten. Choose another name.")
    parcel = export(bank, topic or None)
    if form is Leaving.ANKI:
        write_anki(parcel, file, f"Gradproof: {bank.title_of(topic)}" if topic else "Gradproof")
    else:
        _write(file, WRITERS[form](parcel))
    _list_losses(parcel)
    out.print(f"Wrote {len(parcel.questions)} questions to {file}: one variant each, and no proof.", markup=False)
    out.print("The file carries every key. Keep it from whoever is going to be asked.", markup=False)


@app.command("import")
def import_questions(
    form: Annotated[Arriving, typer.Argument(metavar="FORMAT", help="moodle or gift.")],
    file: Annotated[Path, typer.Argument(help="The file to read.")],
    into: Annotated[Path, typer.Option(help="The topic's folder to write drafts into.")],
) -> None:
    """Write a draft per question of another program: no item yet, as nothing has been run."""
    raw = _read(file)
    try:
        parcel = READERS[form](raw)
    except ExchangeError as error:
        raise ExchangeError(f"{file}: {error.message}") from error
    written = write_drafts(parcel, into)
    _list_losses(parcel)
    for path in written:
        out.print(f"draft: {path}", markup=False)
    out.print(
        f"Wrote {len(written)} drafts. Each waits for a kind, a snippet and probes: docs/authoring.md.", markup=False
    )


def _list_losses(parcel: Parcel) -> None:
    for loss in parcel.losses:
        err.print(f"not kept: {loss}", markup=False, soft_wrap=True)


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise GradproofError(f"{file} cannot be read: {error.strerror}.") from error
