"""How long items were open and pages out of sight, from hand-made events. Times are seconds after noon."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from app.hiring.session_times import absences, seconds_per_item
from app.models import SavedResponse, SessionEvent
from tests.hiring.content import NOW


def events(*seen: tuple[float, str, int | None]) -> list[SessionEvent]:
    return [
        SessionEvent(id=place, at=NOW + timedelta(seconds=second), kind=kind, position=position)
        for place, (second, kind, position) in enumerate(seen)
    ]


def saves(*seen: tuple[float, int, bool]) -> list[SavedResponse]:
    return [
        SavedResponse(received_at=NOW + timedelta(seconds=second), position=position, late=late)
        for second, position, late in seen
    ]


END = NOW + timedelta(seconds=600)


@pytest.mark.parametrize(
    ("seen", "saved", "seconds"),
    [
        # To and fro: item 1 for 30 s and again for 20 s, item 2 for 70 s.
        (
            events(
                (0, "opened", 1), (30, "opened", 2), (100, "opened", 1), (120, "opened", 2), (120, "submitted", None)
            ),
            [],
            {1: 50, 2: 70},
        ),
        # The last item counts to its last save: the review page leaves no mark. What came late is no save.
        (
            events((0, "opened", 1), (90, "submitted", None)),
            saves((10, 1, False), (40, 1, False), (80, 1, True)),
            {1: 40},
        ),
        # Nothing saved: to the submission.
        (events((0, "opened", 1), (90, "submitted", None)), [], {1: 90}),
        # The end was noticed late: only until the deadline.
        (events((500, "opened", 1), (900, "timed_out", None)), saves((510, 1, False)), {1: 100}),
        # Closed, given more minutes, opened again: the time between counts for nobody.
        (
            events(
                (0, "opened", 1),
                (60, "timed_out", None),
                (300, "reopened", None),
                (310, "opened", 1),
                (330, "opened", 2),
            ),
            [],
            {1: 80, 2: 0},
        ),
        # Still running: to the last save.
        (events((0, "started", None), (0, "opened", 1)), saves((25, 1, False)), {1: 25}),
        ([], [], {}),
    ],
    ids=["to and fro", "submitted", "nothing saved", "timed out", "reopened", "running", "nothing"],
)
def test_item_counts_while_its_page_is_the_open_one(
    seen: list[SessionEvent], saved: list[SavedResponse], seconds: Mapping[int, float]
) -> None:
    assert seconds_per_item(seen, saved, END) == seconds


def test_absence_ends_with_the_return_or_the_next_page() -> None:
    seen = events(
        (0, "opened", 1),
        (10, "focus_lost", None),
        (12, "focus_lost", None),
        (25, "focus_returned", None),
        (40, "focus_lost", None),
        (45, "opened", 2),
        (50, "focus_returned", None),
        (60, "focus_lost", None),
        (90, "submitted", None),
    )
    found = [(one.position, one.seconds) for one in absences(seen)]
    assert found == [(1, 15), (1, 5), (2, None)]
