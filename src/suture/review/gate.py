"""What stands between the network and the API: the host, the origin, the token, and the headers of every answer.

A page of another site can make a browser send requests here, and a name of its own can lead to this machine. So the
host and the origin have to be ours. Other users and programs of the machine can reach the port. So the API needs the
token in a header, and a connection that has not shown the token is a stranger's. There are no cookies: browsers send
those to every port of a host.
"""

from __future__ import annotations

import hmac
from ipaddress import IPv4Address, IPv6Address
from socket import gethostname

from ..agent.connection_limits import receive_in_time
from ..agent.own_host import LOOPBACK, is_own_host
from .page_views import json_response
from .review_limits import LARGEST_REQUEST_BODY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..agent.connection_limits import ConnectionLimits

WILDCARDS = ("0.0.0.0", "::")  # noqa: S104 - what a user may ask for
#: What may be read without the token: it is the same for everybody.
OPEN_PATH = "/api/openapi.json"
#: Where the page exchanges the code of a one-time link for the token.
EXCHANGE_PATH = "/exchange"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class Gate:
    """Lets through what comes from the page or from a program with the token; an ASGI application around another."""

    def __init__(self, app: Any, token: str, host: str, limits: ConnectionLimits) -> None:
        self._app = app
        self._limits = limits
        self._header = f"Bearer {token}".encode()
        self._hosts = {*LOOPBACK, f"[{host}]" if ":" in host else host}
        #: Whether it listens on all addresses of the machine. Its names are this machine's then, not a stranger's.
        self._is_wide = host in WILDCARDS
        if host not in ("127.0.0.1", "::1"):
            self._hosts.add(gethostname().lower())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *own]
            await send(message)

        headers = _headers(scope)
        is_user = self._has_token(headers)
        if is_user and not self._limits.admit(scope):
            await _refuse((503, "too_many", "There are too many connections."), scope, receive, send_with_headers)
            return
        try:
            refusal = self._refusal(scope, headers, is_user=is_user)
            if refusal is None:
                await self._app(scope, receive_in_time(receive), send_with_headers)
            else:
                await _refuse(refusal, scope, receive, send_with_headers)
        finally:
            if is_user:
                self._limits.end_request(scope)

    def _has_token(self, headers: dict[str, list[str]]) -> bool:
        given = headers.get("authorization", [""])[0].encode("latin-1", "replace")
        return hmac.compare_digest(given, self._header)

    def _is_own(self, name: str) -> bool:
        """Whether a host is this server. No stranger can make an address in digits lead here; a name they can."""
        return name in self._hosts or (self._is_wide and _is_address(name))

    def _refusal(self, scope: Any, headers: dict[str, list[str]], *, is_user: bool) -> tuple[int, str, str] | None:
        """The status, the code and the message for a request that is refused."""
        hosts = headers.get("host", [])
        if not is_own_host(hosts, self._is_own):
            return 421, "wrong_host", "This server answers to its own address only."
        host = hosts[0].lower()
        origins = headers.get("origin", [])
        sites = headers.get("sec-fetch-site", [])
        if any(origin.lower() not in (f"http://{host}", f"https://{host}") for origin in origins):
            return 403, "wrong_origin", "Requests of other pages are refused."
        is_api = scope["path"].startswith("/api/") and scope["path"] != OPEN_PATH
        is_of_page = is_api or scope["path"] == EXCHANGE_PATH
        if is_of_page and any(site not in ("same-origin", "none") for site in sites):
            return 403, "wrong_origin", "Requests of other pages are refused."
        if is_api and not is_user:
            return 401, "wrong_token", "The token is missing or wrong."
        if scope["method"] == "POST":
            return _body_refusal(headers)
        return None


def _headers(scope: Any) -> dict[str, list[str]]:
    """The values of each header of a request."""
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


async def _refuse(refusal: tuple[int, str, str], scope: Any, receive: Any, send: Any) -> None:
    status, code, text = refusal
    await json_response({"code": code, "message": text}, status)(scope, receive, send)


def _is_address(name: str) -> bool:
    """Whether a host is an address in digits, as a browser writes it."""
    is_bracketed = name.startswith("[") and name.endswith("]")
    try:
        return (IPv6Address(name[1:-1]).scope_id is None) if is_bracketed else bool(IPv4Address(name))
    except ValueError:
        return False


def _body_refusal(headers: dict[str, list[str]]) -> tuple[int, str, str] | None:
    kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
    if kind != "application/json":
        return 415, "wrong_type", "The body of a request is application/json."
    length = headers.get("content-length", [""])[0]
    if not (length.isascii() and length.isdigit() and int(length) <= LARGEST_REQUEST_BODY):
        return 413, "too_large", f"The body of a request has a length of at most {LARGEST_REQUEST_BODY:,} bytes."
    return None
