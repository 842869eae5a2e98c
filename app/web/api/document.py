"""`/api/v1/openapi.json`: the API's description for programs, made of its routes and models."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse

from app.web.api import invitations, quizzes, results
from app.web.api.schemas import Problem
from app.web.problems import MEDIA_TYPE

ROUTERS: Sequence[APIRouter] = (quizzes.router, invitations.router, results.router)
DESCRIPTION = (
    "Quizzes, invitations and results of one team. A key is made on the team's integrations page and sent as "
    "`Authorization: Bearer gp_…`; each operation names the scope it needs. Every failure is a problem document "
    "(RFC 9457)."
)
PROBLEM = {
    "description": "A problem document.",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}

router = APIRouter(prefix="/api/v1")


def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    routes = [route for one in ROUTERS for route in one.routes if isinstance(route, APIRoute)]
    made = get_openapi(title="Gradproof", version="1", description=DESCRIPTION, routes=routes)
    schemas = made["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):  # of FastAPI's own format, which no answer here has
        schemas.pop(name, None)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= problem.pop("$defs") | {"Problem": problem}
    for methods in made["paths"].values():
        for operation in methods.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = PROBLEM
    return made


@router.get("/openapi.json", include_in_schema=False)
def openapi() -> JSONResponse:
    """Return the document; it holds nothing of any team."""
    return JSONResponse(document(), headers={"cache-control": "public, max-age=3600"})


def add_api(app: FastAPI) -> None:
    """Install the API."""
    for one in (*ROUTERS, router):
        app.include_router(one)
