"""`gradproof history`: totals made anew, and how long the history page takes."""

import typer

from app.commands.support import out
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
