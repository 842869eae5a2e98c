"""Taking a quiz: what counts is decided by the time of receipt and by the newest page, and nothing is lost."""

import threading
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select, update

from app.errors import ConflictError, NotFoundError
from app.hiring import closing
from app.hiring.deadlines import GRACE
from app.hiring.invitations import LinkGoneError, open_link, revoke
from app.hiring.quiz_sessions import (
    Change,
    Saved,
    SaveState,
    SessionClosedError,
    add_minutes,
    flag,
    open_page,
    save,
    start,
)
from app.hiring.quizzes import SlotSpec
from app.models import Grade, Invitation, PoolVariant, Quiz, QuizSession, SavedResponse, SessionItem
from app.models.quiz_session import newest_grades, newest_response, newest_responses
from app.sandbox.protocol import Program
from tests.fakes import FakeSandbox
from tests.hiring.content import NOW, Hiring

END = NOW + timedelta(minutes=30)


def entered(text: str) -> dict[str, object]:
    return {"choices": {}, "entries": [text], "own_words": "", "confidence": None}


def page(hiring: Hiring, session_id: UUID, at: datetime = NOW, position: int = 1) -> int:
    with hiring.database.writing() as session:
        return open_page(session, session_id, position, at).epoch


def write(
    hiring: Hiring, session_id: UUID, at_page: tuple[int, int], text: str, at: datetime = NOW, *, position: int = 1
) -> Saved:
    with hiring.database.writing() as session:
        return save(session, session_id, Change(position, *at_page, entered(text)), at)


def kept(hiring: Hiring, session_id: UUID) -> str | None:
    with hiring.database.reading() as session:
        found = newest_responses(session, session_id).get(1)
        alone = newest_response(session, session_id, 1)
        assert (found and found.id) == (alone and alone.id)  # two ways to ask for one thing
        return None if found is None else found.response["entries"][0]


def answer_of(hiring: Hiring, session_id: UUID, position: int = 1) -> str:
    """Return the right entry, computed from the parameters and not from the key."""
    with hiring.database.reading() as session:
        item = session.get_one(SessionItem, (session_id, position))
        variant = session.get_one(PoolVariant, item.pool_variant_id)
        k = variant.variant["parameters"]["k"]
    return str({"a-square": 2 * k, "a-cube": 3 * k * k, "a-factor": k, "two-terms": 1 + 2 * k}[variant.item_id])


def earned(hiring: Hiring, session_id: UUID) -> list[float]:
    with hiring.database.reading() as session:
        return [one.credit for one in newest_grades(session, [session_id])]


@pytest.fixture
def quiz_id(hiring: Hiring) -> UUID:
    return hiring.published()


@pytest.fixture
def session_id(hiring: Hiring, quiz_id: UUID) -> UUID:
    return hiring.started(quiz_id)


# --- starting


def test_start_runs_nothing_and_draws_from_the_pool(hiring: Hiring, quiz_id: UUID, fake: FakeSandbox) -> None:
    before = fake.jobs
    session_id = hiring.started(quiz_id)
    assert fake.jobs == before
    assert hiring.session(session_id).deadline == END
    with hiring.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(SessionItem)) == 1


def test_starting_twice_is_one_session_whose_clock_goes_on(hiring: Hiring, quiz_id: UUID) -> None:
    secret = hiring.invited(quiz_id)
    ids = set()
    for minutes in (0, 5):
        with hiring.database.writing() as session:
            ids.add(start(session, open_link(session, secret), NOW + timedelta(minutes=minutes)).id)
    assert len(ids) == 1
    assert hiring.session(ids.pop()).started_at == NOW


def test_two_starts_at_once_are_one_session(hiring: Hiring, quiz_id: UUID) -> None:
    secret, ids, together = hiring.invited(quiz_id), [], threading.Barrier(4)

    def press() -> None:
        together.wait()
        with hiring.database.writing() as session:
            ids.append(start(session, open_link(session, secret), NOW).id)

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 4
    assert len(set(ids)) == 1


def test_link_that_is_unknown_revoked_expired_or_too_early_starts_nothing(hiring: Hiring) -> None:
    quiz_id = hiring.published(opens_at=NOW, closes_at=NOW + timedelta(hours=2))
    with hiring.database.writing() as session, pytest.raises(LinkGoneError):
        open_link(session, "never-made")
    secret = hiring.invited(quiz_id)
    for at in (NOW - timedelta(seconds=1), NOW + timedelta(hours=2)):
        with hiring.database.writing() as session, pytest.raises(LinkGoneError):
            start(session, open_link(session, secret), at)
    with hiring.database.writing() as session:
        opened = open_link(session, secret)
        revoke(session, opened.quiz, opened.invitation, hiring.actor, NOW)
    with hiring.database.writing() as session, pytest.raises(LinkGoneError, match="withdrawn"):
        start(session, open_link(session, secret), NOW)
    with hiring.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(QuizSession)) == 0


