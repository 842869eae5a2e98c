"""What commands share: two consoles, the `--json` option, and a sandbox to run in."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console

from app.errors import GradproofError
from app.sandbox.client import SandboxAwayError, SandboxClient
from app.sandbox.protocol import Program
from app.sandbox.supervisor import Supervisor
from app.settings import Settings
from app.versions import TorchEnvironment

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

START_TRIES = 8  # each waits about eight seconds in the service
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


@contextmanager
def open_sandbox(settings: Settings, beside: TorchEnvironment | None = None) -> Iterator[SandboxClient]:
    """Connect to the sandbox of the settings, or to one of this command's own, once it is ready.

    `beside` is the environment of another torch; there it is always one of this command's own.
    """
    with ExitStack() as stack:
        address = settings.sandbox if beside is None else ""
        if not address:
            folder = stack.enter_context(TemporaryDirectory(prefix="gradproof-"))
            python, root = (None, None) if beside is None else (beside.python, beside.root)
            address = stack.enter_context(Supervisor(Path(folder) / "sandbox.sock", python, root)).address
        client = SandboxClient(address)
        stack.callback(client.close)
        _wait_until_ready(client)
        yield client


def _wait_until_ready(client: SandboxClient) -> None:
    """Wait while the sandbox starts; raise where it is away or refuses to run code."""
    for _ in range(START_TRIES):
        try:
            client.run([Program("pass")])
        except SandboxAwayError:
            if client.health().state != "starting":
                raise
        else:
            return
    raise GradproofError("The sandbox has not become ready. `gradproof sandbox doctor` says what it waits for.")
