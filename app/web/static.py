"""Static files: their address carries a hash of their content, so that a browser may keep them for ever."""

import hashlib
from functools import lru_cache
from pathlib import Path

from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app.web.markdown import math_font_path

FOR_EVER = "public, max-age=31536000, immutable"
FOR_A_DAY = "public, max-age=86400"


@lru_cache(maxsize=64)
def _content_hash(path: Path, _changed_ns: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def version_of(path: Path) -> str:
    """Return the version of a file: a hash of its content."""
    return _content_hash(path, path.stat().st_mtime_ns)


class CachedStatic(StaticFiles):
    """Static files, immutable where their address names the version they have and revalidated otherwise."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file with its caching."""
        response = await super().get_response(path, scope)
        current = response.status_code == 200 and self._is_version(path, scope.get("query_string", b""))
        response.headers["cache-control"] = FOR_EVER if current else "no-cache"
        return response

    def _is_version(self, path: str, query: bytes) -> bool:
        if not query.startswith(b"v="):
            return False
        found, _ = self.lookup_path(path)
        return query == f"v={version_of(Path(found))}".encode()


def math_font() -> FileResponse:
    """Return the mathematics font, which comes with an installed package: TrueType, whatever its address says.

    The style sheet names no version of it, so it is kept for a day.
    """
    return FileResponse(Path(math_font_path()), media_type="font/ttf", headers={"cache-control": FOR_A_DAY})
