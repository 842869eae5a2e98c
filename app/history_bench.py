"""How long the history page takes for histories of some lengths: the whole request, in a site of its own.

Attempts are made up of real items: with their variants, spread over up to four years, and as large as real ones.
"""

import asyncio
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
from sqlalchemy import event, insert
from sqlalchemy.orm import Session

from app.bank.catalog import Bank, misconceptions_of
from app.bank.evidence import Evidence, Key, Reading
from app.bank.item import Item
from app.bank.variants import content_hash, draw, to_json
from app.clock import day_of, now
from app.db import Database
from app.grading.grade import Confidence, Outcome, PartOutcome
from app.history.totals import Counted
from app.main import create_app
from app.models import Attempt, Person
from app.models.attempt import Mode
from app.sandbox.client import SandboxClient
from app.settings import Settings
from app.web.dependencies import PROFILE_COOKIE, Site

SIZES = (1_000, 10_000, 50_000, 100_000)
REQUESTS = 31
BATCH = 1000
DAYS = 4 * 365
EVIDENCE = "x" * 3000  # about what the runs of a real attempt take beside its variant


@dataclass(frozen=True, slots=True)
class Row:
    """The median of one length, and how many queries read the history; who asks is looked up by one more."""

    attempts: int
    median_ms: float
    queries: int


def bench(folder: Path, bank: Path, sizes: Sequence[int], say: Callable[[str], None]) -> list[Row]:
    """Make a history of each length in a database below `folder` and ask for its page again and again."""
    settings = Settings(_env_file=None, var=folder, bank=bank, check_bank_at_start=False, sweep=False)
    return asyncio.run(_bench(settings, sizes, say))


async def _bench(settings: Settings, sizes: Sequence[int], say: Callable[[str], None]) -> list[Row]:
    sandbox = SandboxClient(f"unix:{settings.var / 'none.sock'}")
    app = create_app(settings, sandbox)
    async with app.router.lifespan_context(app):
        site: Site = app.state.site
        rows = []
        for size in sizes:
            say(f"making {size:,} attempts")
            person = fill(site.database, site.bank, size)
            cookies = {PROFILE_COOKIE: site.signer.sign_profile(person)}
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://bench", cookies=cookies) as client:
                rows.append(await _measure(site.database, client, size))
        return rows


async def _measure(database: Database, client: httpx.AsyncClient, size: int) -> Row:
    asked: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *facts: asked.append(facts[2]))
    await client.get("/history")  # the templates are compiled once
    asked.clear()
    times = []
    for _ in range(REQUESTS):
        began = time.perf_counter()
        response = await client.get("/history")
        times.append(time.perf_counter() - began)
        response.raise_for_status()
    reading = [one for one in asked if "attempts" in one]
    return Row(size, round(1000 * statistics.median(times), 1), round(len(reading) / REQUESTS))


def fill(database: Database, bank: Bank, size: int) -> UUID:
    """Store a person with so many attempts, the last of them now, and return who it is."""
    person, counted = uuid4(), Counted()
    with database.writing() as session:
        session.add(Person(id=person, created_at=now()))
        session.flush()
        rows: list[dict[str, Any]] = []
        for attempt, beliefs in _attempts(person, bank, size):
            counted.add(attempt, beliefs)
            rows.append({column.key: getattr(attempt, column.key) for column in Attempt.__table__.columns})
            if len(rows) == BATCH:
                _store(session, rows)
        _store(session, rows)
        counted.store(session)
    return person


def _store(session: Session, rows: list[dict[str, Any]]) -> None:
    if rows:
        session.execute(insert(Attempt), rows)
        rows.clear()


def _attempts(person: UUID, bank: Bank, size: int) -> Iterator[tuple[Attempt, tuple[str, ...]]]:
    chance = random.Random(size)  # noqa: S311 - made-up figures, the same each time
    items = [(item, to_json(draw(item, 0)), content_hash(item)) for item in bank.items.values()]
    reading = asdict(Reading(Key({}), Evidence((), (), {}, (), "", "", (), 1.0), (), (EVIDENCE,)))
    end, span = now(), timedelta(days=min(DAYS, max(1, size // 10)))
    for place in range(size):
        item, variant, digest = chance.choice(items)
        right = chance.random() < 0.5 + 0.35 * place / size - 0.1 * (item.level - 2)
        facts: dict[str, Any] = {"variant": variant, "content_hash": digest, "reading": reading}
        facts |= {"person_id": person, "created_at": end - span * (1 - (place + 1) / size)}
        beliefs = misconceptions_of(item)
        shown = (chance.choice(beliefs),) if beliefs and not right and chance.random() < 0.6 else ()
        yield _attempt(item, chance, facts, right=right), shown


def _attempt(item: Item, chance: random.Random, facts: dict[str, Any], *, right: bool) -> Attempt:
    return Attempt(
        id=uuid4(),
        nonce=uuid4().hex,
        day=day_of(facts["created_at"]),
        mode=chance.choices(list(Mode), (8, 2, 1, 1))[0],
        seconds=int(chance.lognormvariate(3.6, 0.8)),
        item_id=item.id,
        kind=item.kind,
        topic=item.topic,
        level=item.level,
        title=item.title,
        credit=float(right),
        confidence=chance.choice([None, *Confidence]),
        torch="2.13.0",
        words={"topic": item.topic, "misconceptions": {}},
        response={},
        outcome=Outcome(float(right), (PartOutcome("verdict", right),)).to_json(),
        **facts,
    )
