"""What every page shares: its shell, and how a page dataclass becomes a response."""

from fastapi import Request
from starlette.responses import HTMLResponse

from app.web.dependencies import get_site
from app.web.templating import Page, render_page
from app.web.views import Shell

LABELS = {"ready": "sandbox ready", "starting": "sandbox starting", "unavailable": "sandbox away"}


def make_shell(request: Request, section: str) -> Shell:
    """Return the shell of a page in `section` of the navigation."""
    health = get_site(request).livecheck.health()
    label = LABELS.get(health.state, LABELS["unavailable"])
    if health.torch:
        label = f"torch {health.torch}, {label}"
    return Shell(section, health.state, label, request.state.csp_nonce)


def show(request: Request, page: Page, status: int = 200) -> HTMLResponse:
    """Render a page dataclass with the template that belongs to it."""
    return HTMLResponse(render_page(get_site(request).environment, page), status_code=status)
