"""An old attempt's variant run once more: what its run showed then beside what one shows now. Nothing is stored.

What is compared is pure data of two readings of the same frozen variant, so it says what changed in between: torch or
Python, and nothing of the item, whose file may be another one by now.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from app.bank.evidence import Key, OptionSeen, Reading, read_reading
from app.bank.item import EdgeCase, Item
from app.bank.showing import show_observation
from app.bank.variants import Variant, from_json
from app.grading.grade import Outcome, Response, grade
from app.livecheck import LiveCheck
from app.models import Attempt
from app.sandbox.protocol import Observation, RunResult

NOT_OBSERVED = "not observed"
NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Kept:
    """An attempt read back into the objects it was made of, so that no transaction need be open any more."""

    variant: Variant
    response: Response
    outcome: Outcome
    reading: Reading


def kept_of(attempt: Attempt) -> Kept:
    """Read a stored attempt."""
    return Kept(
        from_json(attempt.variant),
        Response.from_json(attempt.response),
        Outcome.from_json(attempt.outcome),
        read_reading(attempt.reading),
    )


@dataclass(frozen=True, slots=True)
class Compared:
    """One thing that was observed, then and now; `code` is the expression that was asked, where there was one."""

    what: str
    code: str
    then: str
    now: str

    @property
    def differs(self) -> bool:
        """Say whether then and now are not the same."""
        return self.then != self.now


class Change(StrEnum):
    """What a run of today says of the answer of then."""

    NONE = "none"
    OBSERVED = "observed"  # something was observed otherwise, and the answer is the same
    ANSWER = "answer"  # another answer is right now


@dataclass(frozen=True, slots=True)
class ThenAndNow:
    """Two readings of one variant, row by row, and what the same response earns now."""

    then: Reading
    now: Reading
    rows: tuple[Compared, ...]
    right_then: bool
    right_now: bool

    @property
    def change(self) -> Change:
        """Return what changed, the answer before anything else."""
        if answer_of(self.then.key) != answer_of(self.now.key):
            return Change.ANSWER
        return Change.OBSERVED if any(row.differs for row in self.rows) else Change.NONE


def run_again(livecheck: LiveCheck, kept: Kept) -> ThenAndNow:
    """Run an attempt's variant now; no transaction may be open. Raises what `LiveCheck.observe` raises."""
    return compare(kept, livecheck.observe(kept.variant))


def compare(kept: Kept, now: Reading) -> ThenAndNow:
    """Return a stored attempt beside a reading of now."""
    outcome = grade(kept.response, now.key)
    rows = tuple(_rows(kept.variant.item, kept.reading, now))
    return ThenAndNow(kept.reading, now, rows, kept.outcome.all_right, outcome.all_right)


def answer_of(key: Key) -> tuple[object, ...]:
    """Return what a key holds, in a form that compares: the order of options is none of it."""
    right = tuple(sorted((part, tuple(sorted(options))) for part, options in key.right.items()))
    return right, tuple(map(show_observation, key.values))


def _rows(item: Item, then: Reading, now: Reading) -> Iterator[Compared]:
    yield Compared("The snippet", "", ended(then.evidence.runs), ended(now.evidence.runs))
    before, after = (printed(one.evidence.runs) for one in (then, now))
    if (before, after) != (NOTHING, NOTHING):
        yield Compared("It printed", "", before, after)
    if isinstance(item, EdgeCase):
        for place, ask in enumerate(item.asks):
            yield Compared("", ask, _value(then.key.values, place), _value(now.key.values, place))
    yield from _options(then, now)
    for code, seen in then.evidence.quoted.items():
        yield Compared("", code, show_observation(seen), _shown(now.evidence.quoted.get(code)))


def _options(then: Reading, now: Reading) -> Iterator[Compared]:
    after = {(one.part, one.option): one for one in now.evidence.options}
    for one in then.evidence.options:
        row = Compared(
            f"{one.part.replace('-', ' ')} {one.option}".capitalize(),
            one.probe,
            held(one, then.key),
            held(after.get((one.part, one.option)), now.key),
        )
        # Of the many lines of a snippet only those are worth a row that are, or have become, culprits.
        if one.part != "culprit" or row.differs or one.option in then.key.right["culprit"]:
            yield row


def ended(runs: Iterable[RunResult]) -> str:
    """Return how the first of some runs ended."""
    run = next(iter(runs), None)
    if run is None:
        return NOT_OBSERVED
    if run.exception is None:
        return "ran to its end" if run.verdict == "ok" else f"ended early ({run.reason or run.verdict})"
    line = f" in line {run.exception.line}" if run.exception.line else ""
    message = run.exception.message.strip().partition("\n")[0]
    return f"{run.exception.type}{line}{': ' if message else ''}{message}"


def printed(runs: Iterable[RunResult]) -> str:
    """Return what the first of some runs printed."""
    return next((run.stdout.rstrip() for run in runs), "") or NOTHING


def held(seen: OptionSeen | None, key: Key) -> str:
    """Return what was seen of an option: whether it is in the key, and the values its probe looked at."""
    if seen is None:
        return NOT_OBSERVED
    in_key = "right" if seen.option in key.right.get(seen.part, ()) else "not right"
    values = " and ".join(_shown(one.observation) for one in seen.seen if one.expression != seen.probe)
    undecided = ", could not be told" if seen.holds is None else ""
    return f"{in_key}{undecided}{': ' if values else ''}{values}"


def _value(values: tuple[Observation, ...], place: int) -> str:
    return _shown(values[place] if place < len(values) else None)


def _shown(observation: Observation | None) -> str:
    return NOT_OBSERVED if observation is None else show_observation(observation)
