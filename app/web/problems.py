"""Failures of the API as RFC 9457 has them: `application/problem+json`, with what to do in `detail`."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import Request
from starlette.responses import JSONResponse

API = "/api/"
MEDIA_TYPE = "application/problem+json"
TYPE = "urn:gradproof:problem:"
MOST_ERRORS = 20
LONGEST = 300


def is_api(request: Request) -> bool:
    """Say whether a program asks, and not a browser."""
    return request.url.path.startswith(API)


def problem(status: int, title: str, detail: str, errors: Sequence[dict[str, str]] = ()) -> JSONResponse:
    """Return one problem; `errors` names the parts of the request that are wrong."""
    kind = HTTPStatus(status).phrase.lower().replace(" ", "-")
    body: dict[str, Any] = {"type": f"{TYPE}{kind}", "title": title, "status": status, "detail": detail}
    if errors:
        body["errors"] = list(errors)
    return JSONResponse(body, status, media_type=MEDIA_TYPE)


def errors_of(found: Sequence[Any]) -> list[dict[str, str]]:
    """Return what a validation found as (in, pointer, detail), without the values that were sent."""
    return [
        {"in": str(where), "pointer": "/" + "/".join(str(part)[:80] for part in path), "detail": message[:LONGEST]}
        for where, *path, message in ((*one["loc"], str(one["msg"])) for one in found[:MOST_ERRORS])
    ]
