"""What a team reads of many candidates at once: the comparison and the item analysis, over real HTTP."""

from pathlib import Path

import pytest

from app.settings import Settings
from tests.banks import write_bank
from tests.live import LiveSite, words_of
from tests.web.reported import ITEMS, fixed_quiz, member, taken
from tests.web.test_quiz_sessions import invited


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


def test_candidates_side_by_side_with_what_their_difference_can_tell(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    sessions = [
        taken(live, quiz, right=(True, True), sure="certain").rpartition("/")[2],
        taken(live, quiz, right=(False, True), name="Bo").rpartition("/")[2],
    ]
    client, url = member(live, quiz)
    listed = client.get(f"{url}/results")
    assert all(f'name="session" value="{one}"' in listed.text for one in sessions)
    words = words_of(client.get(f"{url}/results/compare", params={"session": sessions}))
    # Differences 1 and 0: their mean is a half, and its error √(2 · 0.5) / 2.
    assert "Ada is 50 percent points above Bo, with a standard error of 50: within error" in words
    assert "The basics 2 of 2, 100 % all items alike 1 of 2, 50 % ± 50" in words
    assert "1 of 1, certain" in words


def test_comparison_takes_two_to_five_who_have_a_score(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    one = taken(live, quiz, right=(True, True)).rpartition("/")[2]
    running = invited(live, quiz).start().rpartition("/")[2]
    client, url = member(live, quiz)
    compare = f"{url}/results/compare"
    assert client.get(compare).status_code == 400
    assert client.get(compare, params={"session": [one, one]}).status_code == 400
    assert client.get(compare, params={"session": [one, running]}).status_code == 409
    other = taken(live, fixed_quiz(live), right=(True, True)).rpartition("/")[2]
    assert client.get(compare, params={"session": [one, other]}).status_code == 404


def test_item_analysis_says_what_was_chosen_and_what_is_too_few(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    client, url = member(live, quiz)
    assert "Nobody has finished yet" in words_of(client.get(f"{url}/results/items"))
    for number in range(5):
        taken(live, quiz, right=(number > 0, number > 1), name=f"N{number}")
    words = words_of(client.get(f"{url}/results/items"))
    assert "5 first attempt" in words
    # Four of five: 0.8, and √(0.2 / 5) = 0.2.
    assert "0.8 ± 0.2 too few to say" in words
    assert "A call replaces the gradient." in words
    assert "the observed value right" in words
