"""`gradproof sandbox`: run one snippet, look at the layers, measure."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from app.commands.support import AsJson, open_sandbox, out
from app.errors import GradproofError
from app.sandbox import bench, doctor
from app.sandbox.protocol import JobResult, Program, to_json
from app.settings import load_settings

app = typer.Typer(no_args_is_help=True, help="The sandbox.")


@app.command("run")
def run(
    file: Annotated[str, typer.Argument(help="A Python file, or - for standard input.")],
    as_json: AsJson = False,
) -> None:
    """Run one snippet in the sandbox, as the site would."""
    code = sys.stdin.read() if file == "-" else _read_code(Path(file))
    with open_sandbox(load_settings()) as client:
        job = client.run([Program(code)])
    report = _run_report(job)
    if as_json:
        print(json.dumps(report))
    else:
        _print_run(report)


@app.command("doctor")
def run_doctor(as_json: AsJson = False) -> None:
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


@app.command("bench")
def run_bench(
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
