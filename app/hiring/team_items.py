"""Items of a team's own: uploaded files, each checked as the bank's are, and stored where it has no problem.

A file with problems is not stored, not even as a draft: its author has it, and mends it where the problems point to,
while a half-right copy here would be a second thing to keep up. The good files of the same upload are stored.

An upload of an id that the team has is a new version. The older one is archived, and drafts that name it ask the new
one; a quiz that was published keeps its frozen copies. The very content of an older version brings that one back.
Nothing is run here: a new version waits for the sweeper (`item_verification`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.bank.catalog import Bank
from app.bank.item import Item
from app.bank.loader import check, known_by
from app.bank.problems import Problem
from app.bank.variants import content_hash
from app.errors import ConflictError, GradproofError, NotFoundError, TooLargeError
from app.models import Quiz, QuizSlot, Team, TeamItem
from app.models.audit_entry import record
from app.models.quiz import QuizState

MOST_FILES = 100  # in one upload
MOST_ITEMS = 500  # current ones of a team
MOST_VERSIONS = 2_000  # of a team, archived ones too
NAME_LENGTH = 80
ENDINGS = (".yaml", ".yml")


class TooManyItemsError(ConflictError):
    """The team would have more items than a team may have."""

    title = "That would be too many items"


class TooManyFilesError(TooLargeError):
    """An upload has more files than one may have."""


class NoFileError(GradproofError):
    """An upload has no file."""

    status = 422
    title = "Nothing was uploaded"


@dataclass(frozen=True, slots=True)
class ItemFile:
    """A file as it was sent. Its name is shown and never used as a path."""

    name: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file, read: the item where it is good, and every problem."""

    file: ItemFile
    item: Item | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What became of a good file: `new`, `new version`, `unchanged` or `brought back`."""

    name: str
    item_id: UUID
    title: str
    became: str


def shown_name(name: str, place: int) -> str:
    """Return the last part of a file name as text that can be printed on one line."""
    last = name.replace("\\", "/").rpartition("/")[2]
    printable = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in last).strip()
    return printable[-NAME_LENGTH:] or f"file {place}"


def check_files(files: Sequence[ItemFile], bank: Bank, own: Mapping[str, UUID]) -> list[CheckedFile]:
    """Check the files of an upload; `own` are the team's items by id. Takes milliseconds a file, and no transaction.

    Raises `TooManyFilesError`, or `NoFileError` where there is none.
    """
    if not files:
        raise NoFileError("No file was chosen. Choose one or more YAML files.")
    if len(files) > MOST_FILES:
        raise TooManyFilesError(f"{len(files)} files were sent. Send at most {MOST_FILES} at once; nothing was stored.")
    taken = dict.fromkeys(bank.items, "The public bank has an item of this id. Choose another one.")
    claimed: dict[str, str] = {}
    links = {*bank.items, *own}
    checked = []
    for place, file in enumerate(files, 1):
        named = ItemFile(shown_name(file.name, place), file.raw)
        found = _check_file(named, bank, taken | claimed, links)
        if found.item is not None:
            claimed[found.item.id] = f"`{named.name}` of the same upload has this id. Choose another one."
            links.add(found.item.id)
        checked.append(found)
    return checked


def _check_file(file: ItemFile, bank: Bank, taken: Mapping[str, str], links: set[str]) -> CheckedFile:
    if not file.name.lower().endswith(ENDINGS):
        problem = Problem(file.name, 1, "", "The name of an item's file ends in `.yaml`. Rename it, if it is one.")
        return CheckedFile(file, None, (problem,))
    found = check(file.raw, file.name, known_by(bank), taken=taken, links=links)
    return CheckedFile(file, found.item, found.problems)


def ids_of(session: Session, team_id: UUID) -> Mapping[str, UUID]:
    """Return the current items of a team by the id of their file."""
    query = select(TeamItem.item_id, TeamItem.id).where(TeamItem.team_id == team_id, TeamItem.archived_at.is_(None))
    return {row[0]: row[1] for row in session.execute(query)}


def store_files(
    session: Session, team_id: UUID, actor: UUID, checked: Sequence[CheckedFile], at: datetime
) -> list[StoredFile]:
    """Store the good ones of checked files; each waits to be verified.

    Raises `TooManyItemsError`; then nothing is stored.
    """
    session.get_one(Team, team_id, with_for_update=True)  # two uploads of one team store one after the other
    shelf = _Shelf(session, team_id, actor, at)
    stored = [shelf.put(one.file, one.item) for one in checked if one.item is not None]
    session.flush()
    _refuse_too_many(session, team_id)
    return stored


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The items of a team, while somebody stores some."""

    session: Session
    team_id: UUID
    actor: UUID
    at: datetime

    def put(self, file: ItemFile, item: Item) -> StoredFile:
        """Store an item that its team has not, or not any more."""
        mine = (TeamItem.team_id == self.team_id, TeamItem.item_id == item.id)
        digest = content_hash(item)
        current = self.session.scalar(select(TeamItem).where(*mine, TeamItem.archived_at.is_(None)))
        if current is not None and current.content_hash == digest:
            return StoredFile(file.name, current.id, item.title, "unchanged")
        earlier = self.session.scalar(select(TeamItem).where(*mine, TeamItem.content_hash == digest))
        became = "brought back" if earlier is not None else "new" if current is None else "new version"
        made = earlier or self._made(file, item, digest)
        made.archived_at, made.created_at, made.created_by = None, self.at, self.actor
        self.session.add(made)
        if current is not None:
            current.archived_at = self.at
        self.session.flush()
        self._let_drafts_follow(made)
        record(
            self.session,
            self.at,
            "item.uploaded",
            team_id=self.team_id,
            actor_id=self.actor,
            subject=made.id,
            item=item.id,
            became=became,
        )
        return StoredFile(file.name, made.id, item.title, became)

    def _made(self, file: ItemFile, item: Item, digest: str) -> TeamItem:
        return TeamItem(
            id=uuid4(),
            team_id=self.team_id,
            item_id=item.id,
            content_hash=digest,
            title=item.title,
            kind=item.kind,
            topic=item.topic,
            level=item.level,
            source=file.raw.decode(),
        )

    def _let_drafts_follow(self, newest: TeamItem) -> None:
        """Let drafts that name any version of an item ask its newest one."""
        drafts = select(Quiz.id).where(Quiz.team_id == self.team_id, Quiz.state == QuizState.DRAFT)
        versions = select(TeamItem.id).where(TeamItem.team_id == self.team_id, TeamItem.item_id == newest.item_id)
        self.session.execute(
            update(QuizSlot)
            .where(QuizSlot.quiz_id.in_(drafts), QuizSlot.team_item_id.in_(versions))
            .values(team_item_id=newest.id)
        )


