"""Refuses requests that change something when another site's page sent them.

Browsers say where a request comes from in `Sec-Fetch-Site`; older ones at least in `Origin`. A request with neither is
no browser's, carries no cookie by accident, and still needs the signed token of a form.
"""

from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers

from app.errors import GradproofError

SAFE = {"GET", "HEAD", "OPTIONS"}


class CrossSiteError(GradproofError):
    """Another site's page sent the request."""

    status = 403
    title = "This came from another site"


def is_cross_site(headers: Headers) -> bool:
    """Say whether the headers show that another origin's page made the request."""
    fetch_site = headers.get("sec-fetch-site")
    if fetch_site is not None:
        return fetch_site not in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc != headers.get("host", "")


def refuse_cross_site(request: Request) -> None:
    """Stand before every route as a dependency of the whole application.

    Raises `CrossSiteError`.
    """
    if request.method not in SAFE and is_cross_site(request.headers):
        raise CrossSiteError("Nothing was stored. Open the page here and send its own form.")
