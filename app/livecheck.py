"""The only caller of the sandbox: a variant becomes programs, their results become a key with its evidence.

An item whose run contradicts its file, or whose kept verification has errors, is *withheld*: it is not issued until
file and run agree. What was learnt is kept in memory by content hash, so that an edited item is judged anew. An item
is *in doubt* while none of its variants could be run to an end.

The sandbox can be away, or stand still. Pages ask for its health on every request, so they are given what is known and
never wait: one thread at a time asks, with a short limit. Runs are waited for, by as many requests at once as there are
places; the next one is told to come back, so that the rest of the site keeps its threads.
"""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

import structlog

from app.bank.catalog import Bank
from app.bank.evidence import Reading
from app.bank.item import Item
from app.bank.plans import plan
from app.bank.probing import read
from app.bank.variants import Variant, content_hash, draw
from app.errors import ConflictError, GradproofError, UnavailableError
from app.sandbox.client import RETRY_AFTER_S, RETRY_S, SandboxAwayError, SandboxBusyError, SandboxClient
from app.sandbox.protocol import Health, JobResult, Program, Verdict

log = structlog.get_logger()

State: TypeAlias = Literal["verified", "withheld", "not checked yet"]
Versions: TypeAlias = tuple[str, str]
"""What a sandbox runs: torch and python."""

HEALTH_SECONDS = 2.0
SHOW_S = 10.0  # the longest a page waits for the run of the variant it wants to show
PLACES = 16  # requests that may wait for the sandbox at once
PLACES_TO_SHOW = 8  # of these, for pages that only want to show an item
BROKEN = {Verdict.INTERNAL, Verdict.KILLED, Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT}
CUT_SHORT = "Its run was cut short. It is run again when somebody opens it."
OUR_FAULT = "Checking it failed for a reason that lies with this site. It was logged."
RECORDED = "Its kept verification found errors: gradproof bank verify lists them."


class ItemWithheldError(ConflictError):
    """The item is not asked; `reading` says where its run contradicts its file, where a run of now showed it."""

    title = "This item is withheld"

    def __init__(self, reading: Reading | None = None) -> None:
        super().__init__(
            "Verification found that this item is not right yet, so it is not asked."
            if reading is None
            else "What the run shows differs from what the file of this item expects, so it is not asked."
        )
        self.reading = reading


class CheckBrokenError(UnavailableError):
    """A run of the live check did not end as a run should, so there is no key to grade by."""

    title = "The live check did not finish"


