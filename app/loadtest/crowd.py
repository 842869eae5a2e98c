"""The candidates: each opens its link, starts, and then saves every few seconds as the page's script does.

A save that got no answer is sent again, the same one, until it is acknowledged, as the page does when it is offline.
What went wrong while the server was being killed is no error; everything else is.
"""

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TypeVar
from uuid import UUID

import httpx

from app.loadtest.server import Server
from app.loadtest.stage import Written

EVERY_S = 5.0
START_WITHIN_S = 60.0
STARTS_PER_S = 5.0
MOVE_AFTER = 4  # saves on one item
AGAIN_S, AGAIN_MOST_S = 1.0, 15.0  # the first and the longest wait of a save that got no answer, as in the page
ANSWER_S = 30.0
PATIENCE_S = 30.0  # so long after the end a save is still sent again
KEEP_ALIVE_S = 2.0  # shorter than the server's, so that no save meets a connection that is being closed
ITEM = re.compile(r"^(?:/sessions/[^/]+/items/)?([0-9]+)$")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
T = TypeVar("T")


@dataclass(slots=True)
class Tally:
    """What the crowd saw. Times are milliseconds, each of one request that was answered."""

    start_ms: list[float] = field(default_factory=list)
    save_ms: list[float] = field(default_factory=list)
    saves: int = 0
    acknowledged: list[Written] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class FailedError(Exception):
    """A request that was not answered as it should be."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """An item's page as its script reads it: how many items, where and as which page it saves, and what to choose."""

    count: int
    save_url: str
    epoch: int
    fields: dict[str, list[str]]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.form: dict[str, str] = {}
        self.fields: dict[str, list[str]] = {}
        self.items: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "form" and "data-save-url" in known:
            self.form = known
        elif tag in ("a", "button") and (item := ITEM.search(known.get("href", known.get("value", "")))):
            self.items.add(item[1])
        elif self.form and tag == "input" and known.get("type") in ("radio", "checkbox") and "name" in known:
            self.fields.setdefault(known["name"], []).append(known.get("value", ""))


def read_sheet(page: str) -> Sheet:
    """Read an item's page; raise `FailedError` where it is none."""
    reader = _Reader()
    reader.feed(page)
    if not reader.form:
        raise FailedError("a page without a form to save")
    return Sheet(len(reader.items), reader.form["data-save-url"], int(reader.form["data-epoch"]), reader.fields)


class Candidate:
    """One candidate with cookies and an address of their own."""

    def __init__(
        self, number: int, link: str, server: Server, transport: httpx.AsyncBaseTransport, tally: Tally
    ) -> None:
        self._number, self._link, self._server, self._tally = number, link, server, tally
        self._chance = random.Random(number)  # noqa: S311 - what is chosen is no secret
        self._client = httpx.AsyncClient(
            base_url=server.url,
            transport=transport,
            timeout=ANSWER_S,
            headers={"X-Forwarded-For": f"10.0.{number // 250}.{number % 250 + 1}"},
        )
        self._session, self._sheet = "", Sheet(0, "", 0, {})
        self._position, self._sequence, self._saved = 1, 0, 0

    async def start(self) -> None:
        """Open the link, then press start: its time ends when the first item is there."""
        await self._certainly(self._client.get(self._link))
        begun = time.perf_counter()
        answer = await self._certainly(self._client.post(f"{self._link}/start", headers=FORM))
        place = answer.headers.get("location", "")
        page = await self._certainly(self._client.get(place))
        self._tally.start_ms.append((time.perf_counter() - begun) * 1000)
        self._session, self._sheet = place.split("/")[2], read_sheet(page.text)

    async def _certainly(self, asked: Awaitable[httpx.Response]) -> httpx.Response:
        answer = await asked
        if answer.status_code not in (200, 303):
            raise FailedError(f"{answer.status_code} for {answer.request.method} {answer.request.url.path[:20]}")
        return answer

    async def save_until(self, end: float) -> None:
        """Save every few seconds until `end`, going on to another item now and then."""
        await asyncio.sleep(self._chance.uniform(0, EVERY_S))
        left = self._chance.randint(1, MOVE_AFTER)
        while time.monotonic() < end:
            if left == 0 and await self._patiently(self._move, end):
                left = MOVE_AFTER
            await self._save(end)
            left = max(0, left - 1)
            await asyncio.sleep(EVERY_S)

    async def _move(self) -> bool:
        position = self._position % self._sheet.count + 1
        answer = await self._certainly(self._client.get(f"/sessions/{self._session}/items/{position}"))
        self._sheet, self._position, self._sequence = read_sheet(answer.text), position, 0
        return True

    async def _save(self, end: float) -> None:
        self._saved += 1
        self._sequence += 1
        sheet = self._sheet
        reason = f"candidate {self._number}, save {self._saved}"
        chosen = {name: self._chance.choice(values) for name, values in sheet.fields.items()}
        body = {"epoch": sheet.epoch, "sequence": self._sequence, "fields": chosen | {"own_reason": reason}}
        self._tally.saves += 1

        async def send() -> bool:
            begun = time.perf_counter()
            answer = await self._certainly(self._client.put(sheet.save_url, json=body))
            self._tally.save_ms.append((time.perf_counter() - begun) * 1000)
            if answer.json().get("state") != "saved":
                raise FailedError(f"a save that was {answer.json().get('state')}")
            return True

        if await self._patiently(send, end):
            written = Written(UUID(self._session), self._position, sheet.epoch, self._sequence, reason)
            self._tally.acknowledged.append(written)

    async def _patiently(self, ask: Callable[[], Awaitable[T]], end: float) -> T | None:
        """Ask until there is an answer; `None` where none came. What failed with the server up is an error."""
        wait = AGAIN_S
        while time.monotonic() < end + PATIENCE_S:
            since = time.monotonic()
            try:
                return await ask()
            except (httpx.TransportError, FailedError) as error:
                if not self._server.was_down(since):
                    self._tally.errors.append(f"{type(error).__name__}: {error}")
                    return None
                await asyncio.sleep(wait * self._chance.uniform(0.5, 1.5))
                wait = min(wait * 2, AGAIN_MOST_S)
        self._tally.errors.append("no answer until long after the end")
        return None
