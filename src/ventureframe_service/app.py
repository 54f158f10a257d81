"""The routes of the service: who is let in, and how a reply or a refusal is written.

Every reply is JSON, except to a body that is too large. The reply to a request that
cannot be answered is `{"error": {"code", "message", "details"}}`, as the choices beside
the interface have it, and its status is never 500.
"""

import asyncio
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ventureframe.interface.wire.profile import Profile
from ventureframe_service.access import Rate, Refused, Tokens
from ventureframe_service.endpoints import Endpoints, Handler, written
from ventureframe_service.request import Problem
from ventureframe_service.settings import Settings

TOKEN_PATH = "/oauth/token"  # noqa: S105  # a path, not a token
_MAX_BODY = 16_384
_SECONDS_OF_A_GUESS = 0.25
"""How long the reply to a wrong secret is held back."""
_CODES = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "BODY_TOO_LARGE"}


class _Json(Response):
    media_type = "application/json"


def make_app(endpoints: Endpoints, tokens: Tokens, settings: Settings) -> Starlette:
    """Make the ASGI application: every route of the interface, the token address and
    `/health`.
    """
    profile = endpoints.profile
    name = endpoints.store.dataset.description.name
    rate = None if settings.rate is None else Rate(settings.rate)
    headers = {
        profile.version_header: profile.api_version or "1",
        profile.dataset_header: quote(name, safe=" "),
    }
    if rate is not None:
        headers["RateLimit-Policy"] = rate.policy

    def make_route(name: str, handler: Handler) -> Route:
        def answer(request: Request) -> Response:
            _admit(request, tokens, profile, rate)
            parameters = endpoints.parameters(request.query_params)
            body = handler(parameters, *request.path_params.values())
            return _Json(body, headers=headers)

        return Route(profile.paths[name], answer, name=name)

    async def give_token(request: Request) -> Response:
        body = await _read_body(request)
        content_type = request.headers.get("content-type", "")
        authorization = request.headers.get("authorization", "")
        try:
            reply = tokens.exchange(body, content_type, authorization)
        except Refused as refused:
            if refused.status == 401:
                await asyncio.sleep(_SECONDS_OF_A_GUESS)
            raise
        return _Json(written(reply), headers={"Cache-Control": "no-store"})

    routes = [make_route(name, handler) for name, handler in endpoints.handlers.items()]
    routes.append(Route(TOKEN_PATH, give_token, methods=["POST"], name="token"))
    if settings.around is not None:
        for route in routes:
            route.app = settings.around(route.app, route.name)
    routes.append(Route("/health", lambda _request: _Json(written({"status": "ok"}))))
    app = Starlette(routes=routes, exception_handlers=_refusals(endpoints))
    app.router.redirect_slashes = False
    return app


def _admit(
    request: Request, tokens: Tokens, profile: Profile, rate: Rate | None
) -> None:
    headers = request.headers
    if not headers.get("user-agent", "").strip():
        message = "a User-Agent header is needed"
        raise Problem(400, "VALIDATION_ERROR", message, header="User-Agent")
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not tokens.is_valid(token.strip()):
        message = "the token is missing, expired or not from here"
        raise Problem(401, "UNAUTHORIZED", message)
    header = profile.client_id_header
    if header and headers.get(header) != tokens.client_id:
        message = f"{header} is missing or not the token's client"
        raise Problem(400, "VALIDATION_ERROR", message, header=header)
    wait = 0 if rate is None else rate.wait()
    if wait:
        message = f"too many requests; next in {wait} s"
        raise Problem(429, "RATE_LIMITED", message, wait=wait)


async def _read_body(request: Request) -> bytes:
    """Return the body, read no further than a token request can be long."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > _MAX_BODY:
                message = f"a token request has at most {_MAX_BODY} bytes"
                raise HTTPException(413, message)
    except ClientDisconnect:
        raise HTTPException(400, "the body is not whole") from None
    return body


def _refusals(endpoints: Endpoints) -> dict[Any, Any]:
    """Return the function that writes the reply to each kind of refused request."""

    def refuse(_request: Request, problem: Any) -> Response:
        headers: dict[str, str] = {}
        if problem.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if "wait" in problem.details:
            headers["Retry-After"] = str(problem.details["wait"])
        return _Json(endpoints.write_problem(problem), problem.status, headers)

    def refuse_route(request: Request, error: Any) -> Response:
        code = _CODES.get(error.status_code, "ERROR")
        reply = refuse(request, Problem(error.status_code, code, error.detail))
        reply.headers.update(error.headers or {})
        return reply

    def refuse_token(_request: Request, error: Any) -> Response:
        headers = {"WWW-Authenticate": "Basic"} if error.status == 401 else {}
        return _Json(written({"error": error.code}), error.status, headers)

    return {Problem: refuse, Refused: refuse_token, HTTPException: refuse_route}
