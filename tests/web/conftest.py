"""A small bank of the tests' own for every page, and a browser that looks at it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.settings import Settings
from tests.banks import write_bank
from tests.live import LiveSite


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """Settings with the items of tests; a test may edit their files, and a module may take a bank of its own."""
    return settings.model_copy(update={"bank": write_bank(tmp_path / "small-bank")})


@pytest.fixture
def visitor(live: LiveSite) -> Iterator[httpx.Client]:
    """A browser that has not been here before."""
    with live.visitor() as client:
        yield client
