"""What handlers ask for, as `Annotated` aliases: the site, a transaction, and who is asking."""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Annotated
from uuid import UUID

import jinja2
from fastapi import Depends, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.bank.catalog import Bank
from app.clock import now
from app.db import Database
from app.delivery.sealing import Sealer
from app.livecheck import LiveCheck
from app.models.account import account_by_token, account_of_person
from app.settings import Settings
from app.tokens import Signer, hash_secret
from app.web.limiter import Limiter

PROFILE_COOKIE = "gradproof_profile"
SESSION_COOKIE = "gradproof_session"
PROFILE_SECONDS = 400 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Site:
    """Everything one running application holds; made by `create_app`, closed by its lifespan."""

    settings: Settings
    bank: Bank
    database: Database
    livecheck: LiveCheck
    signer: Signer
    sealer: Sealer
    limiter: Limiter
    environment: jinja2.Environment

    @property
    def base_url(self) -> str:
        """Return what links that leave the site start with."""
        return self.settings.base_url


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who is asking. `person` is `None` without a readable cookie; `unreadable` says that one was there.

    `renew` asks for a new cookie. The profile of an account belongs to who is signed in: its cookie alone is none.
    """

    person: UUID | None
    unreadable: bool
    address: str
    renew: bool = False
    zone: str = "UTC"  # in which the person's days begin and end


def get_site(request: Request) -> Site:
    """Return the site that `create_app` put on the application."""
    site: Site = request.app.state.site
    return site


CurrentSite = Annotated[Site, Depends(get_site)]


def get_session(site: CurrentSite) -> Iterator[Session]:
    """Open a reading transaction that ends before the response leaves."""
    with site.database.reading() as session:
        yield session


def address_share(host: str) -> str:
    """Return what counts as one address: one of IPv4, or the /64 of IPv6, all of which one customer has to themselves.

    Whatever is no address, such as the name that a Unix socket has, is returned as it is.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or ip_network((int(address), 64), strict=False))
    return host


def get_visitor(request: Request, site: CurrentSite) -> Visitor:
    """Return the person of the account that is signed in, else that of the profile cookie."""
    address = address_share(request.client.host) if request.client else "unknown"
    cookie, token = request.cookies.get(PROFILE_COOKIE), request.cookies.get(SESSION_COOKIE)
    profile = site.signer.read_profile(cookie) if cookie else None
    if token is None and profile is None:
        return Visitor(None, bool(cookie), address)
    with site.database.reading() as session:
        found = account_by_token(session, hash_secret(token), now()) if token else None
        if found is not None:
            return Visitor(found[0].person_id, False, address, zone=found[0].time_zone)
        owned = profile is not None and account_of_person(session, profile.person) is not None
    if profile is None or owned:
        return Visitor(None, bool(cookie) and profile is None, address)
    return Visitor(profile.person, False, address, profile.old)


def remember_person(site: Site, response: Response, person: UUID) -> None:
    """Set the cookie that makes this browser the profile's."""
    response.set_cookie(
        PROFILE_COOKIE,
        site.signer.sign_profile(person),
        max_age=PROFILE_SECONDS,
        httponly=True,
        samesite="lax",
        secure=site.settings.cookie_secure,
    )


# With FastAPI's default scope the transaction would end after the response left.
Db = Annotated[Session, Depends(get_session, scope="function")]
CurrentVisitor = Annotated[Visitor, Depends(get_visitor)]
