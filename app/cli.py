"""The `gradproof` command: `serve`, and a group of commands per room."""

import importlib
import sys
from typing import Annotated

import structlog
import typer

from app.commands import bank, db, sandbox, user
from app.commands.support import err
from app.errors import GradproofError
from app.settings import load_settings

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.add_typer(bank.app, name="bank")
app.add_typer(db.app, name="db")
app.add_typer(sandbox.app, name="sandbox")
app.add_typer(user.app, name="user")


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
) -> None:
    """Bring the database up to date, start the sandbox, and answer until stopped."""
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    serving = importlib.import_module("app.serving")  # the whole site: half of what a small command would wait for
    serving.serve(load_settings(**given))


def main() -> None:
    """Run the command; an expected failure is one sentence and exit status 2."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    try:
        app()
    except GradproofError as error:
        err.print(error.message, markup=False)
        sys.exit(2)


if __name__ == "__main__":
    main()
