"""What the log says of a request: never the secret of a link."""

import pytest

from app.web.access_log import LONGEST_PATH, public_path


@pytest.mark.parametrize("start", ["/invitations/", "/open/", "/join/", "/reset/"])
def test_secret_of_a_link_is_left_out(start: str) -> None:
    assert "s3cret" not in public_path(f"{start}s3cret")
    assert "s3cret" not in public_path(f"{start}s3cret/rehearsal/1")


def test_other_paths_are_kept() -> None:
    assert public_path("/practice/a-square") == "/practice/a-square"


def test_path_is_kept_to_a_length() -> None:
    assert len(public_path("/" + "x" * 5000)) == LONGEST_PATH
