"""A team's own items: every problem of an upload, versions, and quizzes that use them and keep what they froze."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import select

from app.hiring import team_items
from app.hiring.pools import NotPublishableError, start_publishing
from app.hiring.quiz_sessions import open_page
from app.hiring.quizzes import InvalidQuizError, SlotSpec, set_slots
from app.hiring.team_items import (
    CheckedFile,
    ItemFile,
    NoFileError,
    TooManyFilesError,
    TooManyItemsError,
    archive_item,
    check_files,
    find_item,
    shown_name,
)
from app.models import PoolVariant, Quiz, QuizSlot, TeamItem
from app.models.quiz import pool_of, public_items_of, slots_of
from app.models.team_item import Exposure, exposures_of, versions_of
from tests.hiring.content import NOW, Hiring
from tests.hiring.own_items import file_of, item_of, upload, verify_all
from tests.hiring.test_item_verification import second_team


def checked(hiring: Hiring, *files: ItemFile) -> list[CheckedFile]:
    return check_files(files, hiring.bank, {})


def test_every_problem_of_a_file_comes_with_its_line(hiring: Hiring) -> None:
    raw = file_of("own-square", level=9, misconceptions=["nobody"], see_also=["nowhere"]).raw
    (one,) = checked(hiring, ItemFile("own-square.yaml", raw))
    assert one.item is None
    lines = raw.decode().split("\n")
    assert [(lines[found.line - 1], found.field) for found in one.problems] == [("level: 9", "level")]
    raw = file_of("own-square", misconceptions=["nobody"], see_also=["nowhere"], expect="$x").raw
    (one,) = checked(hiring, ItemFile("own-square.yaml", raw))
    assert {found.field for found in one.problems} >= {"misconceptions[1]", "see_also[1]", "expect"}


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"#" * (1 << 20), "larger than 64 KiB"),
        (b"id: caf\xe9\n", "not UTF-8"),
        (b"a: &a [1, 2]\nb: *a\n", "Anchors"),
        (b"x: !!python/object/apply:os.system ['true']\n", "not allowed"),
        (b"[" * 20 + b"]" * 20, "nested more than 16"),
        (b"id: a\x00b\n", "not valid YAML"),
        (b"", "The file is no item"),
        (b"---\na: 1\n---\nb: 2\n", "more than one document"),
    ],
)
def test_hostile_file_is_a_sentence(hiring: Hiring, raw: bytes, says: str) -> None:
    (one,) = checked(hiring, ItemFile("x.yaml", raw))
    assert one.item is None
    assert says in " ".join(found.message for found in one.problems)


def test_id_of_a_public_item_is_refused_at_its_line(hiring: Hiring) -> None:
    (one,) = checked(hiring, file_of("own-square", id="a-square"))
    (problem,) = one.problems
    assert (problem.line, problem.field) == (1, "id")
    assert "public bank" in problem.message


def test_id_that_comes_twice_in_one_upload_is_a_problem_of_the_second_file(hiring: Hiring) -> None:
    first, second = checked(hiring, file_of("own-square"), file_of("own-square", name="again.yaml", title="Again"))
    assert first.problems == ()
    assert "`own-square.yaml` of the same upload" in second.problems[0].message


def test_files_of_one_upload_may_point_to_each_other(hiring: Hiring) -> None:
    first, second = checked(hiring, file_of("own-square"), file_of("own-fourth", see_also=["own-square", "a-cube"]))
    assert not first.problems
    assert not second.problems


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd.yaml", "passwd.yaml"),
        ("C:\\items\\a.yaml", "a.yaml"),
        ("a\nb\u202e.yaml", "a\ufffdb\ufffd.yaml"),
        ("x" * 300 + ".yaml", "x" * 75 + ".yaml"),
        ("../", "file 3"),
        ("", "file 3"),
    ],
)
def test_name_of_a_file_is_only_ever_shown(name: str, shown: str) -> None:
    assert shown_name(name, 3) == shown


def test_file_of_another_kind_and_none_and_too_many_are_refused(hiring: Hiring) -> None:
    (one,) = checked(hiring, ItemFile("notes.txt", b"id: x"))
    assert "ends in `.yaml`" in one.problems[0].message
    with pytest.raises(NoFileError):
        checked(hiring)
    with pytest.raises(TooManyFilesError, match="at most 100"):
        checked(hiring, *[file_of("own-square")] * 101)


def test_new_upload_of_an_id_is_a_new_version_and_the_old_one_is_archived(hiring: Hiring) -> None:
    (first,) = upload(hiring, file_of("own-square"))
    (same,) = upload(hiring, file_of("own-square"))
    assert (first.became, same.became, same.item_id) == ("new", "unchanged", first.item_id)
    (second,) = upload(hiring, file_of("own-square", title="Own square, mended"))
    assert second.became == "new version"
    assert item_of(hiring, "own-square").id == second.item_id
    (back,) = upload(hiring, file_of("own-square"))
    assert (back.became, back.item_id) == ("brought back", first.item_id)
    with hiring.database.reading() as session:
        versions = versions_of(session, item_of(hiring, "own-square"))
    assert {one.id: one.archived_at is None for one in versions} == {first.item_id: True, second.item_id: False}


def test_good_files_are_stored_beside_those_with_problems(hiring: Hiring) -> None:
    found = checked(hiring, file_of("own-square"), ItemFile("bad.yaml", b"id: 1"))
    with hiring.database.writing() as session:
        stored = team_items.store_files(session, hiring.team_id, hiring.actor, found, NOW)
    assert [one.name for one in stored] == ["own-square.yaml"]
    with hiring.database.reading() as session:
        assert session.scalars(select(TeamItem.source)).all() == [file_of("own-square").raw.decode()]


@pytest.mark.parametrize("limit", ["MOST_ITEMS", "MOST_VERSIONS"])
def test_team_has_no_more_items_than_it_may(hiring: Hiring, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(team_items, limit, 1)
    upload(hiring, file_of("own-square"))
    with pytest.raises(TooManyItemsError, match="at most 1 "):
        upload(hiring, file_of("own-fourth"))
    with hiring.database.reading() as session:
        assert session.scalars(select(TeamItem.item_id)).all() == ["own-square"]


def slots(hiring: Hiring, quiz_id: UUID) -> Sequence[QuizSlot]:
    with hiring.database.reading() as session:
        return slots_of(session, quiz_id)


def test_drafts_ask_the_newest_version_and_published_quizzes_keep_their_copies(hiring: Hiring) -> None:
    (first,) = upload(hiring, file_of("own-square"))
    verify_all(hiring)
    published = hiring.published(SlotSpec(team_item_id=first.item_id))
    draft = hiring.draft(SlotSpec(team_item_id=first.item_id))
    (second,) = upload(hiring, file_of("own-square", title="Mended"))
    assert slots(hiring, draft)[0].team_item_id == second.item_id
    assert slots(hiring, published)[0].team_item_id == first.item_id
    with hiring.database.reading() as session:
        pool = pool_of(session, published)
    assert {one.title for one in pool} == {"Own square"}
    assert {one.team_item_id for one in pool} == {first.item_id}


@pytest.mark.parametrize(
    ("drawn_from", "names"),
    [
        ("public", {"a-square", "a-cube", "a-factor"}),
        ("own", {"own-square"}),
        ("both", {"a-square", "a-cube", "a-factor", "own-square"}),
    ],
)
def test_draw_asks_public_items_the_teams_own_or_both(hiring: Hiring, drawn_from: str, names: set[str]) -> None:
    upload(hiring, file_of("own-square"), file_of("own-fourth"), file_of("own-wrong"))  # of level 1, 2 and 1
    verify_all(hiring)
    count = 1 if drawn_from == "own" else 2
    quiz_id = hiring.published(SlotSpec(level=1, count=count, drawn_from=drawn_from), repeat_misconceptions=True)
    with hiring.database.reading() as session:
        assert {one.item_id for one in pool_of(session, quiz_id)} == names
        assert set(public_items_of(session, quiz_id)) == ({"A square", "A cube", "A factor"} if count == 2 else set())


def test_quiz_that_asks_own_items_alone_never_asks_those_of_another_team(hiring: Hiring) -> None:
    other = second_team(hiring)
    (theirs,) = upload(hiring, file_of("own-square"), team=other)
    verify_all(hiring)
    with pytest.raises(InvalidQuizError, match="no such item"):
        hiring.draft(SlotSpec(team_item_id=theirs.item_id))
    quiz_id = hiring.draft(SlotSpec(drawn_from="own"))
    with (
        hiring.database.writing() as session,
        pytest.raises(NotPublishableError, match="the team has, verified without problems, 0 of them"),
    ):
        start_publishing(session, session.get_one(Quiz, quiz_id), hiring.bank, hiring.actor, NOW)


@pytest.mark.parametrize("item", ["own-wrong", "own-one"])
def test_item_with_problems_keeps_a_quiz_from_being_published(hiring: Hiring, item: str) -> None:
    (stored,) = upload(hiring, file_of(item))
    verify_all(hiring)
    quiz_id = hiring.draft(SlotSpec(team_item_id=stored.item_id))
    with (
        hiring.database.writing() as session,
        pytest.raises(NotPublishableError, match="not verified without problems"),
    ):
        start_publishing(session, session.get_one(Quiz, quiz_id), hiring.bank, hiring.actor, NOW)


def test_quiz_asks_the_items_of_the_moment_it_was_frozen_whatever_is_uploaded_meanwhile(hiring: Hiring) -> None:
    (first,) = upload(hiring, file_of("own-square"))
    verify_all(hiring)
    quiz_id = hiring.draft(SlotSpec(team_item_id=first.item_id), SlotSpec(item_id="a-cube"))
    later = NOW + timedelta(seconds=1)
    with hiring.database.writing() as session:
        start_publishing(session, session.get_one(Quiz, quiz_id), hiring.bank, hiring.actor, NOW)
        archive_item(session, find_item(session, hiring.team_id, first.item_id), hiring.actor, later)
    hiring.fill(quiz_id)
    assert hiring.quiz(quiz_id).state == "published", hiring.quiz(quiz_id).problem


def test_archived_item_keeps_a_draft_from_being_published_and_is_named(hiring: Hiring) -> None:
    (first,) = upload(hiring, file_of("own-square"))
    verify_all(hiring)
    quiz_id = hiring.draft(SlotSpec(team_item_id=first.item_id))
    with hiring.database.writing() as session:
        archive_item(session, find_item(session, hiring.team_id, first.item_id), hiring.actor, NOW)
        with pytest.raises(NotPublishableError, match="Slot 1 asks an item of the team that is archived"):
            start_publishing(session, session.get_one(Quiz, quiz_id), hiring.bank, hiring.actor, NOW)


def test_public_item_that_gets_the_id_of_an_own_one_is_another_item(hiring: Hiring) -> None:
    (own,) = upload(hiring, file_of("own-square"))
    verify_all(hiring)
    twin = hiring.bank.item("a-cube").model_copy(update={"id": "own-square"})
    hiring.bank = type(hiring.bank)(
        {**hiring.bank.items, "own-square": twin}, hiring.bank.topics, hiring.bank.misconceptions
    )
    quiz_id = hiring.published(SlotSpec(team_item_id=own.item_id), SlotSpec(item_id="own-square"))
    with hiring.database.reading() as session:
        assert {one.title for one in pool_of(session, quiz_id)} == {"Own square", "A cube"}


def test_exposure_counts_the_candidates_who_opened_an_item_in_all_its_versions(hiring: Hiring) -> None:
    (first,) = upload(hiring, file_of("own-square"), file_of("own-fourth"))[:1]
    verify_all(hiring)
    one = hiring.published(SlotSpec(team_item_id=first.item_id), SlotSpec(item_id="a-cube"), shuffled=False)
    shown, _never_opened = hiring.started(one), hiring.started(one)
    upload(hiring, file_of("own-square", title="Mended"))
    verify_all(hiring)
    two = hiring.published(SlotSpec(team_item_id=item_of(hiring, "own-square").id))
    again = hiring.started(two)
    with hiring.database.writing() as session:
        for session_id in (shown, shown, again):
            open_page(session, session_id, 1, NOW)
        open_page(session, shown, 2, NOW)
    with hiring.database.reading() as session:
        assert exposures_of(session, hiring.team_id) == {"own-square": Exposure(2, 2)}
        assert session.scalars(select(PoolVariant.team_item_id)).first() is not None


def test_slot_that_draws_from_nowhere_is_refused(hiring: Hiring) -> None:
    quiz_id = hiring.draft()
    with hiring.database.writing() as session, pytest.raises(InvalidQuizError, match="both"):
        set_slots(
            session,
            session.get_one(Quiz, quiz_id),
            hiring.actor,
            NOW,
            specs=[SlotSpec(level=1, drawn_from="elsewhere")],
            bank=hiring.bank,
        )
