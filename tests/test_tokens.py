import time
from pathlib import Path
from uuid import uuid4

import pytest

from app.tokens import (
    RENEW_SECONDS,
    ForgedFormError,
    FormToken,
    ProfileToken,
    Signer,
    WeakKeyError,
    generated_key,
    key_file,
    new_nonce,
)


def token() -> FormToken:
    return FormToken(new_nonce(), "an-item", "0" * 64, 7, uuid4(), 1_700_000_000)


def test_form_comes_back_as_it_was() -> None:
    signer, sent = Signer(["key"]), token()
    assert signer.read_form(signer.sign_form(sent)) == sent


@pytest.mark.parametrize("text", ["", "x", "e30.abc", "\x00", "é" * 300, "a" * 100_000])
def test_what_was_not_signed_here_is_forged(text: str) -> None:
    with pytest.raises(ForgedFormError):
        Signer(["key"]).read_form(text)


def test_changed_form_is_forged() -> None:
    signer = Signer(["key"])
    text = signer.sign_form(token())
    with pytest.raises(ForgedFormError):
        signer.read_form(("A" if text[0] != "A" else "B") + text[1:])


def test_profile_cannot_be_sent_as_a_form() -> None:
    signer = Signer(["key"])
    with pytest.raises(ForgedFormError):
        signer.read_form(signer.sign_profile(uuid4()))


def test_cookie_signed_with_another_key_is_nobody() -> None:
    assert Signer(["key"]).read_profile(Signer(["other"]).sign_profile(uuid4())) is None


def test_previous_key_is_accepted_while_it_rotates() -> None:
    person = uuid4()
    cookie = Signer(["old"]).sign_profile(person)
    assert Signer(["old", "new"]).read_profile(cookie) == ProfileToken(person, old=True)
    renewed = Signer(["old", "new"]).sign_profile(person)
    assert Signer(["old", "new"]).read_profile(renewed) == ProfileToken(person, old=False)
    assert Signer(["new"]).read_profile(cookie) is None
    assert Signer(["old"]).read_profile(Signer(["old", "new"]).sign_profile(person)) is None


def test_cookie_of_over_a_month_asks_for_a_new_one() -> None:
    person, signer = uuid4(), Signer(["key"])
    month_ago = int(time.time()) - RENEW_SECONDS
    assert signer.read_profile(signer.sign_profile(person, month_ago - 1)) == ProfileToken(person, old=True)
    assert signer.read_profile(signer.sign_profile(person, month_ago + 60)) == ProfileToken(person, old=False)


def test_key_is_made_once_and_private(tmp_path: Path) -> None:
    first = generated_key(tmp_path)
    assert generated_key(tmp_path) == first
    assert len(first) > 40
    assert key_file(tmp_path).stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [key_file(tmp_path)]


@pytest.mark.parametrize("kept", ["", "short", " \n"])
def test_kept_key_that_could_be_guessed_is_refused(tmp_path: Path, kept: str) -> None:
    key_file(tmp_path).write_text(kept)
    with pytest.raises(WeakKeyError, match="could be guessed"):
        generated_key(tmp_path)
