"""A running site for tests: the real application on a real socket, and a client that behaves like a browser."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx
import uvicorn

from app.main import create_app
from app.sandbox.client import SandboxClient
from app.serving import listen
from app.settings import Settings
from app.web.dependencies import Site


@dataclass
class LiveSite:
    """A site that answers at `url`."""

    url: str
    site: Site
    settings: Settings
    _clients: list[httpx.Client] = field(default_factory=list)

    def visitor(self, **headers: str) -> httpx.Client:
        """Return a client with a cookie jar of its own that does not follow redirects; it is closed with the site."""
        client = httpx.Client(base_url=self.url, headers=headers, timeout=30)
        self._clients.append(client)
        return client

    def close_clients(self) -> None:
        """Close the connections of every visitor."""
        for client in self._clients:
            client.close()


@contextmanager
def running(settings: Settings, sandbox: SandboxClient | None = None) -> Iterator[LiveSite]:
    """Serve the application in a thread until the block ends."""
    app = create_app(settings, sandbox)
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the site did not start"
        time.sleep(0.01)
    try:
        live = LiveSite(f"http://127.0.0.1:{listener.getsockname()[1]}", app.state.site, settings)
        try:
            yield live
        finally:
            live.close_clients()
    finally:
        server.should_exit = True
        thread.join(timeout=15)
        listener.close()


@dataclass
class ShownForm:
    """The form of a page as a browser has it: its action, its fields as filled in, and every choice it offers."""

    action: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)

    def filled(self, **changes: str) -> dict[str, str]:
        """Return the fields with the first choice of every group, but for `changes`."""
        chosen = {name: values[0] for name, values in self.choices.items() if name != "confidence"}
        typed = dict.fromkeys(self.texts, "0")
        return {**chosen, **typed, **self.fields, **changes}


class _FormReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.form = ShownForm()
        self.area = ""
        self.done = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.done:
            return
        facts = {name: value or "" for name, value in attrs}
        if tag == "form" and facts.get("method", "").lower() == "post":
            self.form.action = facts["action"]
        elif tag == "input" and facts.get("type") == "radio":
            self.form.choices.setdefault(facts["name"], []).append(facts["value"])
            if "checked" in facts:
                self.form.fields[facts["name"]] = facts["value"]
        elif tag == "input" and facts.get("type") in {"hidden", "text"}:
            if facts["type"] == "text":
                self.form.texts.append(facts["name"])
            if facts.get("value"):
                self.form.fields[facts["name"]] = facts["value"]
        elif tag == "textarea":
            self.area = facts["name"]

    def handle_data(self, data: str) -> None:
        if self.area and data.strip():
            self.form.fields[self.area] = data.strip()

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self.area = ""
        self.done = self.done or (tag == "form" and bool(self.form.action))


def form_of(page: httpx.Response) -> ShownForm:
    """Read the first form of a page that posts."""
    reader = _FormReader()
    reader.feed(page.text)
    assert reader.form.action, f"no form on {page.url} ({page.status_code})"
    return reader.form


def words_of(page: httpx.Response) -> str:
    """Return what a page says, without tags and with single spaces."""
    without = re.sub(r"<(script|style)\b.*?</\1>", " ", page.text, flags=re.DOTALL)
    text = re.sub(r"<[^>]+>", " ", without)
    for entity, character in (("&#39;", "'"), ("&quot;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, character)
    return re.sub(r"\s+", " ", text)
