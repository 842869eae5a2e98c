"""What a reveal says of each kind of item, and that it stays as it was."""

import re
from copy import deepcopy
from pathlib import Path

import httpx

from app.settings import Settings
from app.web.dependencies import PROFILE_COOKIE
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox
from tests.live import form_of, running, words_of
from tests.practising import answer, position


def test_right_verdict_and_reason_are_right(visitor: httpx.Client) -> None:
    page = visitor.get("/practice/two-walks")
    reason = position(page, "The second call adds.")
    form = form_of(page)
    response = visitor.post(form.action, data=form.filled(verdict="false", reason=reason, confidence="certain"))
    words = words_of(visitor.get(response.headers["location"]))
    assert "Right: it is false, and for the right reason." in words
    assert "You were certain." in words
    assert "It holds 7.0 at the end." in words


def test_right_verdict_for_a_wrong_reason_says_so_and_names_the_misconception(visitor: httpx.Client) -> None:
    page = visitor.get("/practice/two-walks")
    form = form_of(page)
    reason = position(page, "The second call replaces.")
    response = visitor.post(form.action, data=form.filled(verdict="false", reason=reason))
    words = words_of(visitor.get(response.headers["location"]))
    assert "It is false, as you said, but for another reason." in words
    assert "A call replaces the gradient." in words
    assert "verdict only" in words_of(visitor.get("/history"))


def test_typed_values_are_graded_as_values(visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/three-leaves"))
    response = visitor.post(form.action, data=form.filled(**{"entry-1": "-1", "entry-2": "None"}))
    words = words_of(visitor.get(response.headers["location"]))
    assert "Partly: 1 of 2 values are what the run shows." in words


def test_every_repair_shows_how_its_own_run_ended(visitor: httpx.Client) -> None:
    response = answer(visitor, "a-late-change")
    words = words_of(visitor.get(response.headers["location"]))
    assert "modified by an inplace operation" in words
    assert "ran to its end" in words


def test_own_words_are_kept_and_shown_with_the_rubric(visitor: httpx.Client) -> None:
    response = answer(visitor, "a-square-and-more", own_words="Both <b>paths</b> count.")
    words = words_of(visitor.get(response.headers["location"]))
    assert "Both <b>paths</b> count." in words
    assert "names both paths" in words


def test_each_bug_of_a_matrix_is_answered_and_its_own_runs_are_shown(visitor: httpx.Client) -> None:
    page = visitor.get("/practice/one-slope-two-bugs")
    first, second = page.text.split("The first call keeps nothing.", 1)
    repairs = {
        "bug-1": position(page, "Use the leaf itself."),
        "bug-2": re.findall(r'name="bug-2"[^>]*value="(\w+)"', second.split("Keep the graph.")[0])[-1],
    }
    assert "The leaf is detached." in first
    form = form_of(page)
    response = visitor.post(form.action, data=form.filled(**repairs))
    words = words_of(visitor.get(response.headers["location"]))
    assert "Right: each of your repairs cures its bug." in words
    wrong = answer(visitor, "one-slope-two-bugs", **{"bug-1": "3", "bug-2": "3"})
    words = words_of(visitor.get(wrong.headers["location"]))
    assert "No: none of your repairs cures its bug." in words
    assert "None of these." in words


def test_reveal_stays_as_it_was_when_the_item_is_edited(settings: Settings, fake: FakeSandbox, tmp_path: Path) -> None:
    with running(settings, fake) as live, live.visitor() as visitor:
        address = answer(visitor).headers["location"]
        first = words_of(visitor.get(address))
        cookie = visitor.cookies[PROFILE_COOKIE]
    items = deepcopy(ITEMS)
    items["two-walks"]["title"] = "Renamed since"
    write_bank(settings.bank, items)
    with running(settings, fake) as live, live.visitor() as visitor:
        visitor.cookies.set(PROFILE_COOKIE, cookie)
        assert words_of(visitor.get(address)) == first


def test_reveal_stays_readable_when_the_bank_is_gone(settings: Settings, fake: FakeSandbox, tmp_path: Path) -> None:
    with running(settings, fake) as live, live.visitor() as visitor:
        address = answer(visitor).headers["location"]
        cookie = visitor.cookies[PROFILE_COOKIE]
    other = settings.model_copy(update={"bank": write_bank(tmp_path / "other", {})})
    with running(other, fake) as live, live.visitor() as visitor:
        visitor.cookies.set(PROFILE_COOKIE, cookie)
        assert visitor.get(address).status_code == 200
