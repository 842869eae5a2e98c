"""Keys with which other programs act for a team: shown once, stored as a hash, each with the scopes it needs.

A key for a partner is sent back to the partner's hosts, which it names: of such a key alone an encrypted copy is kept,
it goes to no other host, and it opens nothing but the partner interface. Any other key is nowhere but with whoever made
it.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID, uuid4

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.db import Database, StorageError
from app.delivery.outgoing import UnsafeUrlError, read_url
from app.delivery.sealing import Sealer
from app.errors import ConflictError, GradproofError, NotFoundError
from app.models import ApiKey
from app.models.audit_entry import record
from app.tokens import hash_secret, new_secret

START = "gp_"
SHOWN = 9  # characters of a key by which it is recognised: the start, and 36 of its 256 bits
MOST_KEYS = 50
MOST_HOSTS = 10
USED_EVERY = timedelta(minutes=1)  # how often it is written down that a key is in use


class Scope(StrEnum):
    """What a key may be used for."""

    QUIZZES_READ = "quizzes:read"
    INVITATIONS_READ = "invitations:read"
    INVITATIONS_WRITE = "invitations:write"
    RESULTS_READ = "results:read"
    MINUTES_ADD = "minutes:add"
    PARTNER = "partner"


MEANINGS = {
    Scope.QUIZZES_READ: "list quizzes with their settings",
    Scope.INVITATIONS_READ: "see who is invited and how far they are",
    Scope.INVITATIONS_WRITE: "invite and revoke",
    Scope.RESULTS_READ: "read scores and reports; answers and keys only of reports that were released",
    Scope.MINUTES_ADD: "give candidates more time",
    Scope.PARTNER: "the interface for applicant-tracking systems, and nothing else",
}


class InvalidKeyError(GradproofError):
    """A key cannot be made as asked; `field` is what to change."""

    status = 422
    title = "The key was not made"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def read_hosts(text: str, *, loopback: bool = False) -> list[str]:
    """Return the hosts in a text, separated by spaces, commas or lines, in lower case and each once.

    Raises `InvalidKeyError` for what is no name of a public host; `loopback` allows this very machine.
    """
    hosts = list(dict.fromkeys(text.replace(",", " ").lower().split()))
    if len(hosts) > MOST_HOSTS:
        raise InvalidKeyError("hosts", f"Name at most {MOST_HOSTS} hosts.")
    for host in hosts:
        try:
            whole = read_url(f"https://{host}/", loopback=loopback).host == host
        except UnsafeUrlError as error:
            raise InvalidKeyError("hosts", f"{host[:80]}: {error.message}") from error
        if not whole or not ("." in host or loopback):
            raise InvalidKeyError("hosts", f"{host[:80]}: write only the name, such as ats.example.org.")
    return hosts


def make_key(
    session: Session,
    team_id: UUID,
    actor: UUID,
    now: datetime,
    *,
    name: str,
    scopes: Sequence[Scope],
    hosts: Sequence[str],
    sealer: Sealer,
) -> tuple[ApiKey, str]:
    """Make a key and return it with its secret, which nobody can read again.

    Raises `InvalidKeyError`, or `ConflictError` where the team has far too many.
    """
    name = " ".join(name.split())
    if not 1 <= len(name) <= 120 or not name.isprintable():
        raise InvalidKeyError("name", "Name the program that uses it, in at most 120 characters.")
    _check_scopes(scopes, hosts)
    if len([one for one in keys_of(session, team_id) if one.revoked_at is None]) >= MOST_KEYS:
        raise ConflictError(f"A team has at most {MOST_KEYS} keys. Revoke one that nobody uses.")
    secret = START + new_secret()
    key = ApiKey(
        id=uuid4(),
        team_id=team_id,
        name=name,
        scopes=[str(one) for one in scopes],
        prefix=secret[:SHOWN],
        key_hash=hash_secret(secret),
        sealed=sealer.seal(secret) if hosts else "",
        callback_hosts=list(hosts),
        created_at=now,
        created_by=actor,
    )
    session.add(key)
    record(
        session,
        now,
        "api_key.made",
        team_id=team_id,
        actor_id=actor,
        subject=key.id,
        name=name,
        scopes=" ".join(key.scopes),
        hosts=" ".join(hosts),
    )
    return key, secret


def _check_scopes(scopes: Sequence[Scope], hosts: Sequence[str]) -> None:
    if not scopes:
        raise InvalidKeyError("scopes", "Choose at least one thing that it may do.")
    if Scope.PARTNER not in scopes and hosts:
        raise InvalidKeyError("hosts", "Only a key for a partner is sent anywhere. Choose that, or name no hosts.")
    if Scope.PARTNER in scopes and len(scopes) > 1:
        raise InvalidKeyError("scopes", "A key for a partner is sent to others, so it may do nothing else.")
    if Scope.PARTNER in scopes and not hosts:
        raise InvalidKeyError("hosts", "Name the hosts to which the partner wants to be called back.")


def keys_of(session: Session, team_id: UUID) -> Sequence[ApiKey]:
    """Return the keys of a team, those that work first, the newest of each first."""
    query = select(ApiKey).where(ApiKey.team_id == team_id)
    return session.scalars(query.order_by(ApiKey.revoked_at.desc().nulls_first(), ApiKey.created_at.desc())).all()


def find_key(session: Session, team_id: UUID, key_id: UUID) -> ApiKey:
    """Return a key of this very team, or raise `NotFoundError`."""
    key = session.get(ApiKey, key_id)
    if key is None or key.team_id != team_id:
        raise NotFoundError("The team has no such key.")
    return key


def revoke_key(session: Session, key: ApiKey, actor: UUID, now: datetime) -> None:
    """End a key at once: it opens nothing any more, and it is sent nowhere. Its encrypted copy is deleted."""
    if key.revoked_at is None:
        key.revoked_at, key.sealed = now, ""
        record(session, now, "api_key.revoked", team_id=key.team_id, actor_id=actor, subject=key.id, name=key.name)


def change_hosts(session: Session, key: ApiKey, hosts: Sequence[str], actor: UUID, now: datetime) -> None:
    """Say anew which hosts a partner's key may be sent to.

    Raises `InvalidKeyError` for none, and `ConflictError` for a key of which no copy is kept.
    """
    if not hosts:
        raise InvalidKeyError("hosts", "Name at least one host, or revoke the key.")
    if not key.sealed:
        raise ConflictError("No copy of this key is kept, so it cannot be sent anywhere. Make a key for the partner.")
    key.callback_hosts = list(hosts)
    record(
        session,
        now,
        "api_key.hosts_changed",
        team_id=key.team_id,
        actor_id=actor,
        subject=key.id,
        hosts=" ".join(hosts),
    )


def note_use(database: Database, key: ApiKey, now: datetime) -> None:
    """Remember that a key was used, in a transaction of its own and at most once a minute.

    A database that cannot be written keeps nobody from reading.
    """
    if key.used_at is not None and now - key.used_at < USED_EVERY:
        return
    with suppress(StorageError), database.writing() as session:
        session.execute(update(ApiKey).where(ApiKey.id == key.id).values(used_at=now))
