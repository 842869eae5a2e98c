"""The web side's way to the sandbox: one pooled, thread-safe HTTP client with the errors a person may see."""

import math
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import httpx

from app.errors import BadRequestError, TooLargeError, UnavailableError
from app.sandbox.protocol import BareForks, Health, JobResult, Program, read_health, read_job_result, to_json

RETRY_S = 8.0  # longer than a restart takes on a busy machine
RETRY_EVERY_S = 0.05
ANSWER_S = 30.0
FRESH_S = 1.0  # so long after an answer nobody asks whether somebody listens
CONNECT_S = 0.5  # a listener whose queue is full accepts nobody, and would keep us for as long as it stands still
HEALTH_S = 1.0  # a service that is well answers in milliseconds
RETRY_AFTER_S = 5
STOPPED = "The sandbox stopped while your code was running. Nothing was stored; press again."
FAILED = "The sandbox failed to answer. Nothing was stored; press again."
AWAY = "The sandbox is not running at the moment. Nothing was stored; try again in a minute."
SLOW = "The sandbox did not answer in time. Nothing was stored; press again."


class SandboxAwayError(UnavailableError):
    """The sandbox is not running, stopped during a run, or refuses to run code on this system."""


class SandboxBusyError(UnavailableError):
    """The sandbox has no room for another job now."""


class SandboxClient:
    """Jobs to the service at `address`: `unix:/path` or `http://host:port`."""

    def __init__(self, address: str, timeout: float = ANSWER_S) -> None:
        self._path = path = address.removeprefix("unix:") if address.startswith("unix:") else None
        self._client = httpx.Client(
            base_url="http://sandbox" if path else address,
            transport=httpx.HTTPTransport(
                uds=path, limits=httpx.Limits(max_keepalive_connections=16, keepalive_expiry=30)
            ),
            timeout=timeout,
            trust_env=False,
        )
        self._answered = -math.inf

    def run(
        self,
        programs: Sequence[Program],
        wall_s: float | None = None,
        *,
        wait_s: float = RETRY_S,
        answer_s: float | None = None,
    ) -> JobResult:
        """Run a job; a program that fails is a result, and only a sandbox that cannot answer raises.

        A service that does not listen is waited for, for up to `wait_s` seconds: it may be restarting. One that took
        the job has `answer_s` seconds, or the client's own time-out.
        """
        body = {"programs": [to_json(program) for program in programs], "wall_s": wall_s}
        return read_job_result(self._ask("POST", "/runs", body, wait_s=wait_s, answer_s=answer_s))

    def health(self) -> Health:
        """Return the service's report on itself, or raise soon where it is away or does not answer."""
        return read_health(self._ask("GET", "/health", None, wait_s=0, answer_s=HEALTH_S))

    def bare_forks(self) -> BareForks | None:
        """Measure bare forks of the warm process; `None` where that is not measured."""
        try:
            return BareForks(**self._ask("POST", "/bare", None))
        except (UnavailableError, BadRequestError):
            return None

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def _ask(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        *,
        wait_s: float = RETRY_S,
        answer_s: float | None = None,
    ) -> Any:
        timeout = self._client.timeout if answer_s is None else httpx.Timeout(answer_s)
        try:
            response = self._send(self._client.build_request(method, path, json=body, timeout=timeout), wait_s)
        except httpx.TimeoutException as error:
            raise SandboxAwayError(SLOW, retry_after=RETRY_AFTER_S) from error
        except (httpx.ConnectError, OSError) as error:
            raise SandboxAwayError(AWAY, retry_after=RETRY_AFTER_S) from error
        except httpx.TransportError as error:
            raise SandboxAwayError(STOPPED, retry_after=1) from error
        except RuntimeError as error:
            if not self._client.is_closed:
                raise
            raise SandboxAwayError(AWAY, retry_after=RETRY_AFTER_S) from error  # the site is being stopped
        return _content(response)

    def _send(self, request: httpx.Request, wait_s: float) -> httpx.Response:
        """Send a request, waiting for the listener first unless it has just answered."""
        if time.monotonic() - self._answered < FRESH_S:
            with suppress(httpx.ConnectError):
                return self._send_now(request)
        self._wait_for_listener(wait_s)
        return self._send_now(request)

    def _send_now(self, request: httpx.Request) -> httpx.Response:
        try:
            response = self._client.send(request)
        except BaseException:
            self._answered = -math.inf
            raise
        self._answered = time.monotonic()
        return response

    def _wait_for_listener(self, wait_s: float) -> None:
        """Return when somebody listens at the socket: a service that is just being restarted is worth a moment.

        Raises `OSError`. It costs the service a connection each time. Asked with a socket of our own, because httpx
        leaves the one that failed to the collector.
        """
        until = time.monotonic() + wait_s
        while self._path is not None:
            try:
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.settimeout(CONNECT_S)
                    probe.connect(self._path)
                    return
            except OSError:
                if time.monotonic() >= until:
                    raise
            time.sleep(RETRY_EVERY_S)


def _content(response: httpx.Response) -> Any:
    """Return a good answer's JSON; raise what any other answer means."""
    try:
        data = response.json()
    except ValueError:
        data = {}
    if response.status_code == 200:
        return data
    message = data.get("error", FAILED) if isinstance(data, dict) else FAILED
    if response.status_code == 400:
        raise BadRequestError(message)
    if response.status_code == 413:
        raise TooLargeError(message)
    kind = SandboxBusyError if isinstance(data, dict) and data.get("state") == "busy" else SandboxAwayError
    raise kind(message, retry_after=int(response.headers.get("Retry-After", RETRY_AFTER_S)))
