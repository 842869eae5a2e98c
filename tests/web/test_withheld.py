"""A run that contradicts its file: the item is shown to nobody, and nothing is graded by it."""

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import httpx

from app.sandbox.protocol import JobResult, Observation
from app.settings import Settings
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox
from tests.live import LiveSite, form_of, running, words_of
from tests.practising import attempts


def flip(job: JobResult) -> JobResult:
    """Turn every observed truth value round."""

    def turned(one: Observation) -> Observation:
        return Observation(not one.value) if isinstance(one.value, bool) else one

    results = tuple(replace(result, observations=tuple(map(turned, result.observations))) for result in job.results)
    return replace(job, results=results)


def test_item_whose_run_contradicts_its_file_is_not_issued(visitor: httpx.Client, fake: FakeSandbox) -> None:
    fake.change = flip
    page = visitor.get("/practice/two-walks")
    assert page.status_code == 409
    assert "withheld" in words_of(page)
    assert 'name="token"' not in page.text
    fake.change = None
    assert visitor.get("/practice/two-walks").status_code == 409  # until the file changes


def test_contradiction_found_on_answering_stores_nothing(
    live: LiveSite, visitor: httpx.Client, fake: FakeSandbox
) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    fake.change = flip
    assert visitor.post(form.action, data=form.filled()).status_code == 409
    assert attempts(live) == 0


def test_wrong_file_is_caught_by_the_real_sandbox(settings: Settings, fake: FakeSandbox, tmp_path: Path) -> None:
    items = deepcopy(ITEMS)
    items["two-walks"]["expect"] = {"verdict": True, "reason": 2}
    wrong = settings.model_copy(update={"bank": write_bank(tmp_path / "wrong", items)})
    with running(wrong, fake) as live, live.visitor() as visitor:
        page = visitor.get("/practice/two-walks")
        assert page.status_code == 409
        assert "Where they disagree" in words_of(page)
        assert visitor.get("/practice/three-leaves").status_code == 200
