"""A share of checks for each person and each address."""

import threading
from collections.abc import Iterator

import httpx
import pytest

from app.errors import TooManyRequestsError
from app.settings import Settings
from app.web.limiter import Limiter, Rate
from tests.fakes import FakeSandbox
from tests.live import LiveSite, form_of, running, words_of


@pytest.fixture
def strict(settings: Settings, fake: FakeSandbox) -> Iterator[LiveSite]:
    with running(settings.model_copy(update={"reveals_burst": 5, "reveals_per_minute": 30}), fake) as site:
        yield site


@pytest.mark.parametrize("known", [True, False])
def test_ten_reveals_at_once_are_more_than_a_share(strict: LiveSite, known: bool) -> None:
    first = strict.visitor()
    openers = [first if known else strict.visitor() for _ in range(10)]
    forms = [form_of(opener.get("/practice/two-walks")) for opener in openers]
    cookies = dict(first.cookies) if known else {}
    statuses: list[int] = []
    texts: list[str] = []

    def send(number: int) -> None:
        with httpx.Client(base_url=strict.url, cookies=cookies, timeout=30) as visitor:
            response = visitor.post(forms[number].action, data=forms[number].filled())
            statuses.append(response.status_code)
            if response.status_code == 429:
                assert int(response.headers["retry-after"]) >= 1
                assert form_of(response).fields["token"] == forms[number].fields["token"]
                texts.append(words_of(response))

    threads = [threading.Thread(target=send, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(statuses) == 10
    assert set(statuses) == {303, 429}
    assert statuses.count(303) <= 6
    assert all("press again in" in text for text in texts)


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limiter(clock: Clock) -> Limiter:
    return Limiter(clock)


def admitted(limiter: Limiter, *shares: tuple[str, Rate]) -> int:
    """Return how many are admitted at this moment before one is refused."""
    for count in range(100):
        try:
            limiter.admit(*shares)
        except TooManyRequestsError:
            return count
    return 100


def test_share_comes_back_as_time_passes_and_never_exceeds_its_size(limiter: Limiter, clock: Clock) -> None:
    share = ("ada", Rate(burst=3, per_minute=6))
    assert admitted(limiter, share) == 3
    clock.seconds += 9.9
    assert admitted(limiter, share) == 0
    clock.seconds += 0.1
    assert admitted(limiter, share) == 1
    clock.seconds += 20
    assert admitted(limiter, share) == 2
    clock.seconds += 24 * 3600
    assert admitted(limiter, share) == 3


def test_wait_that_is_named_is_enough(limiter: Limiter, clock: Clock) -> None:
    share = ("ada", Rate(burst=1, per_minute=7))
    limiter.admit(share)
    with pytest.raises(TooManyRequestsError) as refused:
        limiter.admit(share)
    assert refused.value.retry_after == 9  # 60 / 7 seconds, in whole ones
    assert "press again in 9 seconds" in refused.value.message
    clock.seconds += 9
    limiter.admit(share)


def test_one_that_is_refused_by_one_share_takes_nothing_from_the_other(limiter: Limiter) -> None:
    person, address = ("person", Rate(1, 1)), ("address", Rate(3, 1))
    assert admitted(limiter, person, address) == 1
    assert admitted(limiter, address) == 2


def test_key_not_seen_for_longest_is_forgotten_first(limiter: Limiter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.web.limiter.MOST_BUCKETS", 3)
    rate = Rate(1, 1)
    for key in ("a", "b", "c"):
        limiter.admit((key, rate))
    assert admitted(limiter, ("a", rate)) == 0  # refused, and seen again
    limiter.admit(("d", rate))
    assert admitted(limiter, ("a", rate)) == 0
    assert admitted(limiter, ("b", rate)) == 1
