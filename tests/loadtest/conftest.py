"""A team with a quiz over a real database and the real sandbox."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.livecheck import LiveCheck
from tests.fakes import FakeSandbox
from tests.hiring.content import Hiring, make_hiring


@pytest.fixture
def hiring(tmp_path: Path, fake: FakeSandbox) -> Iterator[Hiring]:
    made = make_hiring(tmp_path, LiveCheck(fake))
    yield made
    made.database.dispose()
