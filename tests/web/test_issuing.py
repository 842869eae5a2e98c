"""What the site offers and shows: only what was run and agreed, and why for everything else."""

import time
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.bank.variants import draw
from app.sandbox.client import SandboxAwayError, SandboxBusyError
from app.sandbox.protocol import JobResult, Verdict
from app.settings import Settings
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox
from tests.live import LiveSite, form_of, running, words_of

WRONG = {"verdict": True, "reason": 2}


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", bank_items())})


def bank_items() -> dict[str, dict[str, Any]]:
    """Return the items of tests, one of them wrong, one withdrawn and one replaced."""
    items = deepcopy(ITEMS)
    items["two-walks"]["expect"] = WRONG
    items["a-choice-of-values"]["status"] = "retracted"
    items["a-late-change"]["superseded_by"] = "three-leaves"
    return items


def test_withheld_item_is_not_offered_anywhere(live: LiveSite, visitor: httpx.Client) -> None:
    link = 'href="/practice/two-walks"'
    assert link in visitor.get("/practice").text
    assert link in visitor.get("/").text
    assert visitor.get("/practice/two-walks").status_code == 409
    for path in ("/", "/practice", "/topics/basics", "/practice?kind=true_false"):
        page = visitor.get(path)
        assert page.status_code == 200
        assert link not in page.text, path


def test_next_leads_past_a_withheld_item_and_keeps_the_filter(visitor: httpx.Client) -> None:
    assert visitor.get("/practice/next?kind=true_false").headers["location"] == "/practice/two-walks?kind=true_false"
    refused = visitor.get("/practice/two-walks")
    assert 'href="/practice/next?after=two-walks"' in refused.text
    assert visitor.get("/practice/next?after=two-walks").headers["location"] != "/practice/two-walks"
    nothing = visitor.get("/practice/next?kind=true_false").headers["location"]
    assert nothing == "/practice?kind=true_false"
    assert "No item matches these filters." in words_of(visitor.get(nothing))


@pytest.mark.parametrize(
    ("query", "expected"), [("kind=why", "a-square-and-more"), ("kind=repair_matrix&level=2", "one-slope-two-bugs")]
)
def test_next_takes_an_item_of_the_filter(visitor: httpx.Client, query: str, expected: str) -> None:
    assert visitor.get(f"/practice/next?{query}").headers["location"] == f"/practice/{expected}?{query}"


def test_next_does_not_lead_to_a_closed_door_again_and_again(visitor: httpx.Client, fake: FakeSandbox) -> None:
    first = visitor.get("/practice/next").headers["location"]

    def cut(job: JobResult) -> JobResult:
        return replace(job, results=tuple(replace(one, verdict=Verdict.TIME_LIMIT) for one in job.results))

    fake.change = cut
    refused = visitor.get(first)
    assert refused.status_code == 503
    assert "its run was cut short" in words_of(refused)
    assert visitor.get("/practice/next").headers["location"] != first
    assert "Its run was cut short." in words_of(visitor.get("/bank"))


def test_item_that_was_never_run_is_not_shown_while_the_sandbox_is_away(
    visitor: httpx.Client, fake: FakeSandbox
) -> None:
    fake.failure = SandboxAwayError("away", retry_after=3)
    started = time.monotonic()
    refused = visitor.get("/practice/three-leaves")
    assert time.monotonic() - started < 5
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) > 0
    assert "This item cannot be shown yet" in words_of(refused)
    assert "Nothing was stored" not in words_of(refused)
    assert 'name="token"' not in refused.text
    assert '<a class="button primary" href="/practice/three-leaves">Try again</a>' in refused.text
    fake.failure = None
    assert visitor.get("/practice/three-leaves").status_code == 200


def test_variant_that_was_run_is_shown_while_the_sandbox_is_away(
    live: LiveSite, visitor: httpx.Client, fake: FakeSandbox
) -> None:
    item = live.site.bank.item("three-leaves")
    run = draw(item, 3)
    live.site.livecheck.check(run)
    fake.failure = SandboxAwayError("away")
    pages = [visitor.get("/practice/three-leaves") for _ in range(20)]
    for page in pages:
        assert page.status_code == 200
        token = live.site.signer.read_form(form_of(page).fields["token"])
        assert draw(item, token.sub_seed).parameters == run.parameters
    assert any("The sandbox is away for the moment" in words_of(page) for page in pages)
    fake.failure = None
    form = form_of(pages[0])
    assert visitor.post(form.action, data=form.filled()).status_code == 303


def edited(settings: Settings, **changes: Any) -> None:
    items = bank_items()
    items["three-leaves"] |= changes
    write_bank(settings.bank, items)


def test_item_edited_into_a_wrong_one_is_not_shown_to_who_had_it_open(settings: Settings, fake: FakeSandbox) -> None:
    with running(settings, fake) as live, live.visitor() as visitor:
        form = form_of(visitor.get("/practice/three-leaves"))
    edited(settings, expect=["7.5", None])
    with running(settings, fake) as live, live.visitor() as visitor:
        refused = visitor.post(form.action, data=form.filled())
        assert refused.status_code == 409
        assert "This item is withheld" in words_of(refused)
        assert 'name="token"' not in refused.text


def test_item_edited_since_is_not_shown_before_it_was_run(settings: Settings, fake: FakeSandbox) -> None:
    with running(settings, fake) as live, live.visitor() as visitor:
        form = form_of(visitor.get("/practice/three-leaves"))
    edited(settings, prompt="Edited since.")
    with running(settings, fake) as live, live.visitor() as visitor:
        fake.failure = SandboxAwayError("away")
        refused = visitor.post(form.action, data=form.filled())
        assert refused.status_code == 503
        assert "What you entered is still there when you go back." in words_of(refused)
        assert "Edited since." not in words_of(refused)
        fake.failure = None
        shown = visitor.post(form.action, data=form.filled())
        assert shown.status_code == 409
        assert "Edited since." in words_of(shown)


def test_busy_sandbox_is_named_as_such(visitor: httpx.Client, fake: FakeSandbox) -> None:
    fake.failure = SandboxBusyError("busy", retry_after=1)
    fake.health = fake.behind.health  # type: ignore[method-assign]  # busy is not away
    words = words_of(visitor.get("/practice/three-leaves"))
    assert "many checks are running at the moment" in words


def test_bank_says_of_every_item_whether_it_is_asked_and_why_not(visitor: httpx.Client, fake: FakeSandbox) -> None:
    visitor.get("/practice/two-walks")
    visitor.get("/practice/three-leaves")
    page = visitor.get("/bank")
    words = words_of(page)
    assert f"1 verified, 1 withheld, {len(ITEMS) - 4} not checked yet, 2 withdrawn" in words
    assert "Another item took its place: Three leaves." in words
    assert "Its author took it back." in words
    assert words.index("Two walks") < words.index("A choice")  # what needs a hand is seen first
    for item in bank_items():
        gone = item in {"a-late-change", "a-choice-of-values"}
        assert (f'href="/practice/{item}"' in page.text) != gone


def test_site_where_everything_is_withheld_says_so(settings: Settings, fake: FakeSandbox, tmp_path: Path) -> None:
    only = {"two-walks": bank_items()["two-walks"]}
    alone = settings.model_copy(update={"bank": write_bank(tmp_path / "alone", only)})
    with running(alone, fake) as live, live.visitor() as visitor:
        visitor.get("/practice/two-walks")
        words = words_of(visitor.get("/practice"))
        assert "No item can be asked at the moment. The bank says why" in words
        assert visitor.get("/").status_code == 200
        assert visitor.get("/practice/next").headers["location"] == "/practice"
