"""What a client can be told before anything is loaded: the protocol, and the tools.

A client sends its first request to the model as soon as it knows the tools, or without them if that takes too long. So
this module imports little. It knows both eras of the protocol: up to 2025-11-25 a connection begins with `initialize`;
from 2026-07-28 on every request says in `_meta` which version it speaks and what its client can do.
"""

from __future__ import annotations

from .. import __version__
from ..agent.tool_styles import definitions
from ..core.value import Value
from .form_table import cuts_forms, form_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .server_settings import ServerSettings

NAME = "suture"
#: The versions that begin with `initialize`, oldest first, and those without it.
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
UNSUPPORTED_VERSION = -32022

_ENVELOPE = "io.modelcontextprotocol/"
_CAPABILITIES = {
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
PROMPT = "edit_format"
HISTORY = "suture://history/"


class ProtocolError(Exception):
    """A request that is answered with an error of the protocol."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        #: The id of the request, where it is not known otherwise.
        self.number: int | str | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """The error as the client gets it."""
        data = {} if self.data is None else {"data": self.data}
        return {"code": self.code, "message": str(self), **data}


class Peer(Value):
    """The client, as it describes itself."""

    #: The version of the protocol that it speaks.
    version: str
    name: str
    capabilities: Mapping[str, Any]
    #: The version of the client itself, if it is known.
    release: str = ""

    def __hash__(self) -> int:
        return hash((self.version, self.name))

    @property
    def is_stateless(self) -> bool:
        """Whether every request stands for itself."""
        return self.version in STATELESS_VERSIONS

    @property
    def needs_all_fields(self) -> bool:
        """Whether no field of a form can be left empty: Codex does not send a form with an empty text."""
        return form_row(self.name).needs_all_fields

    @property
    def cuts_forms(self) -> bool:
        """Whether it does not show all of a form, so that a person can't approve in it."""
        return cuts_forms(self.name, self.release)

    @property
    def can_elicit(self) -> bool:
        """Whether it shows forms."""
        elicitation = self.capabilities.get("elicitation")
        return isinstance(elicitation, dict) and ("form" in elicitation or "url" not in elicitation)


class StaticRequests:
    """The requests of one connection that need no workspace."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        #: The client of a connection that began with `initialize`.
        self._known: Peer | None = None

    def peer(self, method: str, params: Mapping[str, Any]) -> Peer:
        """The client that sends a request.

        Raises:
            ProtocolError: it did not say which version it speaks, or speaks another.
        """
        meta = params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        version = meta.get(f"{_ENVELOPE}protocolVersion")
        if version is None:
            return self._handshake_peer(method, params)
        if self._known is not None:
            message = "This connection began with initialize, so its requests have no version of their own."
            raise ProtocolError(INVALID_REQUEST, message)
        if version not in STATELESS_VERSIONS:
            data = {"supported": list(STATELESS_VERSIONS), "requested": str(version)}
            raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
        capabilities = meta.get(f"{_ENVELOPE}clientCapabilities")
        if not isinstance(capabilities, dict):
            message = f"params._meta has no {_ENVELOPE}clientCapabilities."
            raise ProtocolError(INVALID_PARAMS, message)
        info = meta.get(f"{_ENVELOPE}clientInfo")
        return Peer(version, _text(info, "name"), capabilities, _text(info, "version"))

    def _handshake_peer(self, method: str, params: Mapping[str, Any]) -> Peer:
        if method == "initialize":
            asked, capabilities = params.get("protocolVersion"), params.get("capabilities")
            if not isinstance(asked, str):
                message = "initialize needs a protocolVersion."
                raise ProtocolError(INVALID_PARAMS, message)
            version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
            known = capabilities if isinstance(capabilities, dict) else {}
            info = params.get("clientInfo")
            self._known = Peer(version, _text(info, "name"), known, _text(info, "version"))
        elif self._known is None and method != "ping":
            message = "The first request has to be initialize, or to name its version in params._meta."
            raise ProtocolError(INVALID_PARAMS, message)
        return self._known or Peer(HANDSHAKE_VERSIONS[-1], "", {})

    def answer(self, method: str, peer: Peer) -> dict[str, Any] | None:
        """The answer to a request; None if it needs a workspace or is unknown."""
        if method == "initialize" and not peer.is_stateless:
            return {
                "protocolVersion": peer.version,
                "capabilities": _CAPABILITIES,
                "serverInfo": {"name": NAME, "version": __version__},
                "instructions": instructions(self._settings),
            }
        if method == "ping" and not peer.is_stateless:
            return {}
        if method == "server/discover" and peer.is_stateless:
            result: dict[str, Any] = {
                "supportedVersions": list(STATELESS_VERSIONS),
                "capabilities": _CAPABILITIES,
                "instructions": instructions(self._settings),
            }
        elif method == "tools/list":
            result = {"tools": definitions(self._settings.tools, "mcp")}
        elif method == "prompts/list":
            result = {"prompts": [PROMPT_DESCRIPTION]}
        elif method == "resources/templates/list":
            result = {"resourceTemplates": [HISTORY_TEMPLATE]}
        else:
            return None
        return complete(result, peer, is_list=True)


def complete(result: dict[str, Any], peer: Peer, *, is_list: bool = False) -> dict[str, Any]:
    """A result with what the later era wants in every one, and in those that can be cached."""
    if not peer.is_stateless:
        return result
    meta = {**result.get("_meta", {}), f"{_ENVELOPE}serverInfo": {"name": NAME, "version": __version__}}
    caching = {"cacheScope": "private", "ttlMs": 0} if is_list else {}
    return {"resultType": "complete", **caching, **result, "_meta": meta}


def _text(info: object, key: str) -> str:
    """What a client says about itself; empty if it is no text."""
    text = info.get(key) if isinstance(info, dict) else ""
    return text if isinstance(text, str) else ""


PROMPT_DESCRIPTION = {
    "name": PROMPT,
    "title": "How to write edits",
    "description": "Teaches the patch format",
    "arguments": [{"name": "form", "description": "The form of the edits, such as unified (default envelope)"}],
}
HISTORY_TEMPLATE = {
    "uriTemplate": HISTORY + "{commit}",
    "name": "commit",
    "title": "A change of the workspace",
    "description": "The diff of a commit, by its id or the beginning of it",
    "mimeType": "text/x-diff",
}


def instructions(settings: ServerSettings) -> str:
    """What a model is told about the server."""
    names = settings.tools.tools
    lines = ["Tools that change files exactly where it was meant, all or nothing. A refusal says what to do next."]
    if "read" in names and len(names) > 1:
        others = "an edit of a file that you read in another way has to fit exactly one place"
        others = others if settings.reads == "exact" else "other ways to read it do not count"
        lines.append(f"Read a file with {names['read']} of {NAME} before you change it; {others}.")
    if "apply_patch" in names and len(names) > 1:
        lines.append(f"To change several files together, use {names['apply_patch']}.")
    if settings.isolated:
        lines.append(
            f"Your changes are isolated: nobody else sees them, and no other program does, before you call "
            f"{names['merge']}. Call it when the work is done."
        )
    return " ".join(lines)
