"""The only caller of the sandbox: a variant becomes programs, their results become a key with its evidence.

An item whose run contradicts its file is *withheld*: it is not issued until file and run agree. What was learnt is
kept in memory by content hash, so that an edited item is judged anew.
"""

import threading
import time
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import structlog

from app.bank.catalog import Bank
from app.bank.evidence import Reading
from app.bank.probing import plan, read
from app.bank.variants import Variant, draw
from app.errors import ConflictError, UnavailableError
from app.sandbox.client import SandboxClient
from app.sandbox.protocol import Health, JobResult, Program, Verdict

log = structlog.get_logger()

State: TypeAlias = Literal["verified", "withheld", "not checked yet"]

HEALTH_SECONDS = 2.0
BROKEN = {Verdict.INTERNAL, Verdict.KILLED, Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT}


class ItemWithheldError(ConflictError):
    """The run contradicts the item's file; `reading` says where."""

    title = "This item is withheld"

    def __init__(self, reading: Reading) -> None:
        super().__init__("What the run shows differs from what the file of this item expects, so it is not asked.")
        self.reading = reading


class CheckBrokenError(UnavailableError):
    """A run of the live check did not end as a run should, so there is no key to grade by."""

    title = "The live check did not finish"


class LiveCheck:
    """Runs variants in the sandbox and remembers which agreed and which items are withheld. Thread-safe."""

    def __init__(self, client: SandboxClient) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._withheld: dict[str, Reading] = {}
        self._confirmed: set[str] = set()
        self._health: tuple[float, Health] = (0.0, Health("starting"))

    def run(self, programs: Sequence[Program]) -> JobResult:
        """Run programs as they are; for `bank verify`, which reads the results itself."""
        return self._client.run(programs)

    def check(self, variant: Variant) -> Reading:
        """Run `variant` now and return what was read.

        Raises `SandboxAwayError`, `SandboxBusyError`, `CheckBrokenError`, or `ItemWithheldError` where the run
        contradicts the file.
        """
        planned = plan(variant)
        job = self._client.run(planned.programs)
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
        """Check a variant that is about to be shown, unless the same one agreed before.

        Raises as `check` does.
        """
        with self._lock:
            withheld = self._withheld.get(variant.content_hash)
            confirmed = _identity(variant) in self._confirmed
        if withheld is not None:
            raise ItemWithheldError(withheld)
        if not confirmed:
            self.check(variant)

    def state_of(self, content_hash: str) -> State:
        """Say what is known of an item as its file is now: nothing, that a variant agreed, or that one did not."""
        with self._lock:
            if content_hash in self._withheld:
                return "withheld"
            agreed = any(one.startswith(f"{content_hash} ") for one in self._confirmed)
        return "verified" if agreed else "not checked yet"

    def withheld(self) -> dict[str, Reading]:
        """Return the withheld items' readings by content hash."""
        with self._lock:
            return dict(self._withheld)

    def health(self) -> Health:
        """Return the sandbox's health, at most two seconds old; never raises."""
        taken_at, health = self._health
        if time.monotonic() - taken_at > HEALTH_SECONDS:
            try:
                health = self._client.health()
            except UnavailableError as error:
                health = Health("unavailable", message=error.message)
            self._health = (time.monotonic(), health)
        return health

    def _remember(self, variant: Variant, reading: Reading) -> None:
        with self._lock:
            if reading.agrees:
                self._confirmed.add(_identity(variant))
            else:
                self._withheld[variant.content_hash] = reading
        if not reading.agrees:
            log.error("item_withheld", item=variant.item.id)


def _identity(variant: Variant) -> str:
    values: dict[str, Any] = variant.parameters
    return f"{variant.content_hash} {sorted(values.items())!r}"


def check_bank(livecheck: LiveCheck, bank: Bank) -> int:
    """Check one variant of every item and return how many are withheld; stops early where the sandbox is away."""
    for item in bank.items.values():
        try:
            livecheck.assure(draw(item, 0))
        except ItemWithheldError:
            continue
        except UnavailableError as error:
            log.warning("bank_check_stopped", reason=error.message)
            break
    return len(livecheck.withheld())
