"""`gradproof db`: the schema."""

import typer

from app.commands.support import out
from app.db import open_database, revisions
from app.settings import load_settings

app = typer.Typer(no_args_is_help=True, help="The database.")


@app.callback()
def db() -> None:
    """Keep `db` a group although it has one command so far."""


@app.command("upgrade")
def upgrade() -> None:
    """Bring the database to the newest schema."""
    settings = load_settings()
    settings.make_var()
    database = open_database(settings.effective_database_url)
    out.print(f"The schema is at {revisions(database)[0]}, the newest.")
    database.dispose()
