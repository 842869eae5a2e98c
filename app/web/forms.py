"""Reading forms: bounded, UTF-8 or refused, each field once; with a file where a page takes one."""

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from sqlalchemy.orm import Session
from starlette.formparsers import MultiPartException, MultiPartParser

from app.errors import BadRequestError, GradproofError, TooLargeError
from app.web.dependencies import CurrentSite

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
LARGEST_UPLOAD = 2 * 1024 * 1024
MOST_FIELDS = 100
MOST_SENT_FILES = 1_000  # read at all; a page that takes files says how many it takes


class NotAFormError(GradproofError):
    """The body is of another type."""

    status = 415
    title = "This page takes a plain form"


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body of at most `limit` bytes, without reading more of it than that.

    Raises `TooLargeError`.
    """
    too_large = TooLargeError(
        f"What was sent is larger than {limit // 1024} kB, so it was not read. Send less at once."
    )
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > limit:
        raise too_large
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise too_large
    return bytes(body)


def parse_form(body: bytes) -> dict[str, str]:
    """Return the fields of an urlencoded body.

    Raises `BadRequestError` for bytes that are not UTF-8, for too many fields and for a field that comes twice.
    """
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except UnicodeDecodeError as error:
        raise BadRequestError("The form is not UTF-8 text, so it was not read. Nothing was stored.") from error
    except ValueError as error:
        raise BadRequestError("The form has far more fields than the page. Nothing was stored.") from error
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise BadRequestError("A field of the form came twice, so it is unclear what was meant. Nothing was stored.")
    return fields


async def _form(request: Request, site: CurrentSite) -> dict[str, str]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise NotAFormError("Send it as the page's own form does. Nothing was stored.")
    return parse_form(await read_body(request, site.settings.form_max_bytes))


Form = Annotated[dict[str, str], Depends(_form)]


def get_writing_session(site: CurrentSite, _read_before: Form) -> Iterator[Session]:
    """Open a writing transaction that commits before the response leaves.

    It opens after the form has arrived: a slow sender must not hold the database.
    """
    with site.database.writing() as session:
        yield session


# With FastAPI's default scope the transaction would end after the response left.
FormDb = Annotated[Session, Depends(get_writing_session, scope="function")]


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file of a form, with the name that its sender gave it."""

    name: str
    content: bytes


async def _sent(request: Request, most_files: int) -> list[tuple[str, str | SentFile]]:
    """Read a form that may carry files, in the order in which its fields were sent."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await read_body(request, LARGEST_UPLOAD)
    if kind == FORM:
        return list(parse_form(body).items())
    if kind != MULTIPART:
        raise NotAFormError("Send it as the page's own form does. Nothing was stored.")

    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    try:
        parser = MultiPartParser(
            request.headers, stream(), max_files=most_files, max_fields=MOST_FIELDS, max_part_size=LARGEST_UPLOAD
        )
        form = await parser.parse()
    except (MultiPartException, ValueError, KeyError) as error:
        raise BadRequestError("The upload cannot be read. Nothing was stored; choose the file again.") from error
    sent: list[tuple[str, str | SentFile]] = []
    for name, value in form.multi_items():
        sent.append((name, value if isinstance(value, str) else SentFile(value.filename or "", await value.read())))
    await form.close()
    return sent


async def _upload(request: Request) -> dict[str, str | bytes]:
    """Read a form that may carry one file; a file is bytes, everything else text."""
    pairs = await _sent(request, 1)
    fields = {name: value.content if isinstance(value, SentFile) else value for name, value in pairs}
    if len(fields) != len(pairs):
        raise BadRequestError("A field of the form came twice, so it is unclear what was meant. Nothing was stored.")
    return fields


Upload = Annotated[dict[str, str | bytes], Depends(_upload)]


def get_upload_session(site: CurrentSite, _read_before: Upload) -> Iterator[Session]:
    """Open a writing transaction after an upload has arrived."""
    with site.database.writing() as session:
        yield session


UploadDb = Annotated[Session, Depends(get_upload_session, scope="function")]


async def _files(request: Request) -> list[SentFile]:
    """Read the files of a form; a field that no file was chosen in is sent as an empty one without a name."""
    sent = [value for _, value in await _sent(request, MOST_SENT_FILES) if isinstance(value, SentFile)]
    return [one for one in sent if one.name or one.content]


Files = Annotated[list[SentFile], Depends(_files)]
