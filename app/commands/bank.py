"""`gradproof bank`: verify and show; authoring.py has what authors need besides."""

import json
from typing import Annotated

import typer
import yaml
from rich.progress import Progress
from rich.table import Table

from app.bank.item import dump_item
from app.bank.loader import load
from app.bank.reports import Report
from app.bank.variants import draw
from app.bank.verify import DEFAULT_LIMIT, verify
from app.commands import authoring
from app.commands.support import AsJson, err, open_sandbox, out
from app.settings import load_settings

app = typer.Typer(no_args_is_help=True, help="The question bank.")
app.add_typer(authoring.app)


@app.command("verify")
def verify_bank(
    ids: Annotated[list[str] | None, typer.Argument(help="Items to verify; all where none is named.")] = None,
    limit: Annotated[int, typer.Option(help="Variants per item; beyond it a seeded sample.", min=1)] = DEFAULT_LIMIT,
    as_json: AsJson = False,
) -> None:
    """Run every probe of every option in the real sandbox and report what does not hold. Exit status 1 for errors."""
    settings = load_settings()
    bank = load(settings.bank)
    with open_sandbox(settings) as client, Progress(console=err, transient=True) as progress:
        task = progress.add_task("verifying", total=None)

        def tick(done: int, total: int, item_id: str) -> None:
            progress.update(task, completed=done, total=total, description=item_id)

        report = verify(bank, client.run, ids=ids or None, limit=limit, progress=tick)
    if as_json:
        print(json.dumps(report.to_json(), indent=2))
    else:
        _print_report(report)
    raise typer.Exit(0 if report.ok else 1)


def _print_report(report: Report) -> None:
    table = Table("item", "variants", "score from knowing one key")
    for item_id, count in report.variants_of.items():
        table.add_row(item_id, str(count), f"{report.memorisation.get(item_id, 0):.2f}")
    out.print(table)
    for kind, findings in (("error", report.errors), ("warning", report.warnings)):
        for one in findings:
            out.print(f"{kind}: {one}", markup=False)
    for sentence in report.not_run:
        out.print(f"not run: {sentence}", markup=False)
    out.print(
        f"{report.items} items, {report.variants} variants, {report.programs} programs, {report.probes} probes in "
        f"{report.seconds:.1f} s on torch {report.torch}: {len(report.errors)} errors, {len(report.warnings)} warnings",
        markup=False,
    )


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
