"""`gradproof user`: accounts, made and changed at the machine that runs the site."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from app.accounts.administrators import create_account, find_account, refuse_taken, set_administrator, set_password
from app.clock import now
from app.commands.support import out
from app.db import Database, open_database
from app.settings import load_settings

app = typer.Typer(no_args_is_help=True, help="Accounts.")
Email = Annotated[str, typer.Argument(help="The mail address of the account.")]


@app.command("create")
def create(
    email: Email,
    admin: Annotated[bool, typer.Option("--admin", help="Let the account run the site.")] = False,
    name: Annotated[str, typer.Option(help="How the person is called on pages.")] = "",
) -> None:
    """Make an account; the password is asked for, or is the first line of standard input."""
    with _database() as database:
        email = refuse_taken(database, email)  # said before a password is typed
        create_account(database, email=email, name=name, password=_read_password(), administrator=admin, now=now())
    out.print(f"{email} can sign in now{', and runs the site' if admin else ''}.", markup=False)


@app.command("password")
def change_password(email: Email) -> None:
    """Give an account another password, asked for as by `create`; its browsers are signed out."""
    with _database() as database:
        email = find_account(database, email).email
        set_password(database, email=email, password=_read_password(), now=now())
    out.print(f"{email} has another password now.", markup=False)


@app.command("admin")
def change_admin(
    email: Email,
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the right back.")] = False,
) -> None:
    """Let an account that exists run the site, or no longer."""
    with _database() as database:
        set_administrator(database, email, now(), administrator=not revoke)
    out.print(f"{email} {'does not run' if revoke else 'runs'} the site now.", markup=False)


@contextmanager
def _database() -> Iterator[Database]:
    settings = load_settings()
    settings.make_var()
    database = open_database(settings.effective_database_url)
    try:
        yield database
    finally:
        database.dispose()


def _read_password() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")