def _refuse_too_many(session: Session, team_id: UUID) -> None:
    def count(*more: object) -> int:
        query = select(func.count()).select_from(TeamItem).where(TeamItem.team_id == team_id, *more)  # type: ignore[arg-type]  # clauses
        return session.scalar(query) or 0

    if count(TeamItem.archived_at.is_(None)) > MOST_ITEMS:
        raise TooManyItemsError(
            f"A team has at most {MOST_ITEMS} items. Nothing was stored: archive some, or send fewer."
        )
    if count() > MOST_VERSIONS:
        raise TooManyItemsError(
            f"A team keeps at most {MOST_VERSIONS} versions of items, archived ones too, and that is reached. "
            "Nothing was stored."
        )


def find_item(session: Session, team_id: UUID, item_id: UUID, *, lock: bool = False) -> TeamItem:
    """Return a version of an item of this very team, or raise `NotFoundError`."""
    query = select(TeamItem).where(TeamItem.id == item_id, TeamItem.team_id == team_id)
    item = session.scalar(query.with_for_update() if lock else query)
    if item is None:
        raise NotFoundError("The team has no such item.")
    return item


def read_item(item: TeamItem, bank: Bank) -> Item:
    """Return the item that a stored source describes.

    Raises `ConflictError` where it has problems by now, since what it refers to has changed.
    """
    found = check(item.source.encode(), f"{item.item_id}.yaml", known_by(bank))
    if found.item is None:
        why = f" {found.problems[0].message}" if found.problems else ""
        raise ConflictError(f"The file of `{item.item_id}` cannot be used any more.{why} Upload it again, mended.")
    return found.item


def archive_item(session: Session, item: TeamItem, actor: UUID, at: datetime) -> None:
    """Take an item out of use: no draft can ask it any more, and quizzes that were published keep their copies."""
    if item.archived_at is None:
        item.archived_at = at
        record(session, at, "item.archived", team_id=item.team_id, actor_id=actor, subject=item.id, item=item.item_id)


def verify_again(session: Session, item: TeamItem, actor: UUID, at: datetime) -> None:
    """Let the sweeper verify an item once more.

    Raises `ConflictError` for one that is archived, waits already, or has no problem.
    """
    if item.archived_at is not None or item.verified_at is None or not item.problems:
        raise ConflictError("Only an item whose verification found problems is verified again.")
    item.verified_at, item.verifying_at, item.memorisation = None, None, None
    item.runs = item.attempts = 0
    item.problems, item.warnings = [], []
    record(session, at, "item.verify_again", team_id=item.team_id, actor_id=actor, subject=item.id, item=item.item_id)
