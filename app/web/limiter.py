"""A share for each person, address and API key: token buckets in memory, per process."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from app.errors import TooManyRequestsError

MOST_BUCKETS = 20_000
TOO_MANY_CHECKS = (
    "That is more checks at once than one person's share. Nothing was stored and what you entered is kept: press again "
    "in {wait}."
)


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `burst` at once, then `per_minute`."""

    burst: int
    per_minute: int


@dataclass(slots=True)
class Bucket:
    """How much of a share is left, and when that was true."""

    left: float
    at: float


class Limiter:
    """Counts by key; forgets the keys that were not seen for longest, so that its memory is bounded. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def admit(self, *shares: tuple[str, Rate], sentence: str = TOO_MANY_CHECKS) -> None:
        """Take one from each share, or none at all.

        Raises `TooManyRequestsError` with `sentence`, in which `{wait}` is how long to wait.
        """
        with self._lock:
            buckets = [self._bucket(key, rate) for key, rate in shares]
            waits = [
                (1 - bucket.left) * 60 / rate.per_minute for bucket, (_, rate) in zip(buckets, shares, strict=True)
            ]
            wait = max(waits)
            if wait > 0:
                seconds = int(wait) + 1
                words = f"{seconds} second{'s' if seconds > 1 else ''}"
                raise TooManyRequestsError(sentence.format(wait=words), retry_after=seconds)
            for bucket in buckets:
                bucket.left -= 1

    def _bucket(self, key: str, rate: Rate) -> Bucket:
        now = self._clock()
        bucket = self._buckets.pop(key, None) or Bucket(rate.burst, now)
        bucket.left = min(rate.burst, bucket.left + (now - bucket.at) * rate.per_minute / 60)
        bucket.at = now
        self._buckets[key] = bucket
        while len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        return bucket
