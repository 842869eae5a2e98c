"""Every knob in one place: read from `GRADPROOF_*` variables or a `.env` file, checked once at start."""

import difflib
import os
from pathlib import Path
from typing import Annotated, Literal

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.errors import GradproofError

PREFIX = "GRADPROOF_"
ENV_FILE = ".env"
OWN_FILES = {"signing-key", "gradproof.db", "sandbox", "verified"}
APP_DIR = Path(__file__).parent


class SettingsError(GradproofError):
    """A setting is wrong; the message names each one and says what it may be."""

    status = 500


def resource_dir(name: str) -> Path:
    """Return the folder `name` (templates, static, migrations …) of a checkout or of an installed wheel."""
    beside = APP_DIR.parent / name
    return beside if (APP_DIR.parent / "pyproject.toml").is_file() else APP_DIR / "_resources" / name


def default_bank() -> Path:
    """Return the question bank that ships with the product."""
    return resource_dir("question_bank")


class Settings(BaseSettings):
    """The settings of one process. The docstring of each field is its reason; docs/settings.md lists them."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=ENV_FILE, extra="ignore", use_attribute_docstrings=True
    )

    var: Path = Path("var")
    """Folder (made with mode 0700) for the database, the signing key and the sandbox socket."""
    database_url: str = ""
    """SQLAlchemy URL; empty means SQLite in `var`, which is right for one machine."""
    bank: Path = Field(default_factory=default_bank)
    """Folder of the question bank."""
    sandbox: str = ""
    """`unix:/path` or `http://host:port` of a sandbox service; empty means `serve` starts and supervises one."""
    host: str = "127.0.0.1"
    """Address to listen on; a public one needs `secret_key`."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """Port to listen on; 0 takes a free one."""
    secret_key: SecretStr = SecretStr("")
    """Signs cookies and forms; empty means a key made at first start and kept in `var`."""
    secret_key_previous: SecretStr = SecretStr("")
    """The key before the current one, still accepted while it rotates."""
    contact: str = ""
    """Who runs the site and how to reach them, in a few words; shown on the page about privacy."""
    trusted_proxies: str = ""
    """Addresses of proxies, comma separated, whose forwarded client address is believed."""
    public_url: str = ""
    """Address people reach the site at, such as `https://prove.example.org`; links in mails start with it."""
    smtp_url: SecretStr = SecretStr("")
    """Mail server, `smtp://user:password@host:587` (with STARTTLS) or `smtps://`; empty means links are copied."""
    mail_from: str = ""
    """Sender of mails, such as `Gradproof <quiz@example.org>`; needed where `smtp_url` is set."""
    deliver_to_loopback: bool = False
    """Let webhooks and partner calls go to this very machine, and by http; for development only."""
    sweep: bool = True
    """Do the work of the background in this process: mails, webhooks, sessions whose time is over."""
    cookie_secure: bool = False
    """Send cookies over HTTPS only; switch on wherever the site is reached by HTTPS."""
    form_max_bytes: Annotated[int, Field(ge=1024, le=1024 * 1024)] = 64 * 1024
    """Largest form body; an answer needs far less."""
    form_max_hours: Annotated[int, Field(ge=1, le=24 * 30)] = 24
    """How long a shown question can be answered; a signed form should not be good for ever."""
    reveals_burst: Annotated[int, Field(ge=1)] = 5
    """Reveals one person may ask for at once; each is several runs in the sandbox."""
    reveals_per_minute: Annotated[int, Field(ge=1)] = 30
    """Reveals per minute and person after the burst; nobody reads faster."""
    address_burst: Annotated[int, Field(ge=1)] = 60
    """Reveals one address may ask for at once, all its people together; a class room shares one address."""
    address_per_minute: Annotated[int, Field(ge=1)] = 600
    """Reveals per minute and address after the burst."""
    api_burst: Annotated[int, Field(ge=1)] = 60
    """Requests one API key may make at once."""
    api_per_minute: Annotated[int, Field(ge=1)] = 300
    """Requests per minute and API key after the burst; a program that needs more asks for pages, not for each one."""
    check_bank_at_start: bool = True
    """Check one variant of every item at start, so that an item whose key differs is withheld early."""
    preview: bool = False
    """Pages at /preview that show an item file with its key while it is written; for an author's own machine only."""
    log_format: Literal["console", "json"] = "console"
    """`console` for people, `json` for machines."""

    @property
    def effective_database_url(self) -> str:
        """Return the database URL, the SQLite file in `var` where none was given."""
        return self.database_url or f"sqlite:///{self.var.absolute() / 'gradproof.db'}"

    @property
    def sandbox_socket(self) -> Path:
        """Return where a sandbox started by this process listens; two `serve` over one `var` have one each."""
        return self.var.absolute() / "sandbox" / f"{os.getpid()}.sock"

    @property
    def sandbox_address(self) -> str:
        """Return the address of the sandbox service."""
        return self.sandbox or f"unix:{self.sandbox_socket}"

    @property
    def sends_mail(self) -> bool:
        """Say whether mails leave this site; where they do not, pages show links to copy."""
        return bool(self.smtp_url.get_secret_value())

    @property
    def base_url(self) -> str:
        """Return what links in mails start with, without a slash at the end."""
        return (self.public_url or f"http://{self.host}:{self.port}").rstrip("/")

    def make_var(self) -> Path:
        """Make the `var` folder, and keep it to its owner where it was there before.

        Raises `SettingsError` where it cannot be made.
        """
        try:
            self.var.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self.var.stat().st_mode & 0o077:
                self._keep_private()
        except OSError as error:
            raise SettingsError(
                f"GRADPROOF_VAR: {self.var} cannot be used as a folder ({error.strerror}). Name another one, or give "
                "this user the right to write there."
            ) from error
        return self.var

    def _keep_private(self) -> None:
        found = {path.name for path in self.var.iterdir()}
        if found and not found & OWN_FILES:
            raise SettingsError(
                f"GRADPROOF_VAR: {self.var} holds other things, and other users can read it. Name a folder of its own."
            )
        self.var.chmod(0o700)


def unknown_variables() -> list[str]:
    """Return a sentence for each `GRADPROOF_*` variable of the environment or of `.env` that is no setting.

    Other lines of `.env` belong to other tools. Raises `SettingsError` for a file that is not UTF-8.
    """
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    try:
        in_file = dotenv_values(ENV_FILE) if Path(ENV_FILE).is_file() else {}
    except (UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{ENV_FILE} cannot be read as UTF-8 text: {error}") from error
    sentences = []
    for name in sorted({*os.environ, *in_file}):
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            near = difflib.get_close_matches(name.upper(), known, n=1)
            hint = f"; did you mean {near[0]}?" if near else "; see docs/settings.md"
            sentences.append(f"{name} is not a setting{hint}")
    return sentences


def _sentence(error: dict[str, object]) -> str:
    location = error["loc"]
    field = str(location[0]) if isinstance(location, tuple) and location else "?"
    name = field.upper() if field.upper().startswith(PREFIX) else PREFIX + field.upper()
    return f"{name}: {error['msg']}"


def load_settings(**overrides: object) -> Settings:
    """Return the settings of this process.

    Raises `SettingsError` that names every bad setting.
    """
    sentences = unknown_variables()
    try:
        settings = Settings(**overrides)  # type: ignore[arg-type]  # checked by pydantic, field by field
    except ValidationError as error:
        sentences += [_sentence(dict(one)) for one in error.errors()]
    else:
        if not sentences:
            return settings
    raise SettingsError("Settings cannot be used:\n  " + "\n  ".join(sentences))
