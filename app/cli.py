"""The `gradproof` command: `serve`, and a group of commands per room, imported when one of it is called."""

import importlib
import sys
from typing import Annotated, Any

import structlog
import typer
from typer.core import TyperGroup
from typer.main import get_group

from app.commands.support import err
from app.errors import GradproofError
from app.settings import load_settings

GROUPS = ("bank", "db", "history", "quiz", "sandbox", "user")  # modules of app.commands


class Groups(TyperGroup):
    """The command with its groups, of which only the one that is called is imported."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return every name."""
        return [*super().list_commands(ctx), *GROUPS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return one command or group, or `None`."""
        if cmd_name not in GROUPS:
            return super().get_command(ctx, cmd_name)
        group = get_group(importlib.import_module(f"app.commands.{cmd_name}").app)
        group.name = cmd_name
        return group


app = typer.Typer(cls=Groups, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def gradproof() -> None:
    """Interview questions about PyTorch whose answers are executed."""


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
