"""The whole bank, item by item: run what no record answers, keep the records, judge what items say of each other.

`verify` is given a function that runs programs, so that this room knows no sandbox. What it cannot judge (the prose,
whether a question is worth asking) stays with the author; what it leaves out it says in `Report.not_run`.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from statistics import mean
from typing import TypeAlias

from app.bank.catalog import Bank
from app.bank.examining import ALONE, examine
from app.bank.item import Item
from app.bank.lab import Run
from app.bank.reports import ItemReport, Report
from app.bank.similar import doubles
from app.bank.variants import content_hash
from app.bank.verified import Circumstances, Records, circumstances
from app.sandbox.protocol import BareForks

Progress: TypeAlias = Callable[[int, int, str], None]
Bare: TypeAlias = Callable[[], BareForks | None]

THREADS = 4  # items worked on at once: the end of one's job leaves no processor idle
ROUNDS = 5
DEFAULT_LIMIT = 64
QUIZ_LIMIT = 0.5  # the most that knowing one key may be worth where a quiz counts on nobody knowing it
ANY, OPEN_BOOK, NO = "any", "open book", "no"


@dataclass(frozen=True, slots=True)
class Cache:
    """Records to answer from (`fresh` asks none of them) and the circumstances that this run will be under."""

    records: Records
    under: Circumstances
    fresh: bool = False

    def find(self, item: Item) -> ItemReport | None:
        """Return the record of an item, or `None`."""
        return None if self.fresh else self.records.find(content_hash(item), self.under)

    def keep(self, report: ItemReport) -> None:
        """Keep what an item's runs showed, under the torch and python they were made with."""
        if report.torch:
            self.records.keep(report, circumstances(report.torch, report.python, self.under.limit))


def verify(
    bank: Bank,
    run: Run,
    ids: Iterable[str] | None = None,
    *,
    limit: int = DEFAULT_LIMIT,
    progress: Progress | None = None,
    cache: Cache | None = None,
    bare: Bare | None = None,
) -> Report:
    """Run the items of `ids` (all if `None`) and report what is wrong with them.

    Every variant is run up to `limit` per item, then a seeded sample of that many. `run` is called from several threads
    with at most 16 programs; what it raises is raised here. `progress` hears (items done, items in all, item id).
    `bare` measures bare forks; it is called now and then while nothing runs.
    """
    report = Report()
    wanted = list(bank.items) if ids is None else list(dict.fromkeys(ids))
    items = {item_id: item for item_id in wanted if (item := bank.get(item_id)) is not None}
    found = {item_id: known for item_id, item in items.items() if cache and (known := cache.find(item))}
    report.cached = list(found)
    for made in _examined([item for name, item in items.items() if name not in found], run, limit, report, bare):
        found[made.item] = made
        if cache is not None:
            cache.keep(made)
        if progress is not None:
            progress(len(found), len(items), made.item)
    _judge_bank(bank, wanted, report, whole=ids is None)
    moved = cache.records.moved() if cache is not None else {}
    for item_id, item in items.items():
        report.take(found[item_id])
        report.quiz[item_id] = quiz_use(item, found[item_id], moved)
    _say_what_was_left_out(report)
    return report


def verify_alone(item: Item, run: Run, cache: Cache) -> tuple[ItemReport, str]:
    """Return what the runs of one item showed, or its record, and the quizzes it may serve in (`quiz_use`).

    Everything happens in the thread that calls, so that it ends with it; what `run` raises is raised here. Errors are
    not kept: they are told at once, and another run is worth more than the memory of one that a busy machine cut short.
    """
    report = cache.find(item)
    if report is None:
        report = examine(item, run, cache.under.limit)
        if not report.errors:
            cache.keep(report)
    return report, quiz_use(item, report, cache.records.moved())


def _examined(items: Sequence[Item], run: Run, limit: int, report: Report, bare: Bare | None) -> Iterator[ItemReport]:
    """Yield the report of each item as it is done, some at a time, in rounds with bare forks in between."""
    rates: list[BareForks] = []
    size = max(1, -(-len(items) // ROUNDS))
    with ThreadPoolExecutor(THREADS) as pool:
        for start in range(0, len(items), size):
            rates += [rate] if bare is not None and (rate := bare()) is not None else []
            since = time.monotonic()
            waiting = [pool.submit(examine, item, run, limit) for item in items[start : start + size]]
            try:
                for done in as_completed(waiting):
                    yield done.result()
            finally:
                for one in waiting:
                    one.cancel()
            report.seconds += time.monotonic() - since
    if rates:
        report.bare = BareForks(mean(one.running_per_s for one in rates), mean(one.ending_per_s for one in rates))


def _judge_bank(bank: Bank, wanted: Sequence[str], report: Report, *, whole: bool) -> None:
    """Report what is wrong with files, ids and pairs of items; never kept, since it depends on the other items."""
    for problem in bank.problems if whole else ():
        report.error(problem.file, f"line {problem.line}: {problem.field}: {problem.message}")
    for item_id in wanted:
        if bank.get(item_id) is None:
            report.error(item_id, "The bank has no item of this id. Correct the id, or the problems of its file.")
    for item_id, sentence in doubles(bank.items.values()):
        if item_id in wanted:
            report.suspect(item_id, sentence)


def _say_what_was_left_out(report: Report) -> None:
    crowded = sum(1 for count in report.variants_of.values() if count > ALONE)
    if crowded:
        report.not_run.append(f"Probes were run alone on {ALONE} variants per item; {crowded} items have more.")


def quiz_use(item: Item, report: ItemReport, moved: Mapping[str, Sequence[str]]) -> str:
    """Return `any`, `open book` (knowing one key is worth too much) or `no`: the quizzes an item may serve in."""
    gone = item.status in ("retracted", "version_dependent") or item.superseded_by is not None
    if report.errors or gone or moved.get(report.content_hash):
        return NO
    return ANY if report.memorisation <= QUIZ_LIMIT else OPEN_BOOK
