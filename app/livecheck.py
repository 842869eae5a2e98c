"""The only caller of the sandbox: a variant becomes programs, their results become a key with its evidence.

An item whose run contradicts its file, or whose kept verification has errors, is *withheld*: it is not issued until
file and run agree. What was learnt is kept in memory by content hash, so that an edited item is judged anew.

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
from app.bank.probing import plan, read
from app.bank.variants import Variant, draw
from app.errors import ConflictError, GradproofError, UnavailableError
from app.sandbox.client import RETRY_S, SandboxBusyError, SandboxClient
from app.sandbox.protocol import Health, JobResult, Program, Verdict

log = structlog.get_logger()

State: TypeAlias = Literal["verified", "withheld", "not checked yet"]

HEALTH_SECONDS = 2.0
PLACES = 16  # requests that may wait for the sandbox at once
PLACES_TO_SHOW = 8  # of these, for pages that only want to show an item
BROKEN = {Verdict.INTERNAL, Verdict.KILLED, Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT}


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

    `failed` are content hashes of items whose kept verification has errors.
    """

    def __init__(self, client: SandboxClient, failed: frozenset[str] = frozenset()) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._failed = failed
        self._withheld: dict[str, Reading] = {}
        self._confirmed: dict[str, set[str]] = {}
        self._health = Health("starting")
        self._asked_at = 0.0
        self._asking = threading.Lock()
        self._places = threading.BoundedSemaphore(PLACES)
        self._places_to_show = threading.BoundedSemaphore(PLACES_TO_SHOW)

    def run(self, programs: Sequence[Program], *, wait_s: float = RETRY_S) -> JobResult:
        """Run programs as they are, for who reads the results by themselves; raises as `SandboxClient.run` does."""
        with _place(self._places):
            return self._client.run(programs, wait_s=wait_s)

    def check(self, variant: Variant, *, wait_s: float = RETRY_S) -> Reading:
        """Run `variant` now and return what was read; a sandbox that is away is waited for, for up to `wait_s` seconds.

        Raises `SandboxAwayError`, `SandboxBusyError`, `CheckBrokenError`, or `ItemWithheldError` where the run
        contradicts the file.
        """
        planned = plan(variant)
        job = self.run(planned.programs, wait_s=wait_s)
        broken = next((result for result in job.results if result.verdict in BROKEN), None)
        if broken is not None:
            log.warning("check_broken", item=variant.item.id, verdict=broken.verdict, reason=broken.reason)
            raise CheckBrokenError(
                "A run in the sandbox was cut short, so nothing was graded or stored. What you entered is below: "
                "press again."
            )
        reading = read(variant, planned, job)
        self._remember(variant, reading)
        if not reading.agrees:
            raise ItemWithheldError(reading)
        return reading

    def assure(self, variant: Variant) -> None:
        """Check a variant that is about to be shown, unless the same one agreed before; never wait for a sandbox away.

        Raises as `check` does.
        """
        with self._lock:
            withheld = self._withheld.get(variant.content_hash)
            confirmed = _values(variant) in self._confirmed.get(variant.content_hash, ())
        if withheld is not None or variant.content_hash in self._failed:
            raise ItemWithheldError(withheld)
        if not confirmed:
            with _place(self._places_to_show):
                self.check(variant, wait_s=0)

    def state_of(self, content_hash: str) -> State:
        """Say what is known of an item as its file is now: nothing, that a variant agreed, or that one did not."""
        with self._lock:
            if content_hash in self._withheld or content_hash in self._failed:
                return "withheld"
            return "verified" if content_hash in self._confirmed else "not checked yet"

    def may_issue(self, content_hash: str) -> bool:
        """Say whether nothing is known against asking an item."""
        return self.state_of(content_hash) != "withheld"

    def withheld(self) -> Mapping[str, Reading | None]:
        """Return the withheld items by content hash, with what was read where a run showed it."""
        with self._lock:
            return {**dict.fromkeys(self._failed), **self._withheld}

    def health(self) -> Health:
        """Return what is known of the sandbox's health and never wait; what is over two seconds old is asked anew."""
        if time.monotonic() - self._asked_at > HEALTH_SECONDS and self._asking.acquire(blocking=False):
            threading.Thread(target=self._ask_health, name="sandbox-health", daemon=True).start()
        return self._health

    def refresh_health(self) -> Health:
        """Ask for the health now and return it; waits for about a second at most, and never raises."""
        with self._asking:
            return self._ask()

    def _ask_health(self) -> None:
        try:
            self._ask()
        finally:
            self._asking.release()

    def _ask(self) -> Health:
        try:
            self._health = self._client.health()
        except GradproofError as error:
            self._health = Health("unavailable", message=error.message)
        self._asked_at = time.monotonic()
        return self._health

    def _remember(self, variant: Variant, reading: Reading) -> None:
        with self._lock:
            if reading.agrees:
                self._confirmed.setdefault(variant.content_hash, set()).add(_values(variant))
            else:
                self._withheld[variant.content_hash] = reading
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


def check_bank(livecheck: LiveCheck, bank: Bank, stop: threading.Event) -> int:
    """Check one variant of every item as soon as the sandbox is ready, and return how many items are withheld.

    An item that cannot be checked is logged and the others go on; ends soon after `stop` is set.
    """
    for item in bank.items.values():
        while livecheck.refresh_health().state != "ready":
            if stop.wait(READY_EVERY_S):
                return len(livecheck.withheld())
        if stop.is_set():
            break
        _check_item(livecheck, item)
    return len(livecheck.withheld())


def _check_item(livecheck: LiveCheck, item: Item) -> None:
    try:
        livecheck.assure(draw(item, 0))
    except ItemWithheldError:
        return  # logged where it was found
    except GradproofError as error:
        log.warning("item_not_checked", item=item.id, reason=error.message)
