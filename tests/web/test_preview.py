"""The preview follows a file while it is written, shows what a run says, and is not there unless asked for."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml

from app.settings import Settings
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox
from tests.live import LiveSite, running, words_of


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank"), "preview": True})


@pytest.fixture
def author(live: LiveSite) -> Iterator[httpx.Client]:
    with live.visitor() as client:
        yield client


def rewrite(settings: Settings, item_id: str, **changes: object) -> Path:
    path = settings.bank / "basics" / f"{item_id}.yaml"
    path.write_text(yaml.safe_dump({"id": item_id, "topic": "basics", **ITEMS[item_id], **changes}, sort_keys=False))
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1))
    return path


def test_preview_is_not_there_unless_it_is_asked_for(settings: Settings, fake: FakeSandbox) -> None:
    with running(settings.model_copy(update={"preview": False}), fake) as live, live.visitor() as visitor:
        assert visitor.get("/preview/two-walks").status_code == 404
        assert visitor.get("/preview/two-walks/stamp").status_code == 404
    assert Settings(_env_file=None).preview is False


@pytest.mark.parametrize("item", ITEMS)
def test_preview_shows_the_item_and_what_a_run_says_of_every_option(author: httpx.Client, item: str) -> None:
    page = author.get(f"/preview/{item}")
    words = words_of(page)
    assert page.status_code == 200
    assert str(ITEMS[item]["title"]) in words
    assert "What the run says of every option" in words
    assert "Where run and file differ" not in words


def test_edited_file_is_shown_as_it_is_now(author: httpx.Client, settings: Settings) -> None:
    stamp = author.get("/preview/two-walks/stamp").json()["stamp"]
    assert f'data-stamp="{stamp}"' in author.get("/preview/two-walks").text
    rewrite(settings, "two-walks", title="Another title", expect={"verdict": True, "reason": 1})
    assert author.get("/preview/two-walks/stamp").json()["stamp"] != stamp
    words = words_of(author.get("/preview/two-walks"))
    assert "Another title" in words
    assert "Where run and file differ" in words


def test_wrong_draft_withholds_nothing_from_people(author: httpx.Client, settings: Settings) -> None:
    rewrite(settings, "two-walks", expect={"verdict": True, "reason": 1})
    author.get("/preview/two-walks")
    assert "0 withheld" in words_of(author.get("/bank"))


def test_problems_of_a_file_have_their_line(author: httpx.Client, settings: Settings) -> None:
    path = rewrite(settings, "two-walks", level="two")
    line = path.read_text().split("\n").index("level: two") + 1
    words = words_of(author.get("/preview/two-walks"))
    assert f"line {line} level" in words
    assert "What the run says" not in words
    path.write_text("id: [")
    assert "The file is not valid YAML" in words_of(author.get("/preview/two-walks"))


def test_seed_draws_another_variant(author: httpx.Client) -> None:
    pages = [author.get(f"/preview/a-square-and-more?seed={seed}").text for seed in range(8)]
    drawn = {re.sub("<[^>]+>", "", page).split("x = torch.tensor(")[1][:3] for page in pages}
    assert drawn == {"3.0", "5.0"}


def test_preview_stores_nothing_and_its_form_leads_back(author: httpx.Client) -> None:
    response = author.post("/preview/two-walks", data={"verdict": "1"})
    assert (response.status_code, response.headers["location"]) == (303, "/preview/two-walks")
    assert "Nothing answered yet" in words_of(author.get("/history"))


@pytest.mark.parametrize("name", ["nothing-here", "..%2Ftopics", "*", "two_walks"])
def test_name_of_no_file_is_not_found(author: httpx.Client, name: str) -> None:
    assert author.get(f"/preview/{name}").status_code == 404


def test_page_reloads_without_scripts_too(author: httpx.Client) -> None:
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in author.get("/preview/two-walks").text