class LiveCheck:
    """Runs variants in the sandbox and remembers which agreed and which items are withheld. Thread-safe.

    `failed` are the content hashes of items whose kept verification has errors, by what it ran on.
    """

    def __init__(self, client: SandboxClient, failed: Mapping[Versions, frozenset[str]] | None = None) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._failed = failed or {}
        self._versions: Versions = ("", "")
        self._withheld: dict[str, Reading] = {}
        self._agreed: dict[str, dict[str, int]] = {}  # by content hash: values of parameters, and a sub-seed for them
        self._doubts: dict[str, str] = {}
        self._health = Health("starting")
        self._asked_at = 0.0
        self._asking = threading.Lock()
        self._places = threading.BoundedSemaphore(PLACES)
        self._places_to_show = threading.BoundedSemaphore(PLACES_TO_SHOW)

    def run(self, programs: Sequence[Program], *, wait_s: float = RETRY_S, answer_s: float | None = None) -> JobResult:
        """Run programs as they are, for who reads the results by themselves; raises as `SandboxClient.run` does."""
        with _place(self._places):
            job = self._client.run(programs, wait_s=wait_s, answer_s=answer_s)
        self._versions = (job.torch, job.python)
        return job

    def check(self, variant: Variant, *, wait_s: float = RETRY_S, answer_s: float | None = None) -> Reading:
        """Run `variant` now and return what was read; a sandbox that is away is waited for, for up to `wait_s` seconds.

        Raises `SandboxAwayError`, `SandboxBusyError`, `CheckBrokenError`, or `ItemWithheldError` where the run
        contradicts the file.
        """
        try:
            reading = self.observe(variant, wait_s=wait_s, answer_s=answer_s)
        except CheckBrokenError:
            self.doubt(variant.content_hash, CUT_SHORT)
            raise
        self._remember(variant, reading)
        self._refuse_withheld(variant.content_hash)
        return reading

    def observe(self, variant: Variant, *, wait_s: float = RETRY_S, answer_s: float | None = None) -> Reading:
        """Run `variant` now and return what was read, whether it agrees or not; nothing is learnt of its item.

        Raises `SandboxAwayError`, `SandboxBusyError` or `CheckBrokenError`.
        """
        planned = plan(variant)
        job = self.run(planned.programs, wait_s=wait_s, answer_s=answer_s)
        broken = next((result for result in job.results if result.verdict in BROKEN), None)
        if broken is not None:
            log.warning("check_broken", item=variant.item.id, verdict=broken.verdict, reason=broken.reason)
            raise CheckBrokenError(
                "A run in the sandbox was cut short, so nothing was graded or stored. What you entered is kept: press "
                "again."
            )
        return read(variant, planned, job)

    def assure(self, variant: Variant) -> None:
        """Check a variant that is about to be shown, unless the same one agreed before; never wait for a sandbox away.

        Raises as `check` does.
        """
        self._refuse_withheld(variant.content_hash)
        with self._lock:
            if _values(variant) in self._agreed.get(variant.content_hash, {}):
                return
        # One that stands still would take its time to say nothing; that it came back is noticed here.
        if self.health().state == "unavailable" and self.refresh_health().state == "unavailable":
            raise SandboxAwayError(self._health.message, retry_after=RETRY_AFTER_S)
        with _place(self._places_to_show):
            self.check(variant, wait_s=0, answer_s=SHOW_S)

    def sub_seed_that_agreed(self, content_hash: str) -> int | None:
        """Return a sub-seed whose variant was run and agreed, the latest such; `None` where there is none."""
        with self._lock:
            agreed = self._agreed.get(content_hash)
            return None if agreed is None else next(reversed(agreed.values()))

    def doubt(self, content_hash: str, why: str) -> None:
        """Note that no variant of an item could be run to an end, with a sentence for a person."""
        with self._lock:
            self._doubts[content_hash] = why

    def doubts(self) -> Mapping[str, str]:
        """Return the items in doubt by content hash, with why: none of which a variant agreed."""
        with self._lock:
            return {digest: why for digest, why in self._doubts.items() if digest not in self._agreed}

    def state_of(self, content_hash: str) -> State:
        """Say what is known of an item as its file is now: nothing, that a variant agreed, or that one did not."""
        with self._lock:
            if content_hash in self._withheld or self._is_recorded(content_hash):
                return "withheld"
            return "verified" if content_hash in self._agreed else "not checked yet"

    def may_issue(self, content_hash: str) -> bool:
        """Say whether nothing is known against asking an item."""
        return self.state_of(content_hash) != "withheld"

    def withheld(self) -> Mapping[str, Reading | None]:
        """Return the withheld items by content hash, with what was read where a run showed it."""
        with self._lock:
            return {**dict.fromkeys(self._failed.get(self._versions, ())), **self._withheld}

    def _is_recorded(self, content_hash: str) -> bool:
        return content_hash in self._failed.get(self._versions, ())

    def _refuse_withheld(self, content_hash: str) -> None:
        with self._lock:
            reading = self._withheld.get(content_hash)
            recorded = self._is_recorded(content_hash)
        if reading is not None or recorded:
            raise ItemWithheldError(reading)

    def health(self) -> Health:
        """Return what is known of the sandbox's health and never wait; what is over two seconds old is asked anew."""
        if time.monotonic() - self._asked_at > HEALTH_SECONDS and self._asking.acquire(blocking=False):
            try:
                threading.Thread(target=self._ask_health, name="sandbox-health", daemon=True).start()
            except RuntimeError:  # no thread is to be had now; the next page tries again
                self._asking.release()
        return self._health

    def refresh_health(self) -> Health:
        """Ask for the health now and return it; who asks meanwhile shares the answer. Never raises.

        Waits for a few seconds at most.
        """
        before = self._asked_at
        with self._asking:
            return self._ask() if self._asked_at == before else self._health

    def _ask_health(self) -> None:
        try:
            self._ask()
        finally:
            self._asking.release()

    def _ask(self) -> Health:
        try:
            health = self._client.health()
        except GradproofError as error:
            health = Health("unavailable", message=error.message)
        if health.torch:
            self._versions = (health.torch, health.python)
        self._health, self._asked_at = health, time.monotonic()
        return health

    def _remember(self, variant: Variant, reading: Reading) -> None:
        digest = variant.content_hash
        with self._lock:
            if reading.agrees:
                self._agreed.setdefault(digest, {})[_values(variant)] = variant.sub_seed
            else:
                self._withheld[digest] = reading
        if not reading.agrees:
            log.error("item_withheld", item=variant.item.id)


@contextmanager
def _place(places: threading.BoundedSemaphore) -> Iterator[None]:
    if not places.acquire(blocking=False):
        raise SandboxBusyError(
            "Many checks are running at the moment. Nothing was stored; press again in a moment.", retry_after=2
        )
    try:
        yield
    finally:
        places.release()


def _values(variant: Variant) -> str:
    values: dict[str, Any] = variant.parameters
    return repr(sorted(values.items()))


READY_EVERY_S = 0.25
TRIES = 3


def check_bank(livecheck: LiveCheck, bank: Bank, stop: threading.Event) -> None:
    """Check one variant of every item, as soon as the sandbox is ready and whenever it is ready again.

    An item that cannot be checked is logged and the others go on. Ends soon after `stop` is set.
    """
    for item in bank.items.values():
        for _ in range(TRIES):
            if not _ready(livecheck, stop):
                return
            if _settle(livecheck, item):
                break
            stop.wait(READY_EVERY_S)


def _ready(livecheck: LiveCheck, stop: threading.Event) -> bool:
    """Wait until the sandbox is ready, and say so; `False` where `stop` was set."""
    while not stop.is_set():
        if livecheck.refresh_health().state == "ready":
            return True
        stop.wait(READY_EVERY_S)
    return False


def _settle(livecheck: LiveCheck, item: Item) -> bool:
    """Check one variant; `False` where it is worth another try."""
    try:
        livecheck.assure(draw(item, 0))
    except ItemWithheldError as error:
        if error.reading is None:  # one that a run shows is logged where it is found
            log.warning("item_withheld", item=item.id, reason=RECORDED)
    except UnavailableError as error:
        log.warning("item_not_checked", item=item.id, reason=error.message)
        return False
    except Exception:  # the edge of a thread: what one item breaks must not leave the others unchecked
        log.exception("item_not_checked", item=item.id)
        livecheck.doubt(content_hash(item), OUR_FAULT)
    return True
