"""`/teams/{team}/integrations`: keys of the API, webhooks, and the log of what was sent to other programs."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.clock import now
from app.delivery.outbox import retry
from app.errors import NotFoundError
from app.hiring import api_keys, webhook_endpoints
from app.hiring.api_keys import InvalidKeyError, find_key, keys_of, make_key, read_hosts, revoke_key
from app.hiring.events import MEANINGS
from app.hiring.webhook_endpoints import InvalidEndpointError, add_endpoint, endpoints_of, find_endpoint
from app.models import ApiKey, Delivery, WebhookEndpoint
from app.models.delivery import Channel, find_delivery, log_of
from app.web.access import TeamAccess, TeamOwner
from app.web.dependencies import CurrentSite, Db
from app.web.fields import Field, FormView
from app.web.forms import Form, FormDb
from app.web.integration_views import DeliveryRow, EndpointRow, IntegrationsPage, KeyRow, NewSecret
from app.web.pages.shell import make_shell, show
from app.web.pages.teams import team_heading
from app.web.pages.times import show_day, show_time
from app.web.views import Notice, Tone

Name = TypeVar("Name", bound=StrEnum)

router = APIRouter(prefix="/teams/{team_id}/integrations")

LOG = 50
OURS = (Channel.WEBHOOK, Channel.PARTNER)
NAME = Field("name", "Which program uses it", attributes=(("maxlength", "120"),))
HOSTS = Field(
    "hosts",
    "Hosts that it may be sent to",
    required=False,
    help="Only for partners that want to be called back, such as Greenhouse: the key travels with each call. "
    "Names like ats.example.org, with spaces between them.",
    attributes=(("maxlength", "2000"),),
)
URL = Field("url", "Address", "url", attributes=(("maxlength", "2000"),), help="Reached by HTTPS, on the internet.")
KEY_WORDS = "Keep it where the program reads it. It cannot be shown again: if it is lost, revoke it and make another."
SIGNING_WORDS = "The receiver checks signatures with it. It cannot be shown again, only exchanged for a new one."


def _box(prefix: str, name: StrEnum, meaning: str) -> Field:
    return Field(f"{prefix}-{name.replace(':', '-').replace('.', '-')}", name, "checkbox", required=False, help=meaning)


SCOPES = {scope: _box("scope", scope, meaning) for scope, meaning in api_keys.MEANINGS.items()}
EVENTS = {event: _box("event", event, meaning) for event, meaning in MEANINGS.items()}


def _ticked(boxes: Mapping[Name, Field], fields: Mapping[str, str]) -> list[Name]:
    return [name for name, box in boxes.items() if fields.get(box.name) == "on"]


def _url(access: TeamAccess) -> str:
    return f"/teams/{access.team.id}/integrations"


def _key_form(access: TeamAccess) -> FormView:
    return FormView(f"{_url(access)}/keys", (NAME, *SCOPES.values(), HOSTS), "Make the key")


def _endpoint_form(access: TeamAccess) -> FormView:
    return FormView(f"{_url(access)}/webhooks", (URL, *EVENTS.values()), "Add the endpoint")


def _key_row(access: TeamAccess, key: ApiKey) -> KeyRow:
    zone, url = access.team.time_zone, f"{_url(access)}/keys/{key.id}"
    works = key.revoked_at is None
    hosts = Field("hosts", "Hosts", value=" ".join(key.callback_hosts))
    return KeyRow(
        name=key.name,
        start=f"{key.prefix}…",
        scopes=tuple(key.scopes),
        hosts=tuple(key.callback_hosts),
        used=show_time(key.used_at, zone) if key.used_at else "never",
        state="works" if key.revoked_at is None else f"revoked {show_day(key.revoked_at, zone)}",
        change_hosts=FormView(f"{url}/hosts", (hosts,), "Change hosts") if works and key.sealed else None,
        revoke=FormView(f"{url}/revoke", (), "Revoke", danger=True) if works else None,
    )


def _endpoint_row(access: TeamAccess, endpoint: WebhookEndpoint) -> EndpointRow:
    url, on, zone = f"{_url(access)}/webhooks/{endpoint.id}", endpoint.disabled_at is None, access.team.time_zone
    state = "on" if endpoint.disabled_at is None else f"off since {show_time(endpoint.disabled_at, zone)}"
    if endpoint.previous_secret:
        state += "; the old secret signs too"
    actions = (
        (on, FormView(f"{url}/test", (), "Send a test")),
        (True, FormView(f"{url}/rotate", (), "New secret")),
        (bool(endpoint.previous_secret), FormView(f"{url}/drop-old-secret", (), "Drop the old secret")),
        (on, FormView(f"{url}/off", (), "Switch off")),
        (not on, FormView(f"{url}/on", (), "Switch on")),
        (True, FormView(f"{url}/remove", (), "Remove", danger=True)),
    )
    return EndpointRow(endpoint.url, tuple(endpoint.events), state, tuple(form for fits, form in actions if fits))


def _delivery_row(access: TeamAccess, one: Delivery) -> DeliveryRow:
    zone = access.team.time_zone
    if one.done_at is not None:
        state = "given up" if one.error else "delivered"
    else:
        state = f"next try {show_time(one.next_try_at, zone)}" if one.tries else "on its way"
    what = one.payload.get("type", "") if one.channel == Channel.WEBHOOK else "call to a partner"
    retry = FormView(f"{_url(access)}/deliveries/{one.id}/retry", (), "Retry now") if one.error else None
    return DeliveryRow(
        when=show_time(one.created_at, zone),
        when_iso=one.created_at.isoformat(),
        what=what,
        host=urlsplit(one.target).hostname or "",
        state=state,
        tries=one.tries,
        error=one.error,
        retry=retry,
    )


def _page(request: Request, access: TeamAccess, session: Session, **changes: object) -> IntegrationsPage:
    sent = log_of(session, access.team.id, OURS, LOG)
    fields: dict[str, object] = {
        "shell": make_shell(request, "teams"),
        "team": team_heading(access, "integrations"),
        "keys": tuple(_key_row(access, one) for one in keys_of(session, access.team.id)),
        "make_key": _key_form(access),
        "endpoints": tuple(_endpoint_row(access, one) for one in endpoints_of(session, access.team.id)),
        "add_endpoint": _endpoint_form(access),
        "deliveries": tuple(_delivery_row(access, one) for one in sent),
    }
    return IntegrationsPage(**fields | changes)  # type: ignore[arg-type]  # a dict of mixed values


def _show_once(request: Request, page: IntegrationsPage) -> HTMLResponse:
    """Return a page with a secret, which no cache may keep."""
    response = show(request, page)
    response.headers["cache-control"] = "no-store"
    return response


def _wrong(form: FormView, fields: Mapping[str, str], field: str, boxes: Iterable[Field], message: str) -> FormView:
    """Return a form with a sentence at a field, or at the first of `boxes` where the choice as a whole is wrong."""
    names = {one.name for one in form.fields}
    return form.filled(fields, {field if field in names else next(iter(boxes)).name: message})


@router.get("")
def integrations(request: Request, access: TeamOwner, session: Db) -> HTMLResponse:
    """Show keys, endpoints and the log."""
    return show(request, _page(request, access, session))


@router.post("/keys")
def make(request: Request, site: CurrentSite, access: TeamOwner, session: FormDb, fields: Form) -> HTMLResponse:
    """Make a key; it is on the page this once."""
    try:
        key, secret = make_key(
            session,
            access.team.id,
            access.account.id,
            now(),
            name=fields.get("name", ""),
            scopes=_ticked(SCOPES, fields),
            hosts=read_hosts(fields.get("hosts", ""), loopback=site.settings.deliver_to_loopback),
            sealer=site.sealer,
        )
    except InvalidKeyError as error:
        form = _wrong(_key_form(access), fields, error.field, SCOPES.values(), error.message)
        return show(request, _page(request, access, session, make_key=form), error.status)
    session.flush()
    new = NewSecret(f"The key for {key.name} is shown this once:", secret, KEY_WORDS)
    return _show_once(request, _page(request, access, session, new_secret=new))


@router.post("/keys/{key_id}/revoke")
def revoke(access: TeamOwner, session: FormDb, key_id: UUID) -> Response:
    """End a key."""
    revoke_key(session, find_key(session, access.team.id, key_id), access.account.id, now())
    return RedirectResponse(_url(access), 303)


@router.post("/keys/{key_id}/hosts")
def hosts(access: TeamOwner, site: CurrentSite, session: FormDb, fields: Form, key_id: UUID) -> Response:
    """Change where a key may be sent to."""
    key = find_key(session, access.team.id, key_id)
    named = read_hosts(fields.get("hosts", ""), loopback=site.settings.deliver_to_loopback)
    api_keys.change_hosts(session, key, named, access.account.id, now())
    return RedirectResponse(_url(access), 303)


@router.post("/webhooks")
def add(request: Request, site: CurrentSite, access: TeamOwner, session: FormDb, fields: Form) -> HTMLResponse:
    """Add an endpoint; its secret is on the page this once."""
    try:
        endpoint, secret = add_endpoint(
            session,
            access.team.id,
            access.account.id,
            now(),
            url=fields.get("url", ""),
            events=_ticked(EVENTS, fields),
            sealer=site.sealer,
            loopback=site.settings.deliver_to_loopback,
        )
    except InvalidEndpointError as error:
        form = _wrong(_endpoint_form(access), fields, error.field, EVENTS.values(), error.message)
        return show(request, _page(request, access, session, add_endpoint=form), error.status)
    session.flush()
    return _show_once(request, _page(request, access, session, new_secret=_new(endpoint, secret)))


def _new(endpoint: WebhookEndpoint, secret: str) -> NewSecret:
    return NewSecret(f"The secret of {urlsplit(endpoint.url).hostname} is shown this once:", secret, SIGNING_WORDS)


@router.post("/deliveries/{delivery_id}/retry")
def retry_now(request: Request, access: TeamOwner, session: FormDb, delivery_id: UUID) -> HTMLResponse:
    """Try a message that failed once more."""
    retry(session, find_delivery(session, access.team.id, OURS, delivery_id), access.account.id, now())
    session.flush()
    notice = Notice(Tone.INFO, "It is tried now", "The log below says what became of it: reload the page.")
    return show(request, _page(request, access, session, notice=notice))


@router.post("/webhooks/{endpoint_id}/{action}")
def act(
    request: Request, site: CurrentSite, access: TeamOwner, session: FormDb, endpoint_id: UUID, action: str
) -> Response:
    """Send a test, exchange the secret, switch off or on, or remove."""
    endpoint, actor, at = find_endpoint(session, access.team.id, endpoint_id), access.account.id, now()
    match action:
        case "test":
            webhook_endpoints.send_test(session, endpoint, at)
            session.flush()
            notice = Notice(Tone.INFO, "A test is on its way", "The log below says what became of it: reload the page.")
            return show(request, _page(request, access, session, notice=notice))
        case "rotate":
            secret = webhook_endpoints.rotate_secret(session, endpoint, site.sealer, actor, at)
            return _show_once(request, _page(request, access, session, new_secret=_new(endpoint, secret)))
        case "drop-old-secret":
            webhook_endpoints.drop_old_secret(session, endpoint, actor, at)
        case "on" | "off":
            webhook_endpoints.switch(session, endpoint, actor, at, on=action == "on")
        case "remove":
            webhook_endpoints.remove(session, endpoint, actor, at)
        case _:
            raise NotFoundError("There is no such action.")
    return RedirectResponse(_url(access), 303)