def test_revoking_after_the_start_takes_nothing_from_the_candidate(hiring: Hiring, quiz_id: UUID) -> None:
    session_id = hiring.started(quiz_id)
    with hiring.database.writing() as session:
        quiz = session.get_one(Quiz, quiz_id)
        revoke(session, quiz, session.scalars(select(Invitation)).one(), hiring.actor, NOW)
    assert write(hiring, session_id, (page(hiring, session_id), 1), "4").state is SaveState.SAVED


def test_extra_time_and_a_cutting_window_make_the_deadline(hiring: Hiring) -> None:
    quiz_id = hiring.published(closes_at=NOW + timedelta(minutes=35), window_cuts=True)
    assert hiring.session(hiring.started(quiz_id, extra_percent=10)).deadline == NOW + timedelta(minutes=33)
    assert hiring.session(hiring.started(quiz_id, extra_percent=50)).deadline == NOW + timedelta(minutes=35)


def test_no_candidate_gets_a_misconception_twice_and_fixed_items_are_kept(hiring: Hiring) -> None:
    quiz_id = hiring.published(SlotSpec(item_id="a-factor"), SlotSpec(level=1, count=1), SlotSpec(level=2))
    for _ in range(12):
        session_id = hiring.started(quiz_id)
        with hiring.database.reading() as session:
            ids = select(SessionItem.pool_variant_id).where(SessionItem.session_id == session_id)
            names = [one.item_id for one in session.scalars(select(PoolVariant).where(PoolVariant.id.in_(ids)))]
        assert "a-factor" in names
        assert len(set(names)) == 3
        assert len({"a-square", "a-cube"} & set(names)) == 1


# --- saving


def test_newest_sequence_is_the_response_whatever_the_order_of_arrival(hiring: Hiring, session_id: UUID) -> None:
    epoch = page(hiring, session_id)
    assert write(hiring, session_id, (epoch, 1), "1").state is SaveState.SAVED
    assert write(hiring, session_id, (epoch, 3), "3").state is SaveState.SAVED
    older = write(hiring, session_id, (epoch, 2), "2")
    assert (older.state, older.kept) == (SaveState.OLDER, entered("3"))
    assert kept(hiring, session_id) == "3"


def test_write_that_is_sent_again_changes_nothing(hiring: Hiring, session_id: UUID) -> None:
    epoch = page(hiring, session_id)
    for text in ("1", "something else"):
        assert write(hiring, session_id, (epoch, 1), text).state is SaveState.SAVED
    with hiring.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(SavedResponse)) == 1
    assert kept(hiring, session_id) == "1"


def test_page_that_was_replaced_saves_no_more_and_learns_what_is_kept(hiring: Hiring, session_id: UUID) -> None:
    first = page(hiring, session_id)
    write(hiring, session_id, (first, 1), "1")
    second = page(hiring, session_id)
    stale = write(hiring, session_id, (first, 2), "2")
    assert (stale.state, stale.kept) == (SaveState.STALE, entered("1"))
    assert write(hiring, session_id, (second, 1), "3").state is SaveState.SAVED
    assert kept(hiring, session_id) == "3"


def test_epoch_that_was_never_given_out_saves_nothing(hiring: Hiring, session_id: UUID) -> None:
    epoch = page(hiring, session_id)
    assert write(hiring, session_id, (epoch + 1, 1), "9").state is SaveState.STALE
    assert kept(hiring, session_id) is None


def test_save_within_the_grace_counts_and_a_later_one_is_kept_apart(hiring: Hiring, session_id: UUID) -> None:
    epoch = page(hiring, session_id)
    assert write(hiring, session_id, (epoch, 1), "1", END + GRACE).state is SaveState.SAVED
    late = write(hiring, session_id, (epoch, 2), "2", END + GRACE + timedelta(milliseconds=1))
    assert (late.state, late.kept) == (SaveState.LATE, entered("1"))
    assert kept(hiring, session_id) == "1"
    with hiring.database.reading() as session:
        rows = session.scalars(select(SavedResponse).order_by(SavedResponse.id)).all()
    assert [(row.response["entries"], row.late) for row in rows] == [(["1"], False), (["2"], True)]


