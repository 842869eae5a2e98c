"""Files of items that a team uploads, and a team that has verified some."""

from typing import Any
from uuid import UUID

import yaml
from sqlalchemy import select

from app.hiring.item_verification import verify_next
from app.hiring.pools import Workshop
from app.hiring.team_items import ItemFile, StoredFile, check_files, ids_of, store_files
from app.models import TeamItem
from tests.hiring.content import LEAF, NOW, VALUES, Hiring, kept_verifications, typed

OWN = {
    "own-square": typed("Own square", LEAF + "w.square().backward()\n", "w.grad", "2 * $k", VALUES),
    "own-fourth": typed("Own fourth", LEAF + "w.pow(4).backward()\n", "w.grad", "4 * $k * $k * $k", VALUES, level=2),
    "own-wrong": typed("Own wrong", LEAF + "w.square().backward()\n", "w.grad", "3 * $k", VALUES),
    "own-one": typed("Own one", LEAF + "w.square().backward()\n", "w.grad", "2 * $k", [2.0]),
    "own-loop": typed("Own loop", LEAF + "while True: pass\n", "w.grad", "2 * $k", VALUES),
}


def file_of(item_id: str, **changes: Any) -> ItemFile:
    """Return the file of one of these items; `name` names it otherwise than its id."""
    name = changes.pop("name", f"{item_id}.yaml")
    data = {"id": item_id, "topic": "basics", **OWN.get(item_id, OWN["own-square"]), **changes}
    return ItemFile(name, yaml.safe_dump(data, sort_keys=False).encode())


def upload(hiring: Hiring, *files: ItemFile, team: UUID | None = None) -> list[StoredFile]:
    """Upload files that have no problem."""
    team_id = team or hiring.team_id
    with hiring.database.reading() as session:
        checked = check_files(files, hiring.bank, ids_of(session, team_id))
    assert not [problem for one in checked for problem in one.problems]
    with hiring.database.writing() as session:
        return store_files(session, team_id, hiring.actor, checked, NOW)


def verify_all(hiring: Hiring) -> int:
    """Do what the sweeper does until nothing waits; return how many items were verified."""
    workshop = Workshop(hiring.database, hiring.livecheck, hiring.bank, kept_verifications())
    count = 0
    while verify_next(workshop):
        count += 1
    return count


def item_of(hiring: Hiring, item_id: str) -> TeamItem:
    """Return the current version of an item."""
    with hiring.database.reading() as session:
        query = select(TeamItem).where(TeamItem.item_id == item_id, TeamItem.archived_at.is_(None))
        return session.scalars(query).one()
