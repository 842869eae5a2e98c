"""The preview in a real browser: readable, accessible, and it follows its file."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.settings import Settings
from tests.banks import write_bank
from tests.browser.pages import check

Open = Callable[..., Page]
Keep = Callable[[Page, str], None]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank"), "preview": True})


def edit(settings: Settings, old: str, new: str) -> None:
    path = settings.bank / "basics" / "two-walks.yaml"
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1))


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("item", ["two-walks", "a-late-change", "one-slope-two-bugs", "three-leaves"])
def test_preview_is_accessible(opened: Open, picture: Keep, item: str, width: int, scheme: str) -> None:
    page = opened(width=width, scheme=scheme)
    page.goto(f"/preview/{item}")
    expect(page.get_by_text("What the run says of every option")).to_be_visible()
    check(page)
    picture(page, f"preview-{item}-{width}")


@pytest.mark.parametrize("javascript", [True, False])
def test_page_shows_the_edited_file_by_itself(opened: Open, settings: Settings, javascript: bool) -> None:
    page = opened(javascript=javascript)
    page.goto("/preview/two-walks")
    edit(settings, "title: Two walks", "title: Two other walks")
    expect(page.get_by_role("heading", name="Two other walks").first).to_be_visible(timeout=20_000)
    edit(settings, "level: 1", "level: one")
    expect(page.get_by_text("Problems of the file")).to_be_visible(timeout=20_000)
    if javascript:
        check(page)
