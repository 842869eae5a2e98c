"""The web application: its site, lifespan, middleware, pages and error pages, in reading order."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from fastapi import Depends, FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware

from app.bank.loader import load
from app.bank.verified import FOLDER, Records
from app.db import Database, open_database
from app.delivery.mail import mail_server
from app.delivery.sealing import Sealer
from app.livecheck import LiveCheck, check_bank
from app.sandbox.client import SandboxClient
from app.settings import Settings, SettingsError, resource_dir
from app.sweeping import sweeping
from app.tokens import Signer, generated_key
from app.web.access import add_sign_in_redirect
from app.web.access_log import AccessLog
from app.web.api.document import add_api
from app.web.csrf import refuse_cross_site
from app.web.dependencies import Site
from app.web.error_pages import add_error_pages
from app.web.head import HeadAsGet
from app.web.headers import SecurityHeaders
from app.web.limiter import Limiter
from app.web.pages import (
    accounts,
    attempts,
    bank_states,
    candidate_data,
    candidates,
    comparisons,
    history,
    home,
    integrations,
    interview_sheets,
    invitations,
    item_analysis,
    own_data,
    practice,
    preview,
    privacy,
    quiz_preview,
    quiz_sessions,
    quizzes,
    quizzes_taken,
    reading,
    report_items,
    reports,
    results,
    system,
    team_item_preview,
    team_items,
    teams,
)
from app.web.static import CachedStatic, math_font
from app.web.templating import create_environment

log = structlog.get_logger()

STOP_S = 2.0


def create_app(settings: Settings, sandbox: SandboxClient | None = None) -> FastAPI:
    """Return the application; nothing is opened, read or started before its lifespan.

    `sandbox` stands in for the one that the settings name.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        prepare(settings)
        client = sandbox or SandboxClient(settings.sandbox_address)
        site = open_site(settings, client)
        app.state.site = site
        site.livecheck.refresh_health()  # the first page should not say "starting" of a sandbox that is ready
        async with checking(site), sweeping(site):
            yield
        client.close()
        site.database.dispose()

    app = FastAPI(
        title="Gradproof",
        lifespan=lifespan,
        openapi_url=None,
        dependencies=[Depends(refuse_cross_site)],
        redirect_slashes=False,
    )
    app.add_middleware(GZipMiddleware, minimum_size=1000)
    app.add_middleware(HeadAsGet)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(AccessLog)
    for page in (
        home,
        practice,
        history,
        quizzes_taken,
        attempts,
        reading,
        bank_states,
        accounts,
        own_data,
        privacy,
        teams,
        integrations,
        team_items,
        team_item_preview,
        candidates,
        candidate_data,
        quiz_preview,
        quizzes,
        invitations,
        quiz_sessions,
        results,
        reports,
        interview_sheets,
        comparisons,
        item_analysis,
        system,
    ):
        app.include_router(page.router)
    for router in report_items.ROUTERS:
        app.include_router(router)
    if settings.preview:
        app.include_router(preview.router)
    app.add_api_route("/static/math.otf", math_font, include_in_schema=False)
    app.mount("/static", CachedStatic(directory=resource_dir("static")), name="static")
    add_api(app)
    add_error_pages(app)
    add_sign_in_redirect(app)
    return app


@asynccontextmanager
async def checking(site: Site) -> AsyncIterator[None]:
    """Check the bank in the background meanwhile; at the end wait a moment for the check that is under way."""
    stop = threading.Event()
    checker = threading.Thread(target=check_bank, args=(site.livecheck, site.bank, stop), name="bank", daemon=True)
    if site.settings.check_bank_at_start:
        checker.start()
    try:
        yield
    finally:
        stop.set()
        if checker.is_alive():
            await run_in_threadpool(checker.join, STOP_S)


def prepare(settings: Settings) -> None:
    """Make the `var` folder and bring the database up to date; safe to repeat.

    Raises `SettingsError` or `StorageError` for what would keep the site from starting.
    """
    settings.make_var()
    if not settings.bank.is_dir():
        raise SettingsError(f"GRADPROOF_BANK: there is no folder {settings.bank}")
    mail_server(settings)
    open_database(settings.effective_database_url).dispose()


def open_site(settings: Settings, sandbox: SandboxClient) -> Site:
    """Load the bank and hold everything a request needs.

    A bank file with problems is left out and each problem is logged: the rest can be practised meanwhile.
    """
    bank = load(settings.bank)
    for problem in bank.problems:
        log.error(
            "bank_problem", file=str(problem.file), line=problem.line, field=problem.field, message=problem.message
        )
    keys = signing_keys(settings)
    return Site(
        settings=settings,
        bank=bank,
        database=Database(settings.effective_database_url),
        livecheck=LiveCheck(sandbox, Records(settings.var / FOLDER).failed()),
        signer=Signer(keys),
        sealer=Sealer(keys),
        limiter=Limiter(),
        environment=create_environment(
            resource_dir("templates"), glossary=bank.glossary.values(), auto_reload=settings.preview
        ),
    )


def signing_keys(settings: Settings) -> list[str]:
    """Return the keys to sign with, the current one last; one kept in `var` where none is set."""
    current = settings.secret_key.get_secret_value() or generated_key(settings.make_var())
    previous = settings.secret_key_previous.get_secret_value()
    return [previous, current] if previous else [current]
