"""`gradproof history`: totals made anew, and how long the history page takes."""

import importlib
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import structlog
import typer
from rich.table import Table

from app.commands.support import AsJson, err, out
from app.db import open_database
from app.history.totals import rebuild
from app.settings import load_settings

app = typer.Typer(no_args_is_help=True, help="The history of what people practised.")


@app.command("rebuild")
def rebuild_totals() -> None:
    """Make the totals that `/history` reads anew from the attempts; the site may run meanwhile."""
    settings = load_settings()
    settings.make_var()
    database = open_database(settings.effective_database_url)
    counted = list(rebuild(database))
    database.dispose()
    out.print(f"The totals of {len(counted)} people were made anew from {sum(counted)} attempts.")


@contextmanager
def _without_requests_in_the_log() -> Iterator[None]:
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    try:
        yield
    finally:
        structlog.configure(**before)


@app.command("bench")
def run_bench(
    attempts: Annotated[list[int] | None, typer.Option(min=1, max=1_000_000, help="A length; may be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Time the history page for histories of some lengths, each made up in a database of this command's own."""
    history_bench = importlib.import_module("app.history_bench")  # the whole site, which nothing else here needs
    with TemporaryDirectory(prefix="gradproof-") as folder, _without_requests_in_the_log():
        rows = history_bench.bench(
            Path(folder),
            load_settings().bank,
            attempts or history_bench.SIZES,
            lambda line: err.print(line, markup=False),
        )
    if as_json:
        print(json.dumps({"rows": [asdict(row) for row in rows]}))
        return
    table = Table("attempts", "median ms", "queries")
    for row in rows:
        table.add_row(f"{row.attempts:,}", f"{row.median_ms:g}", f"{row.queries}")
    out.print(table)