def test_save_that_was_received_in_time_counts_though_the_session_was_closed_before_it_was_written(
    hiring: Hiring, session_id: UUID
) -> None:
    epoch = page(hiring, session_id)
    closing.finish(hiring.database, session_id, END + GRACE + timedelta(seconds=1))
    assert earned(hiring, session_id) == [0.0]
    right = answer_of(hiring, session_id)
    assert write(hiring, session_id, (epoch, 1), right, END + GRACE).state is SaveState.SAVED
    closing.sweep(hiring.database, END + timedelta(minutes=1))
    assert earned(hiring, session_id) == [1.0]
    assert hiring.session(session_id).revision == 2


def test_position_that_the_session_lacks_is_not_found(hiring: Hiring, session_id: UUID) -> None:
    with pytest.raises(NotFoundError):
        write(hiring, session_id, (page(hiring, session_id), 1), "1", position=2)
    with hiring.database.writing() as session, pytest.raises(NotFoundError):
        save(session, uuid4(), Change(1, 1, 1, entered("1")), NOW)


def test_flag_is_kept_until_the_session_ends(hiring: Hiring, session_id: UUID) -> None:
    with hiring.database.writing() as session:
        flag(session, session_id, 1, True, NOW)
    with hiring.database.reading() as session:
        assert session.get_one(SessionItem, (session_id, 1)).flagged
    with hiring.database.writing() as session, pytest.raises(SessionClosedError):
        flag(session, session_id, 1, False, END + GRACE + timedelta(seconds=1))


# --- ending


def test_submitted_answers_are_graded_and_later_saves_are_refused(hiring: Hiring, session_id: UUID) -> None:
    epoch = page(hiring, session_id)
    write(hiring, session_id, (epoch, 1), answer_of(hiring, session_id))
    done = closing.finish(hiring.database, session_id, NOW + timedelta(minutes=5), submitted=True)
    assert (done.points, done.points_possible, done.revision, done.to_grade) == (1.0, 1.0, 1, False)
    assert write(hiring, session_id, (epoch, 2), "0", NOW + timedelta(minutes=6)).state is SaveState.LATE
    with hiring.database.writing() as session, pytest.raises(SessionClosedError):
        open_page(session, session_id, 1, NOW + timedelta(minutes=6))
    assert earned(hiring, session_id) == [1.0]


def test_deadline_counts_the_last_stored_answer_also_when_nobody_looks(hiring: Hiring, session_id: UUID) -> None:
    write(hiring, session_id, (page(hiring, session_id), 1), answer_of(hiring, session_id))
    assert closing.sweep(hiring.database, END + GRACE) == 0
    assert closing.sweep(hiring.database, END + GRACE + timedelta(seconds=1)) == 1
    assert earned(hiring, session_id) == [1.0]
    assert not hiring.session(session_id).submitted


def test_session_is_not_closed_before_its_time(hiring: Hiring, session_id: UUID) -> None:
    assert closing.finish(hiring.database, session_id, END).closed_at is None


def test_empty_and_unreadable_answers_are_graded_as_wrong(hiring: Hiring) -> None:
    quiz_id = hiring.published(SlotSpec(item_id="a-square"), SlotSpec(item_id="a-cube"))
    session_id = hiring.started(quiz_id)
    write(hiring, session_id, (page(hiring, session_id), 1), "((")
    closing.finish(hiring.database, session_id, NOW, submitted=True)
    assert earned(hiring, session_id) == [0.0, 0.0]


def test_crash_between_closing_and_grading_is_finished_by_whoever_looks_next(hiring: Hiring, session_id: UUID) -> None:
    write(hiring, session_id, (page(hiring, session_id), 1), answer_of(hiring, session_id))
    with hiring.database.writing() as session:
        assert closing.close(session, session_id, NOW, submitted=True)
    assert hiring.session(session_id).to_grade  # and here the process dies
    assert closing.sweep(hiring.database, NOW) == 1
    assert earned(hiring, session_id) == [1.0]


def test_crash_while_grading_leaves_no_half_of_it(hiring: Hiring, session_id: UUID) -> None:
    with hiring.database.writing() as session:
        closing.close(session, session_id, NOW, submitted=True)

    class Crash(BaseException):
        pass

    with pytest.raises(Crash), hiring.database.writing() as session:
        closing.grade_session(session, session_id, NOW)
        raise Crash
    with hiring.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Grade)) == 0
    closing.finish(hiring.database, session_id, NOW)
    assert hiring.session(session_id).revision == 1


