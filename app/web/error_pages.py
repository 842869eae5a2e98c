"""Every failure as a page, or for programs as a problem document: never a trace.

Expected errors come with their own sentence, anything else as our mistake.
"""

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from app.errors import GradproofError
from app.web.headers import secure
from app.web.pages.shell import make_shell, show
from app.web.problems import errors_of, is_api, problem
from app.web.views import ErrorPage

log = structlog.get_logger()

TITLES = {404: "Not found", 405: "That does not work here"}
MESSAGES = {
    404: "There is no page at this address. The list of items has everything that can be practised.",
    405: "This address takes another kind of request. Go back and use the page's own links and buttons.",
}
API_MESSAGES = {
    400: "The body is no JSON that can be read.",
    404: "There is nothing at this address. /api/v1/openapi.json lists what there is.",
    405: "This address takes another method. /api/v1/openapi.json says which.",
}


def error_page(request: Request, status: int, title: str, message: str) -> Response:
    """Render one error; a page that is only away for the moment can be asked for again."""
    if is_api(request):
        return problem(status, title, message)
    back = ("/practice", "All items")
    if status == 503 and request.method == "GET":
        path = "/" + request.url.path.lstrip("/")  # "//host" would lead elsewhere
        back = (path + (f"?{request.url.query}" if request.url.query else ""), "Try again")
    page = ErrorPage(make_shell(request, "none"), status, title, message, *back)
    return show(request, page, status)


def expected(request: Request, error: Exception) -> Response:
    """Render a `GradproofError`."""
    failure = error if isinstance(error, GradproofError) else GradproofError(str(error))
    response = error_page(request, failure.status, failure.title, failure.message)
    if failure.retry_after is not None:
        response.headers["retry-after"] = str(failure.retry_after)
    if failure.status == 401 and is_api(request):
        response.headers["www-authenticate"] = 'Bearer realm="Gradproof"'
    return response


def http_error(request: Request, error: Exception) -> Response:
    """Render what routing refuses."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    title = TITLES.get(status, "That did not work")
    messages = API_MESSAGES if is_api(request) else MESSAGES
    message = messages.get(status, "The request could not be answered. Go back and try once more.")
    response = error_page(request, status, title, message)
    response.headers.update(getattr(error, "headers", None) or {})
    return response


def unreadable(request: Request, error: Exception) -> Response:
    """Render a parameter that is not what the address needs, or a body that is not what it says."""
    if is_api(request) and isinstance(error, RequestValidationError):
        message = "It has parts of another kind than the API takes. Nothing was stored."
        return problem(422, "The request cannot be used", message, errors_of(error.errors()))
    return error_page(
        request, 422, "That address is not complete", "A part of it cannot be read. Go back and try again."
    )


def unexpected(request: Request, error: Exception) -> Response:
    """Render our own mistake and log it with its trace; the page says nothing of it."""
    log.error("unexpected_error", path=request.url.path, exc_info=error)
    message = "This is our mistake, not yours, and it was logged. Nothing was stored by this request; try once more."
    response = error_page(request, 500, "Something broke on our side", message)
    secure(response.headers, request.state.csp_nonce)  # this handler answers outside of the middleware
    return response


def add_error_pages(app: FastAPI) -> None:
    """Install one handler per kind of failure."""
    app.add_exception_handler(GradproofError, expected)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(RequestValidationError, unreadable)
    app.add_exception_handler(Exception, unexpected)
