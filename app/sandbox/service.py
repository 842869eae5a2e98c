"""The sandbox service: HTTP in front of one observer. It imports no torch, knows no database and holds no secret.

    POST /runs     {"programs": [{"code": "...", "observe": ["..."], "seed": 0}], "wall_s": 2.0}  ->  a job result
    GET  /health   ->  a health report
    POST /bare     ->  how many bare forks of the warm process are made per second; for measuring, and only at a Unix
                       socket, which nobody but its owner can reach

Started as `python -m app.sandbox.service --socket PATH` or `--host HOST --port PORT`. Where its standard input is a
pipe, the service ends when that closes: whoever started it is gone.
"""

import argparse
import asyncio
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.sandbox.limits import LIMITS, Limits
from app.sandbox.observer import BusyError, NotReadyError, Observer
from app.sandbox.protocol import to_json
from app.sandbox.requests import RequestError, read_job

KEEP_ALIVE_S = 600  # longer than the client keeps an idle connection, so that no request meets a closing one
STOP_S = 3
BARE_FORKS = 40
BUSY = "The sandbox has as many jobs waiting as it takes. Try again in a moment."


def create_app(observer: Observer, *, measuring: bool = False) -> Starlette:
    """Return the application; its lifespan starts and stops the observer. `measuring` adds `/bare`."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with observer:
            yield

    async def runs(request: Request) -> Response:
        try:
            body = await _body(request, observer.limits)
            programs, wall_s = read_job(body, observer.limits)
            return JSONResponse(to_json(await observer.run_job(programs, wall_s)))
        except RequestError as error:
            return JSONResponse({"error": error.message}, error.status)
        except BusyError:
            return _away(BUSY, "busy", 1)
        except NotReadyError:
            return _away(observer.health().message, observer.health().state, 5)

    async def health(_: Request) -> Response:
        return JSONResponse(to_json(observer.health()))

    async def bare(_: Request) -> Response:
        try:
            return JSONResponse(to_json(await observer.bare_forks(BARE_FORKS)))
        except NotReadyError:
            return _away(observer.health().message, observer.health().state, 5)

    routes = [Route("/runs", runs, methods=["POST"]), Route("/health", health)]
    routes += [Route("/bare", bare, methods=["POST"])] if measuring else []
    return Starlette(routes=routes, lifespan=lifespan)


def _away(message: str, state: str, retry_after: int) -> JSONResponse:
    return JSONResponse({"error": message, "state": state}, 503, {"Retry-After": str(retry_after)})


async def _body(request: Request, limits: Limits) -> bytes:
    """Read the body, no further than the limit."""
    held = bytearray()
    async for part in request.stream():
        held += part
        if len(held) > limits.body:
            raise RequestError(f"A job may be {limits.body >> 20} MiB long, and this is longer.", 413)
    return bytes(held)


def listen(path: Path) -> socket.socket:
    """Return a listening socket at `path` that only this user can reach; a stale file there is replaced."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.is_socket():
        path.unlink()
    before = os.umask(0o177)
    try:
        ours = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        ours.bind(str(path))
    finally:
        os.umask(before)
    return ours


async def serve(arguments: argparse.Namespace) -> None:
    """Serve until told to stop, or until the pipe at standard input closes."""
    app = create_app(Observer(LIMITS), measuring=bool(arguments.socket))
    config = uvicorn.Config(
        app,
        host=arguments.host,
        port=arguments.port,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_S,
        lifespan="on",
    )
    server = uvicorn.Server(config)
    lifeline = asyncio.create_task(_lifeline(server))
    sockets = [listen(Path(arguments.socket))] if arguments.socket else None
    await server.serve(sockets=sockets)
    lifeline.cancel()


async def _lifeline(server: uvicorn.Server) -> None:
    """Stop the server when the pipe at standard input closes; any other kind of input says nothing."""
    if not stat.S_ISFIFO(os.fstat(0).st_mode):
        return
    closed, loop = asyncio.Event(), asyncio.get_running_loop()

    def read() -> None:
        if not os.read(0, 4096):
            closed.set()

    loop.add_reader(0, read)
    await closed.wait()
    loop.remove_reader(0)
    server.should_exit = True


def main(arguments: list[str]) -> None:
    """Start the service from the command line."""
    parser = argparse.ArgumentParser(prog="python -m app.sandbox.service", description="Run snippets in a sandbox.")
    parser.add_argument("--socket", help="path of a Unix socket to serve on")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8765)
    asyncio.run(serve(parser.parse_args(arguments)))


if __name__ == "__main__":
    main(sys.argv[1:])
