"""The `gradproof` command: serve, bank, db, sandbox."""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import structlog
import typer
import yaml
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from app import serving
from app.bank.item import dump_item, schema
from app.bank.loader import load
from app.bank.reports import Report
from app.bank.variants import draw
from app.bank.verify import DEFAULT_LIMIT, verify
from app.db import open_database, revisions
from app.errors import GradproofError
from app.sandbox import bench, doctor
from app.sandbox.client import SandboxAwayError, SandboxClient
from app.sandbox.protocol import JobResult, Program, to_json
from app.sandbox.supervisor import Supervisor
from app.settings import Settings, load_settings

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
bank_app = typer.Typer(no_args_is_help=True, help="The question bank.")
db_app = typer.Typer(no_args_is_help=True, help="The database.")
sandbox_app = typer.Typer(no_args_is_help=True, help="The sandbox.")
app.add_typer(bank_app, name="bank")
app.add_typer(db_app, name="db")
app.add_typer(sandbox_app, name="sandbox")

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

START_TRIES = 8  # each waits about eight seconds in the service
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
) -> None:
    """Bring the database up to date, start the sandbox, and answer until stopped."""
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    serving.serve(load_settings(**given))


@bank_app.command("verify")
def bank_verify(
    ids: Annotated[list[str] | None, typer.Argument(help="Items to verify; all where none is named.")] = None,
    limit: Annotated[int, typer.Option(help="Variants per item; beyond it a seeded sample.", min=1)] = DEFAULT_LIMIT,
    as_json: AsJson = False,
) -> None:
    """Run every probe of every option in the real sandbox and report what does not hold. Exit status 1 for errors."""
    settings = load_settings()
    bank = load(settings.bank)
    with _sandbox(settings) as client, Progress(console=err, transient=True) as progress:
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


@bank_app.command("show")
def bank_show(
    item_id: Annotated[str, typer.Argument(help="The id of an item.")],
    seed: Annotated[int | None, typer.Option(help="Show the variant drawn from this sub-seed instead.")] = None,
) -> None:
    """Print an item as it is on disk, or one variant of it; with its key, so not for people who practise."""
    bank = load(load_settings().bank)
    item = bank.item(item_id)
    shown = item if seed is None else draw(item, seed).item
    out.print(yaml.safe_dump(dump_item(shown), sort_keys=False, allow_unicode=True, width=110), markup=False, end="")


@bank_app.command("schema")
def bank_schema() -> None:
    """Print the JSON Schema of an item file, for editors."""
    print(json.dumps(schema(), indent=2))


@db_app.command("upgrade")
def db_upgrade() -> None:
    """Bring the database to the newest schema."""
    settings = load_settings()
    settings.make_var()
    database = open_database(settings.effective_database_url)
    out.print(f"The schema is at {revisions(database)[0]}, the newest.")
    database.dispose()


@sandbox_app.command("run")
def sandbox_run(
    file: Annotated[str, typer.Argument(help="A Python file, or - for standard input.")],
    as_json: AsJson = False,
) -> None:
    """Run one snippet in the sandbox, as the site would."""
    code = sys.stdin.read() if file == "-" else _read_code(Path(file))
    with _sandbox(load_settings()) as client:
        job = client.run([Program(code)])
    report = _run_report(job)
    if as_json:
        print(json.dumps(report))
    else:
        _print_run(report)


@sandbox_app.command("doctor")
def sandbox_doctor(as_json: AsJson = False) -> None:
    """Say which layers hold here, each shown by its effect. Exit status 1 where code cannot be run safely."""
    health = doctor.doctor()
    if as_json:
        print(json.dumps(to_json(health)))
    else:
        table = Table("layer", "required", "engaged", "what was seen")
        for layer in health.layers:
            table.add_row(layer.name, "yes" if layer.required else "", "yes" if layer.engaged else "NO", layer.detail)
        out.print(f"state: {health.state}")
        if health.message:
            out.print(health.message, markup=False)
        out.print(table)
    raise typer.Exit(0 if health.state == "ready" else 1)


@sandbox_app.command("bench")
def sandbox_bench(
    runs: Annotated[int, typer.Option(help="Jobs to time.", min=5, max=2000)] = 100,
    as_json: AsJson = False,
) -> None:
    """Time live checks beside bare forks of the same warm process and a cold start of torch, in one run."""
    try:
        figures = bench.bench(runs)
    except doctor.RefusedError as error:
        raise GradproofError(str(error)) from error
    if as_json:
        print(json.dumps(figures))
        return
    table = Table("figure", "value")
    for name, value in figures.items():
        table.add_row(name, f"{value:.3g}")
    out.print(table)


@contextmanager
def _sandbox(settings: Settings) -> Iterator[SandboxClient]:
    """Connect to the sandbox of the settings, or to one of this command's own, once it is ready."""
    with ExitStack() as stack:
        address = settings.sandbox
        if not address:
            folder = stack.enter_context(TemporaryDirectory(prefix="gradproof-"))
            address = stack.enter_context(Supervisor(Path(folder) / "sandbox.sock")).address
        client = SandboxClient(address)
        stack.callback(client.close)
        _wait_until_ready(client)
        yield client


def _wait_until_ready(client: SandboxClient) -> None:
    """Wait while the sandbox starts; raise where it is away or refuses to run code."""
    for _ in range(START_TRIES):
        try:
            client.run([Program("pass")])
        except SandboxAwayError:
            if client.health().state != "starting":
                raise
        else:
            return
    raise GradproofError("The sandbox has not become ready. `gradproof sandbox doctor` says what it waits for.")


def _read_code(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GradproofError(f"{path} cannot be read as UTF-8 text: {error}") from error


def _run_report(job: JobResult) -> dict[str, Any]:
    result = job.results[0]
    return {
        "verdict": result.verdict.value,
        "reason": result.reason,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "exception": None if result.exception is None else asdict(result.exception),
        "wall_ms": result.wall_ms,
        "torch": job.torch,
        "layers": list(job.layers),
    }


def _print_run(report: dict[str, Any]) -> None:
    reason = f" ({report['reason']})" if report["reason"] else ""
    out.print(f"verdict: {report['verdict']}{reason}", markup=False)
    raised = report["exception"]
    if raised:
        out.print(f"exception: {raised['type']} in line {raised['line']}: {raised['message']}", markup=False)
    for name in ("stdout", "stderr"):
        if report[name]:
            out.print(f"{name}:\n{report[name]}", markup=False)
    layers = ", ".join(report["layers"])
    out.print(f"{report['wall_ms']:.1f} ms, torch {report['torch']}, isolated by {layers}", markup=False)


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
