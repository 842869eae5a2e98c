"""Verifying a team's items in the background: the verifier of the bank, one item at a time, within limits.

The order is that of the teams that have waited longest, so that one with hundreds of files does not hold up another.
Nothing is claimed: an item waits until its result is stored, so one that a stopped process was at is begun again by the
next one, and where two processes ever verify the same item, both store the same. Runs are made with no transaction
open; how far they are is written about once a second.

What somebody uploads may loop, hang or be killed in every run, or bring down what runs it. So an item whose runs are
cut short again and again, that takes minutes in all, or that was begun several times and never came to an end is given
up, with a sentence for its author.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import structlog
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, undefer

from app.bank.reports import Finding, ItemReport
from app.bank.verify import ANY, OPEN_BOOK, QUIZ_LIMIT, verify_alone
from app.clock import now
from app.db import Database
from app.errors import GradproofError, UnavailableError
from app.hiring.pools import Workshop
from app.hiring.team_items import read_item
from app.models import TeamItem
from app.sandbox.client import SandboxBusyError
from app.sandbox.protocol import JobResult, Program, Verdict

log = structlog.get_logger()

AT_ONCE = 4  # programs in one job: few, so that limits and progress are looked at often
MOST_SECONDS = 300.0
MOST_CUT_SHORT = 6
MOST_ATTEMPTS = 5
MOST_SENTENCES = 30
LONGEST = 500
NOTED_EVERY_S = 1.0
BUSY_S = 0.5
MOST_BUSY = 60
CUT_SHORT = {
    Verdict.TIME_LIMIT: "takes too long",
    Verdict.MEMORY_LIMIT: "needs too much memory",
    Verdict.OUTPUT_LIMIT: "prints too much",
    Verdict.KILLED: "was killed",
    Verdict.INTERNAL: "did not end as a run should",
}


class GivenUpError(GradproofError):
    """Verifying an item was given up; the message says why, and is its problem."""


def next_to_verify(session: Session) -> UUID | None:
    """Return the item to verify next: of the team whose last verification is the longest ago, its oldest."""
    waiting = (
        select(TeamItem.team_id, func.min(TeamItem.created_at).label("since"))
        .where(TeamItem.verified_at.is_(None), TeamItem.archived_at.is_(None))
        .group_by(TeamItem.team_id)
        .subquery()
    )
    last = select(TeamItem.team_id, func.max(TeamItem.verified_at).label("at")).group_by(TeamItem.team_id).subquery()
    team = (
        select(waiting.c.team_id)
        .join(last, last.c.team_id == waiting.c.team_id)
        .order_by(last.c.at.asc().nulls_first(), waiting.c.since, waiting.c.team_id)
        .limit(1)
    )
    query = select(TeamItem.id).where(
        TeamItem.team_id == team.scalar_subquery(), TeamItem.verified_at.is_(None), TeamItem.archived_at.is_(None)
    )
    return session.scalar(query.order_by(TeamItem.attempts, TeamItem.created_at, TeamItem.item_id).limit(1))


def verify_next(workshop: Workshop) -> bool:
    """Verify one item that waits; return whether there was one.

    Raises `UnavailableError` where the sandbox is away: the item waits on.
    """
    database = workshop.database
    with database.reading() as session:
        item_id = next_to_verify(session)
        row = None if item_id is None else session.get_one(TeamItem, item_id, options=[undefer(TeamItem.source)])
    if row is None:
        return False
    bench = _Bench(workshop, row.id)
    if row.attempts >= MOST_ATTEMPTS:
        _settle(database, row.id, _Found((f"It was begun {row.attempts} times and never came to an end.",)))
        return True
    _begin(database, row.id)
    try:
        item = read_item(row, workshop.bank)
        # Made anew: what an earlier run of the same file showed may have been the mistake of a busy machine.
        report, use = verify_alone(item, bench.run, replace(workshop.cache, fresh=True))
    except UnavailableError as error:
        if isinstance(error, SandboxBusyError):
            _take_back_attempt(database, row.id)
        raise
    except GradproofError as error:
        _settle(database, row.id, _Found((error.message,)))
        return True
    _settle(database, row.id, _Found(problems_of(report, use), _sentences(report.warnings), report.memorisation))
    return True


@dataclass(frozen=True, slots=True)
class _Found:
    problems: Sequence[str]
    warnings: Sequence[str] = ()
    memorisation: float | None = None


def _begin(database: Database, item_id: UUID) -> None:
    with database.writing() as session:
        begun = {"verifying_at": now(), "runs": 0, "attempts": TeamItem.attempts + 1}
        session.execute(update(TeamItem).where(TeamItem.id == item_id).values(begun))


def _take_back_attempt(database: Database, item_id: UUID) -> None:
    with database.writing() as session:
        session.execute(update(TeamItem).where(TeamItem.id == item_id).values(attempts=TeamItem.attempts - 1))


def _settle(database: Database, item_id: UUID, found: _Found) -> None:
    with database.writing() as session:
        row = session.get_one(TeamItem, item_id)
        row.problems, row.warnings = list(found.problems), list(found.warnings)
        row.memorisation, row.verified_at, row.verifying_at = found.memorisation, now(), None
    log.info("team_item_verified", item=str(item_id), problems=len(found.problems))


def problems_of(report: ItemReport, use: str) -> list[str]:
    """Return why no quiz may use an item, as sentences; none where one may."""
    problems = _sentences(report.errors)
    if problems or use == ANY:
        return problems
    if use == OPEN_BOOK:
        why = (
            f"knowing one of its keys by heart is worth {report.memorisation:.0%}, and a quiz takes items up to "
            f"{QUIZ_LIMIT:.0%}. Give it parameters that move its key."
        )
    else:
        why = "one that is retracted, superseded or bound to some versions is not asked."
    return [f"Its runs agree with its file, but {why}"]


def _sentences(findings: Sequence[Finding]) -> list[str]:
    said = [_sentence(one)[:LONGEST] for one in findings[:MOST_SENTENCES]]
    return said if len(findings) <= MOST_SENTENCES else [*said, f"And {len(findings) - MOST_SENTENCES} more."]


def _sentence(finding: Finding) -> str:
    part = f"{finding.part}: " if finding.part else ""
    return f"{part}{finding.message}{f' Seen with {finding.parameters}.' if finding.parameters else ''}"


class _Bench:
    """Runs the programs of one item, a few at a time, and notes how far it is."""

    def __init__(self, workshop: Workshop, item_id: UUID) -> None:
        self._livecheck, self._database, self._item_id = workshop.livecheck, workshop.database, item_id
        self._began = self._noted = time.monotonic()
        self._cut_short: Counter[Verdict] = Counter()
        self._runs = 0

    def run(self, programs: Sequence[Program]) -> JobResult:
        """Run programs as `LiveCheck.run` does.

        Raises `GivenUpError` where the item takes too long in all, too many runs were cut short, or it was archived.
        """
        done = [self._few(programs[start : start + AT_ONCE]) for start in range(0, len(programs), AT_ONCE)]
        results = tuple(result for job in done for result in job.results)
        return replace(done[-1], results=results)

    def _few(self, programs: Sequence[Program]) -> JobResult:
        job = self._patiently(programs)
        self._runs += len(programs)
        self._cut_short.update(result.verdict for result in job.results if result.verdict in CUT_SHORT)
        if sum(self._cut_short.values()) >= MOST_CUT_SHORT:
            ((verdict, _),) = self._cut_short.most_common(1)
            raise GivenUpError(
                f"Verifying was given up after {self._runs} runs, {sum(self._cut_short.values())} of which were cut "
                f"short: its code {CUT_SHORT[verdict]}. Let it do less."
            )
        if time.monotonic() - self._began > MOST_SECONDS:
            raise GivenUpError(
                f"Verifying was given up after {self._runs} runs and {MOST_SECONDS:.0f} seconds. Give the parameters "
                "fewer values, or let the snippet do less."
            )
        if time.monotonic() - self._noted > NOTED_EVERY_S:
            self._note()
        return job

    def _patiently(self, programs: Sequence[Program]) -> JobResult:
        """Run programs when there is room: what people wait for comes first."""
        for _ in range(MOST_BUSY):
            try:
                return self._livecheck.run(programs)
            except SandboxBusyError:
                time.sleep(BUSY_S)
        return self._livecheck.run(programs)

    def _note(self) -> None:
        self._noted = time.monotonic()
        with self._database.writing() as session:
            row = session.get_one(TeamItem, self._item_id)
            row.runs = self._runs
            if row.archived_at is not None:
                raise GivenUpError("It was archived while it was being verified.")
