"""`gradproof bank verify`: run what has not been verified, once per version of torch, and print what was found."""

import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from app.bank.catalog import Bank
from app.bank.loader import load
from app.bank.moves import Move, flag, forgive, moves
from app.bank.reports import Report
from app.bank.verified import FOLDER, Circumstances, Records, circumstances, here
from app.bank.verify import ANY, DEFAULT_LIMIT, NO, OPEN_BOOK, QUIZ_LIMIT, Cache, verify
from app.commands.support import AsJson, err, open_sandbox, out
from app.sandbox.client import SandboxClient
from app.sandbox.protocol import BareForks, JobResult, Program, to_json
from app.settings import Settings, load_settings
from app.versions import TorchEnvironment, prepare

ENVIRONMENTS = "torch"


def verify_bank(
    ids: Annotated[list[str] | None, typer.Argument(help="Items to verify; all where none is named.")] = None,
    limit: Annotated[int, typer.Option(help="Variants per item; beyond it a seeded sample.", min=1)] = DEFAULT_LIMIT,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run everything, whatever was recorded.")] = False,
    torch: Annotated[
        list[str] | None, typer.Option(help="Verify under this version instead; several are compared.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run every probe of every option in the real sandbox and report what does not hold. Exit status 1 for errors."""
    settings = load_settings()
    wish = _Wish(load(settings.bank), ids or None, limit, fresh, settings)
    if torch:
        reports, found = _verify_versions(wish, list(dict.fromkeys(torch)))
        data: Any = {
            "ok": all(report.ok for report in reports.values()),
            "versions": {version: report.to_json() for version, report in reports.items()},
            "moved": [to_json(move) for move in found],
        }
    else:
        reports, found = {"": _verify(wish, None)}, []
        data = reports[""].to_json()
    if as_json:
        print(json.dumps(data, indent=2))
    else:
        for report in reports.values():
            _print_report(report)
        _print_moves(found, list(reports), asked=bool(torch))
    raise typer.Exit(0 if all(report.ok for report in reports.values()) else 1)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What was asked for on the command line."""

    bank: Bank
    ids: list[str] | None
    limit: int
    fresh: bool
    settings: Settings


def _verify_versions(wish: _Wish, versions: Sequence[str]) -> tuple[dict[str, Report], list[Move]]:
    """Verify under each version in an environment of its own, compare the keys, and keep what moved."""
    reports = {}
    folder = wish.settings.make_var()
    for version in versions:
        made = prepare(version, folder / ENVIRONMENTS, lambda line: err.print(line, markup=False))
        reports[version] = _verify(wish, made)
        forgive(wish.bank, reports[version], version)
    found = moves(wish.bank, reports)
    flagged = flag(found, reports)
    if len(versions) > 1:
        Records(folder / FOLDER).keep_moved(flagged)
    return reports, found


def _verify(wish: _Wish, made: TorchEnvironment | None) -> Report:
    with ExitStack() as stack:
        sandbox = _OnDemand(stack, wish.settings, made)
        records = Records(wish.settings.make_var() / FOLDER)
        cache = Cache(records, sandbox.circumstances(wish.limit), wish.fresh)
        columns = (TextColumn("{task.description:32.32}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        progress = stack.enter_context(Progress(*columns, console=err, transient=True))
        task = progress.add_task("verifying", total=None)

        def tick(done: int, total: int, item_id: str) -> None:
            progress.update(task, completed=done, total=total, description=item_id)

        report = verify(
            wish.bank,
            sandbox.run,
            wish.ids,
            limit=wish.limit,
            progress=tick,
            cache=cache,
            bare=sandbox.bare_forks,
        )
        records.prune()
    return report


class _OnDemand:
    """A sandbox that is started when the first program has to run: a bank that is recorded whole needs none."""

    def __init__(self, stack: ExitStack, settings: Settings, made: TorchEnvironment | None) -> None:
        self._stack = stack
        self._settings = settings
        self._made = made
        self._lock = threading.Lock()
        self._client: SandboxClient | None = None

    def client(self) -> SandboxClient:
        with self._lock:
            if self._client is None:
                self._client = self._stack.enter_context(open_sandbox(self._settings, self._made))
            return self._client

    def run(self, programs: Sequence[Program]) -> JobResult:
        return self.client().run(programs)

    def bare_forks(self) -> BareForks | None:
        return self.client().bare_forks()

    def circumstances(self, limit: int) -> Circumstances:
        """Return what this sandbox runs with; one that others started is asked, one of our own is not even started."""
        own = here(limit)
        if self._made is not None:
            return circumstances(self._made.torch, own.python, limit)
        if self._settings.sandbox:
            health = self.client().health()
            return circumstances(health.torch, health.python, limit)
        return own


def _print_report(report: Report) -> None:
    errors, warnings = (_counts(findings) for findings in (report.errors, report.warnings))
    rows = [("item", "variants", "words", "one key is worth", "quizzes", "found")]
    for item_id, count in report.variants_of.items():
        said = [f"{errors[item_id]} errors"] if item_id in errors else []
        said += [f"{warnings[item_id]} warnings"] if item_id in warnings else []
        known = f"{report.memorisation[item_id]:.2f}"
        words, quiz = str(report.words[item_id]), report.quiz[item_id]
        rows.append((item_id, str(count), words, known, quiz, ", ".join(said) or "nothing"))
    print(_aligned(rows))
    for kind, findings in (("warning", report.warnings), ("error", report.errors)):
        for one in findings:
            out.print(f"{kind}: {one}", markup=False)
    for sentence in report.not_run:
        out.print(f"not run: {sentence}", markup=False)
    out.print(_summary(report), markup=False)


def _aligned(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows as columns of plain text: hundreds of lines take a table that wraps cells most of a second."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _counts(findings: Sequence[Any]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for finding in findings:
        counts[finding.item] = counts.get(finding.item, 0) + 1
    return counts


def _summary(report: Report) -> str:
    """Return the last lines: what was looked at, what was run and how fast, what was found."""
    guesses = sum(finding.heuristic for finding in report.warnings)
    counted = (
        f"{report.items} items, {report.variants} variants, {report.programs} programs, {report.runs} runs, "
        f"{report.probes} probes on torch {report.torch}; {len(report.cached)} items answered from records."
    )
    lines = [counted]
    if report.runs_made:
        speed = f"{report.runs_made} runs in {report.seconds:.1f} s: {report.runs_per_s:.1f} runs per second"
        ratio = "; bare forks were not measured"
        if report.bare is not None and report.ratio is not None:
            share = report.runs_per_s / report.bare.ending_per_s
            ratio = (
                f", {report.ratio:.2f} of the {report.bare.running_per_s:.1f} bare forks per second of this process "
                f"that run such a program, {share:.2f} of the {report.bare.ending_per_s:.1f} that only end"
            )
        lines.append(f"{speed}{ratio}.")
    uses = list(report.quiz.values())
    lines.append(
        f"{uses.count(ANY)} items may serve in any quiz, {uses.count(OPEN_BOOK)} in open-book ones only (there knowing "
        f"one key is worth more than {QUIZ_LIMIT:.0%}), {uses.count(NO)} in none."
    )
    lines.append(f"{len(report.errors)} errors, {len(report.warnings)} warnings, {guesses} of them heuristics.")
    return "\n".join(lines)


def _print_moves(found: Sequence[Move], versions: Sequence[str], *, asked: bool) -> None:
    if not asked or len(versions) < 2:
        return
    if not found:
        out.print(f"No key moves between torch {', '.join(versions)}.", markup=False)
        return
    table = Table("item", "variant", "declared", *versions)
    for move in found:
        declared = "yes" if move.declared else "NO"
        table.add_row(move.item, move.parameters, declared, *(move.keys.get(version, "") for version in versions))
    out.print(table)
