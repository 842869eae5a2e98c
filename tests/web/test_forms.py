"""Forms that no page of ours sends: too large, not UTF-8, of another type, or not signed here."""

from collections.abc import Iterator

import httpx
import pytest

from app.tokens import Signer
from tests.live import LiveSite, form_of, words_of
from tests.practising import answer, attempts


@pytest.mark.parametrize("token", ["", "nonsense", "e30.xx", "\x00\x00"])
def test_forged_form_is_refused(live: LiveSite, visitor: httpx.Client, token: str) -> None:
    response = answer(visitor, token=token)
    assert response.status_code == 400
    assert "This form is not one of ours" in words_of(response)
    assert attempts(live) == 0


def test_form_signed_with_another_key_is_refused(live: LiveSite, visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/two-walks"))
    token = live.site.signer.read_form(form.fields["token"])
    assert answer(visitor, token=Signer(["other"]).sign_form(token)).status_code == 400


def test_form_of_another_item_is_refused(visitor: httpx.Client) -> None:
    other = form_of(visitor.get("/practice/three-leaves")).fields["token"]
    assert answer(visitor, token=other).status_code == 400


def test_megabyte_is_too_large(live: LiveSite, visitor: httpx.Client) -> None:
    response = answer(visitor, own_words="x" * 1024 * 1024)
    assert response.status_code == 413
    assert "larger than 64 kB" in words_of(response)
    assert attempts(live) == 0


def test_endless_body_without_a_length_is_cut_off(visitor: httpx.Client) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(3000):
            yield b"x" * 1024

    try:
        response = visitor.post(
            "/practice/two-walks", content=endless(), headers={"content-type": "application/x-www-form-urlencoded"}
        )
    except httpx.WriteError:
        return  # the server answered and closed before all of it was sent
    assert response.status_code == 413


@pytest.mark.parametrize("body", [b"verdict=%ff&reason=1", b"verdict=\xff", b"own_words=%ed%a0%80"])
def test_form_that_is_not_utf8_is_refused(visitor: httpx.Client, body: bytes) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    response = visitor.post("/practice/two-walks", content=body, headers=headers)
    assert response.status_code == 400
    assert "not UTF-8" in words_of(response)


@pytest.mark.parametrize("body", [b"a=1&a=2", b"&".join(b"a%d=1" % n for n in range(500))])
def test_form_with_strange_fields_is_refused(visitor: httpx.Client, body: bytes) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert visitor.post("/practice/two-walks", content=body, headers=headers).status_code == 400


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x", "text/plain", ""])
def test_body_of_another_type_is_refused(visitor: httpx.Client, kind: str) -> None:
    response = visitor.post("/practice/two-walks", content=b"{}", headers={"content-type": kind})
    assert response.status_code == 415
