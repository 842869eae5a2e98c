"""`gradproof bank`: show, verifying.py's verify, and what authors need besides (authoring.py)."""

from typing import Annotated

import typer
import yaml

from app.bank.item import dump_item
from app.bank.loader import load
from app.bank.variants import draw
from app.commands import authoring, verifying
from app.settings import load_settings

app = typer.Typer(no_args_is_help=True, help="The question bank.")
app.add_typer(authoring.app)


app.command("verify")(verifying.verify_bank)


@app.command("show")
def show(
    item_id: Annotated[str, typer.Argument(help="The id of an item.")],
    seed: Annotated[int | None, typer.Option(help="Show the variant drawn from this sub-seed instead.")] = None,
) -> None:
    """Print an item as it is on disk, or one variant of it; with its key, so not for people who practise."""
    bank = load(load_settings().bank)
    item = bank.item(item_id)
    shown = item if seed is None else draw(item, seed).item
    print(yaml.safe_dump(dump_item(shown), sort_keys=False, allow_unicode=True, width=110), end="")
