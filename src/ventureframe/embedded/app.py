"""The routes of the service: who is let in, and how a reply or a refusal is written.

Every reply but that to a body too large is JSON. A request that cannot be answered gives the
body of the choices beside the interface, `{"error": {"code", "message", "details"}}`, and never
a status of 500.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ventureframe.embedded import openapi
from ventureframe.embedded.endpoints import Endpoints, written
from ventureframe.embedded.engine.store import Store
from ventureframe.embedded.rate import Rate
from ventureframe.embedded.request import Parameters, Problem, as_problem, invalid
from ventureframe.embedded.tokens import Refused, Tokens
from ventureframe.errors import QueryError
from ventureframe.interface.wire.profile import INTERFACE, Profile

TOKEN_PATH: Final = "/oauth/token"  # noqa: S105  # a path, not a token
API_VERSION: Final = "1"
MAX_BODY: Final = 16_384

Around = Callable[[ASGIApp, str], ASGIApp]


def make_app(
    store: Store,
    tokens: Tokens,
    *,
    profile: Profile = INTERFACE,
    strict: bool = False,
    rate: Rate | None = None,
    around: Around | None = None,
) -> Starlette:
    """The ASGI application: every route of the interface, the token address and `/health`.

    `strict` refuses a query parameter the endpoint does not know; otherwise it is ignored.
    `around` is given the application of each route and its name ("token" for the token address),
    and returns what answers in its place. The application's `state.warm` makes what the first
    queries would have to wait for.
    """
    endpoints = Endpoints(store, profile=profile)
    answers = endpoints.handlers
    common = {
        profile.version_header: API_VERSION,
        profile.dataset_header: quote(store.dataset.description.name, safe=" "),
    }

    def wrapped(route: Route, name: str) -> Route:
        route.app = around(route.app, name) if around is not None else route.app
        return route

    def data_route(name: str, handler: Callable[..., bytes], known: tuple[str, ...]) -> Route:
        def answer(request: Request) -> Response:
            try:
                _admit(request, tokens, profile)
                if rate is not None:
                    _keep_to(rate)
                if strict:
                    _refuse_unknown(request, known)
                parameters = Parameters(request.query_params, profile, store.can_show)
                return _json(handler(parameters, *request.path_params.values()), headers=common)
            except Problem as problem:
                return _error(problem)
            except QueryError as error:
                return _error(as_problem(error))

        return wrapped(Route(profile.paths[name], answer, name=name), name)

    async def token(request: Request) -> Response:
        return await _token(request, tokens)

    known = {name: parameters for name, (_, parameters) in answers.items()}
    contract = written(openapi.document(profile, routes=known, token_path=TOKEN_PATH))
    app = Starlette(
        routes=[
            *(data_route(name, *each) for name, each in answers.items()),
            wrapped(Route(TOKEN_PATH, token, methods=["POST"]), "token"),
            Route("/openapi.json", lambda _request: _json(contract)),
            Route("/health", lambda _request: _json(written({"status": "ok"}))),
        ],
        exception_handlers={HTTPException: _not_routed},
    )
    app.router.redirect_slashes = False
    app.state.warm = endpoints.warm
    return app


def _admit(request: Request, tokens: Tokens, profile: Profile) -> None:
    """Refuses a request without user agent, valid token, or the token's own client id."""
    if not request.headers.get("user-agent", "").strip():
        raise Problem(400, "VALIDATION_ERROR", "a User-Agent header is needed", header="User-Agent")
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not tokens.is_valid(token.strip()):
        raise Problem(401, "UNAUTHORIZED", "the token is missing, expired or not from here")
    header = profile.client_id_header
    if header and request.headers.get(header) != tokens.client_id:
        raise Problem(
            400, "VALIDATION_ERROR", f"{header} is missing or not the token's client", header=header
        )


def _keep_to(rate: Rate) -> None:
    if wait := rate.wait():
        raise Problem(429, "RATE_LIMITED", f"too many requests; next in {wait} s", wait=wait)


def _refuse_unknown(request: Request, known: tuple[str, ...]) -> None:
    for name in request.query_params:
        if name not in known:
            raise invalid(name, f"the endpoint has no parameter {name!r}")


async def _body(request: Request) -> bytes:
    """The body, read no further than a token request can be long."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise HTTPException(413, f"a token request has at most {MAX_BODY} bytes")
    return body


async def _token(request: Request, tokens: Tokens) -> Response:
    body = await _body(request)
    try:
        reply = await run_in_threadpool(
            tokens.exchange,
            body,
            content_type=request.headers.get("content-type", ""),
            authorization=request.headers.get("authorization", ""),
        )
    except Refused as refused:
        challenge = {"WWW-Authenticate": "Basic"} if refused.status == 401 else {}
        return _json(written({"error": refused.code}), status=refused.status, headers=challenge)
    return _json(written(reply), headers={"Cache-Control": "no-store"})


def _not_routed(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = getattr(error, "headers", None)
    code = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "BODY_TOO_LARGE"}.get(status, "ERROR")
    return _error(Problem(status, code, str(getattr(error, "detail", error))), headers=headers)


def _error(problem: Problem, *, headers: Mapping[str, str] | None = None) -> Response:
    more = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
    if "wait" in problem.details:
        more["Retry-After"] = str(problem.details["wait"])
    content = {"code": problem.code, "message": str(problem), "details": problem.details}
    return _json(
        written({"error": content}), status=problem.status, headers={**more, **(headers or {})}
    )


def _json(body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        body, status_code=status, headers=dict(headers or {}), media_type="application/json"
    )