def test_finishing_again_changes_nothing(hiring: Hiring, session_id: UUID) -> None:
    for _ in range(3):
        done = closing.finish(hiring.database, session_id, NOW, submitted=True)
    assert done.revision == 1
    assert closing.sweep(hiring.database, END + timedelta(hours=1)) == 0


def test_session_that_cannot_be_graded_holds_up_no_other(
    hiring: Hiring, quiz_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closing, "SWEPT_AT_ONCE", 2)
    broken = [hiring.started(quiz_id, NOW - timedelta(minutes=1)) for _ in range(2)]
    whole = [hiring.started(quiz_id) for _ in range(3)]
    for session_id in broken:
        write(hiring, session_id, (page(hiring, session_id), 1), "1")
    with hiring.database.writing() as session:
        session.execute(update(SavedResponse).values(response={"not": "a response"}))
    late = END + timedelta(minutes=1)
    assert [closing.sweep(hiring.database, late), closing.sweep(hiring.database, late)] == [2, 1]
    assert [hiring.session(one).revision for one in whole] == [1, 1, 1]
    with pytest.raises(ExceptionGroup, match="2 sessions could not be finished"):
        closing.sweep(hiring.database, late)
    with hiring.database.writing() as session:
        session.execute(update(SavedResponse).values(response=entered("1")))
    assert closing.sweep(hiring.database, late) == 2
    assert [hiring.session(one).revision for one in broken] == [1, 1]


# --- more time


@pytest.mark.parametrize("minutes_in", [0, 29, 30])
def test_minutes_added_while_it_runs_move_the_deadline(hiring: Hiring, session_id: UUID, minutes_in: int) -> None:
    at = NOW + timedelta(minutes=minutes_in)
    with hiring.database.writing() as session:
        assert add_minutes(session, session.get_one(QuizSession, session_id), 7, None, at) == END + timedelta(minutes=7)
    assert (
        write(hiring, session_id, (page(hiring, session_id, at), 1), "1", END + timedelta(minutes=7)).state == "saved"
    )


def test_minutes_added_after_the_clock_closed_it_reopen_it_from_now_and_grade_anew(
    hiring: Hiring, session_id: UUID
) -> None:
    closing.sweep(hiring.database, END + timedelta(minutes=2))
    assert earned(hiring, session_id) == [0.0]
    now = END + timedelta(minutes=20)
    with hiring.database.writing() as session:
        end = add_minutes(session, session.get_one(QuizSession, session_id), 10, None, now)
    assert now + timedelta(minutes=10) <= end <= now + timedelta(minutes=11)
    write(hiring, session_id, (page(hiring, session_id, now), 1), answer_of(hiring, session_id), now)
    closing.sweep(hiring.database, end + timedelta(minutes=1))
    assert earned(hiring, session_id) == [1.0]
    assert hiring.session(session_id).revision == 2


def test_released_or_handed_in_session_gets_no_more_time(hiring: Hiring, quiz_id: UUID) -> None:
    handed_in, released = hiring.started(quiz_id), hiring.started(quiz_id)
    closing.finish(hiring.database, handed_in, NOW, submitted=True)
    with hiring.database.writing() as session:
        session.get_one(QuizSession, released).released_at = NOW
        for one in (handed_in, released):
            with pytest.raises(ConflictError):
                add_minutes(session, session.get_one(QuizSession, one), 5, None, NOW)


def test_clock_of_the_machine_that_jumps_back_extends_nothing_that_was_closed(hiring: Hiring, session_id: UUID) -> None:
    epoch = page(hiring, session_id)
    closing.finish(hiring.database, session_id, NOW, submitted=True)
    before = datetime(2026, 11, 1, tzinfo=UTC)
    assert (
        write(hiring, session_id, (epoch, 1), "1", before).state is not SaveState.LATE
    )  # received before it was handed in
    closing.finish(hiring.database, session_id, before)
    assert hiring.session(session_id).closed_at == NOW


def test_sandbox_is_needed_by_nothing_here(hiring: Hiring, session_id: UUID, fake: FakeSandbox) -> None:
    before = fake.jobs
    write(hiring, session_id, (page(hiring, session_id), 1), "1")
    closing.finish(hiring.database, session_id, NOW, submitted=True)
    assert fake.jobs == before
    assert fake.run([Program("pass")]).results
