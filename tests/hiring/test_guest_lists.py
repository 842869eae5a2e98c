"""Lists of candidates: every good row, every problem with its row, and nothing a spreadsheet would run."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.hiring.guest_lists import MOST_ROWS, UnreadableListError, decode, read_list
from app.hiring.invitations import Guest

ADA = Guest("ada@example.org", "Ada Lovelace", 25)


@pytest.mark.parametrize(
    "text",
    [
        "ada@example.org, Ada Lovelace, 25",
        "email,name,extra\nADA@example.org,Ada  Lovelace,25%",
        "Name;Extra time;E-Mail\nAda Lovelace;25;ada@example.org\n\n",
        "Mail\tExtra %\tFull name\nada@example.org\t25\tAda Lovelace",
        'email,name,extra\n"ada@example.org","Ada Lovelace","25"',
    ],
)
def test_one_candidate_in_every_usual_form(text: str) -> None:
    found = read_list(text)
    assert (found.guests, found.problems) == ((ADA,), ())


def test_rows_that_cannot_be_used_are_named_and_the_others_kept() -> None:
    found = read_list("email,name,extra\nno address,X,\nada@example.org,Ada Lovelace,25\nb@example.org,B,much\n")
    assert found.guests == (ADA,)
    assert [(one.row, one.text) for one in found.problems] == [(2, "no address, X"), (4, "b@example.org, B, much")]
    assert "percentage" in found.problems[1].problem


def test_address_that_comes_twice_is_invited_once_and_said() -> None:
    found = read_list("ada@example.org,Ada Lovelace,25\nADA@EXAMPLE.ORG,Other,0")
    assert found.guests == (ADA,)
    assert "already" in found.problems[0].problem


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-2", "@SUM(A1)"])
def test_name_that_is_a_formula_is_refused(name: str) -> None:
    found = read_list(f"email,name\nada@example.org,{name}")
    assert found.guests == ()
    assert "formula" in found.problems[0].problem


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_usual_encodings_are_read(encoding: str) -> None:
    found = read_list(decode("email,name\nzoe@example.org,Zoë Müller".encode(encoding)))
    assert found.guests[0].name == "Zoë Müller"


@pytest.mark.parametrize("raw", [b"\x00\x01\x02", b"PK\x03\x04\x00\x00", b"\xff\xfe\x00\xd8"])
def test_what_is_no_text_is_refused(raw: bytes) -> None:
    with pytest.raises(UnreadableListError):
        decode(raw)


def test_ten_thousand_rows_are_read_and_more_are_refused() -> None:
    rows = "\n".join(f"a{number}@example.org" for number in range(MOST_ROWS))
    assert len(read_list(f"email\n{rows}").guests) == MOST_ROWS
    with pytest.raises(UnreadableListError):
        read_list(f"email\n{rows}\nx@example.org\ny@example.org")


@given(st.text())
def test_any_text_gives_guests_or_problems(text: str) -> None:
    found = read_list(text)
    assert all("@" in guest.email for guest in found.guests)


@given(st.binary())
def test_any_bytes_are_text_or_refused(raw: bytes) -> None:
    with suppress(UnreadableListError):
        read_list(decode(raw))
