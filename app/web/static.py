"""Static files: their address carries a hash of their content, so that a browser may keep them for ever."""

from pathlib import Path

from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from app.web.markdown import math_font_path

FOR_EVER = "public, max-age=31536000, immutable"


class CachedStatic(StaticFiles):
    """Static files, immutable when their address names a version and revalidated otherwise."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the file with its caching."""
        response = await super().get_response(path, scope)
        versioned = scope.get("query_string", b"").startswith(b"v=")
        response.headers["cache-control"] = FOR_EVER if versioned and response.status_code == 200 else "no-cache"
        return response


def math_font() -> FileResponse:
    """Return the mathematics font, which comes with an installed package: TrueType, whatever its address says."""
    path = Path(math_font_path())
    return FileResponse(path, media_type="font/ttf", headers={"cache-control": FOR_EVER})
