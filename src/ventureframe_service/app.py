"""The routes of the service: who is let in, and how a reply or a refusal is written.

Every reply but that to a body too large is JSON. A request that cannot be answered
gives the body of the choices beside the interface, `{"error": {"code", "message",
"details"}}`, and never a status of 500.
"""

import math
from collections import Counter
from typing import Any, Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ventureframe.interface.wire.profile import Profile
from ventureframe_service.access import Rate, Refused, Tokens
from ventureframe_service.dataset import Dataset
from ventureframe_service.endpoints import Endpoints, Handler, written
from ventureframe_service.engine.store import Store
from ventureframe_service.request import Parameters, Problem, invalid
from ventureframe_service.settings import Settings

TOKEN_PATH: Final = "/oauth/token"  # noqa: S105  # a path, not a token
_MAX_BODY: Final = 16_384
_GUESSES: Final = 20  # wrong secrets of an address in a minute
_CODES: Final = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "BODY_TOO_LARGE"}


class _Json(Response):
    media_type = "application/json"


def make_app(dataset: Dataset, tokens: Tokens, settings: Settings) -> Starlette:
    """Make the ASGI application: every route of the interface, the token address and
    `/health`.

    An address is answered 429 for the rest of a minute in which it sent 20 wrong
    secrets. Each worker process counts for itself.
    """
    profile = settings.profile
    store = Store(dataset, profile=profile)
    endpoints = Endpoints(store, profile=profile, tier=settings.tier)
    rate = Rate(settings.rate) if settings.rate else None
    wrong = Counter[tuple[float, str]]()  # secrets, by minute and address
    common = {
        profile.version_header: profile.api_version or "1",
        profile.dataset_header: quote(dataset.description.name, safe=" "),
        **({} if rate is None else {"RateLimit-Policy": rate.policy}),
    }

    def data_route(name: str, handler: Handler, parameters: tuple[str, ...]) -> Route:
        def answer(request: Request) -> Response:
            _admit(request, tokens, profile, rate)
            for key in request.query_params if settings.strict else ():
                if key not in parameters:
                    raise invalid(key, f"the endpoint has no parameter {key!r}")
            query = Parameters(request.query_params, profile, store.can_show)
            return _Json(handler(query, *request.path_params.values()), headers=common)

        return Route(profile.paths[name], answer, name=name)

    async def token(request: Request) -> Response:
        headers = [
            request.headers.get(name, "") for name in ("content-type", "authorization")
        ]
        body, (minute, second) = await _body(request), divmod(settings.clock(), 60)
        own = minute, request.client.host if request.client else ""
        if next(iter(wrong), own)[0] != minute:
            wrong.clear()
        _hold(math.ceil(60 - second) if wrong[own] >= _GUESSES else 0)
        try:
            reply = tokens.exchange(body, *headers)
        except Refused as refused:
            wrong[own] += refused.status == 401
            raise
        return _Json(written(reply), headers={"Cache-Control": "no-store"})

    routes = [
        data_route(name, *handler) for name, handler in endpoints.handlers.items()
    ]
    routes.append(Route(TOKEN_PATH, token, methods=["POST"], name="token"))
    if settings.around is not None:
        for route in routes:
            route.app = settings.around(route.app, route.name)
    routes.append(Route("/health", lambda _request: _Json(written({"status": "ok"}))))
    app = Starlette(routes=routes, exception_handlers=_refusals(profile))
    app.router.redirect_slashes = False
    return app


def _admit(
    request: Request, tokens: Tokens, profile: Profile, rate: Rate | None
) -> None:
    headers = request.headers
    if not headers.get("user-agent", "").strip():
        raise Problem(
            400,
            "VALIDATION_ERROR",
            "a User-Agent header is needed",
            header="User-Agent",
        )
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not tokens.is_valid(token.strip()):
        raise Problem(
            401, "UNAUTHORIZED", "the token is missing, expired or not from here"
        )
    header = profile.client_id_header
    if header and headers.get(header) != tokens.client_id:
        message = f"{header} is missing or not the token's client"
        raise Problem(400, "VALIDATION_ERROR", message, header=header)
    _hold(0 if rate is None else rate.wait())
    version = headers.get(profile.version_header, profile.api_version)
    if profile.api_version is not None and version != profile.api_version:
        raise Problem(400, "VALIDATION_ERROR", f"there is no API version {version!r}")


def _hold(wait: int) -> None:
    if wait:
        raise Problem(
            429, "RATE_LIMITED", f"too many requests; next in {wait} s", wait=wait
        )


async def _body(request: Request) -> bytes:
    """The body, read no further than a token request can be long."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > _MAX_BODY:
                raise HTTPException(
                    413, f"a token request has at most {_MAX_BODY} bytes"
                )
    except ClientDisconnect:
        raise HTTPException(400, "the body is not whole") from None
    return body


def _refusals(profile: Profile) -> dict[Any, Any]:
    """How a refusal is written: on a wire with shapes, details are null or name what
    is wrong.
    """
    codes = _CODES | ({405: "VALIDATION_ERROR"} if profile.shapes else {})

    def refused(_request: Request, problem: Any) -> Response:
        headers = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
        details: Any = problem.details
        if "wait" in details:
            headers["Retry-After"] = str(details["wait"])
        if profile.shapes and "parameter" in details:
            details = [{"path": details["parameter"], "message": str(problem)}]
        elif profile.shapes:
            details = details or None
        content = {"code": problem.code, "message": str(problem), "details": details}
        return _Json(written({"error": content}), problem.status, headers)

    def not_routed(request: Request, error: Any) -> Response:
        code = codes.get(error.status_code, "ERROR")
        reply = refused(request, Problem(error.status_code, code, error.detail))
        reply.headers.update(error.headers or {})
        return reply

    def no_token(_request: Request, error: Any) -> Response:
        challenge = {"WWW-Authenticate": "Basic"} if error.status == 401 else {}
        return _Json(written({"error": error.code}), error.status, challenge)

    return {Problem: refused, Refused: no_token, HTTPException: not_routed}
