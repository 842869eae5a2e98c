"""What a snippet's failure and its warnings look like: its own lines, and no path of this machine."""

import contextlib
import linecache
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from app.sandbox.limits import LIMITS

SNIPPET = "<snippet>"
SHOWN = 8 << 10


def scrubber() -> Callable[[str], str]:
    """Return a function that shortens every path to what follows the directory its module is imported from."""
    entries = {str(Path(entry).resolve()) for entry in sys.path if entry} | {entry for entry in sys.path if entry}
    prefixes = sorted((f"{entry}/" for entry in entries if entry != "/"), key=len, reverse=True)

    def scrub(text: str) -> str:
        for prefix in prefixes:
            text = text.replace(prefix, "")
        return text

    return scrub


def remember(code: str) -> None:
    """Let tracebacks and warnings quote the snippet's lines."""
    linecache.cache[SNIPPET] = (len(code), None, code.splitlines(keepends=True), SNIPPET)


def warn_without_paths(scrub: Callable[[str], str]) -> None:
    """Format warnings as usual, but with scrubbed names."""

    def show(message: object, category: type[Warning], filename: str, lineno: int, line: str | None = None) -> str:
        source = line if line is not None else linecache.getline(filename, lineno)
        quoted = f"  {source.strip()}\n" if source.strip() else ""
        return scrub(f"{filename}:{lineno}: {category.__name__}: {message}\n{quoted}")

    warnings.formatwarning = show


def own_part(trace: TracebackType | None) -> TracebackType | None:
    """Return the traceback from the snippet's first frame on."""
    while trace is not None and trace.tb_frame.f_code.co_filename != SNIPPET:
        trace = trace.tb_next
    return trace


def line_of(error: BaseException) -> int | None:
    """Return the line of the innermost frame of the snippet, or of a mistake in its syntax."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == SNIPPET:
            line = trace.tb_lineno
        trace = trace.tb_next
    if line is None and isinstance(error, SyntaxError) and error.filename == SNIPPET:
        return error.lineno
    return line if type(line) is int else None


def text_of(error: BaseException, scrub: Callable[[str], str]) -> str:
    """Return what Python would print for an uncaught exception, bounded."""
    with contextlib.suppress(Exception):
        found = traceback.TracebackException(type(error), error, own_part(error.__traceback__), compact=True)
        text = scrub("".join(found.format()))
        return text if len(text) <= SHOWN else text[: SHOWN // 2] + "\n[...]\n" + text[-SHOWN // 2 :]
    return f"{type(error).__name__[: LIMITS.name]}\n"
