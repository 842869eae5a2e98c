"""Pages about the site itself: every component in every state, and whether it is well."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse

from app.web.dependencies import CurrentSite
from app.web.pages.patterns import patterns_page
from app.web.pages.shell import make_shell, show

router = APIRouter()


@router.get("/patterns")
def patterns(request: Request) -> HTMLResponse:
    """Show every component once, in every state."""
    return show(request, patterns_page(make_shell(request, "none")))


@router.get("/healthz")
def healthz(site: CurrentSite) -> JSONResponse:
    """Say whether the site answers and in which state its sandbox is; for machines."""
    health = site.livecheck.health()
    return JSONResponse({"web": "ready", "sandbox": health.state, "items": len(site.bank.items)})
