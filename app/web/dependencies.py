"""What handlers ask for, as `Annotated` aliases: the site, a transaction, and who is asking."""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Annotated
from uuid import UUID

import jinja2
from fastapi import Depends, Request
from sqlalchemy.orm import Session

from app.bank.catalog import Bank
from app.db import Database
from app.delivery.sealing import Sealer
from app.livecheck import LiveCheck
from app.settings import Settings
from app.tokens import Signer
from app.web.limiter import Limiter

PROFILE_COOKIE = "gradproof_profile"


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
    """Who is asking. `person` is `None` without a readable cookie; `unreadable` says that one was there."""

    person: UUID | None
    unreadable: bool
    address: str


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
    """Read the profile cookie; one signed with another key counts as absent."""
    cookie = request.cookies.get(PROFILE_COOKIE)
    person = site.signer.read_profile(cookie) if cookie else None
    address = address_share(request.client.host) if request.client else "unknown"
    return Visitor(person, bool(cookie) and person is None, address)


# With FastAPI's default scope the transaction would end after the response left.
Db = Annotated[Session, Depends(get_session, scope="function")]
CurrentVisitor = Annotated[Visitor, Depends(get_visitor)]
