"""`gradproof quiz`: what a quiz withstands on this machine."""

import json
from typing import Annotated

import typer
from rich.table import Table

from app.commands.support import AsJson, err, open_sandbox, out
from app.loadtest.run import Outcome, Plan, load_test
from app.settings import load_settings

app = typer.Typer(no_args_is_help=True, help="What quizzes withstand.")


@app.callback()
def quiz() -> None:
    """What quizzes withstand."""


@app.command("loadtest")
def load_test_command(
    candidates: Annotated[int, typer.Option(min=1, max=1000, help="Candidates who take the quiz at once.")] = 300,
    seconds: Annotated[float, typer.Option(min=1, max=1800, help="How long each saves, every 5 seconds.")] = 180,
    kills: Annotated[int, typer.Option(min=0, max=20, help="How often the server is killed meanwhile.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Let candidates start and save against a server and a database of this command's own, on the loopback.

    The server is killed at random moments and started again; then every acknowledged answer is looked up. Exit status 1
    where a request failed or an answer is missing.
    """
    settings = load_settings()
    with open_sandbox(settings) as sandbox:
        outcome = load_test(
            Plan(candidates, seconds, kills), settings.bank, sandbox, lambda line: err.print(line, markup=False)
        )
    if as_json:
        print(json.dumps(outcome.to_json(), indent=2))
    else:
        _print(outcome)
    raise typer.Exit(0 if outcome.ok else 1)


def _print(outcome: Outcome) -> None:
    table = Table("figure", "value")
    for name, value in outcome.to_json().items():
        if isinstance(value, dict):
            for part, number in value.items():
                table.add_row(f"{name} {part}", f"{number:g}")
        elif not isinstance(value, list):
            table.add_row(name, "none" if value is None else f"{value:g}")
    out.print(table)
    for message in outcome.tally.errors[:10]:
        out.print(message, markup=False)
