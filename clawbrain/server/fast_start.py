"""The first answers of a server, given without waiting for the MCP SDK.

An agent starts one server per session and waits for it, and importing the MCP SDK takes some 400 ms. What an agent
asks first has always the same answer, so it is given from a snapshot that the SDK itself rendered (`python -m
clawbrain.profiles` writes it anew) while a thread loads the rest. At the first message that is anything else, the SDK
takes the pipe over: it is given the opening messages again, with its answers dropped, so that it knows what was
agreed. Anything unusual is left to it. A profile without a snapshot is the SDK's from the start.
"""

from __future__ import annotations

import os
import re
import signal
import threading
from contextlib import suppress

from .. import logs, profiles, version
from ..errors import Usage
from . import lazy_brain, stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, NoReturn

    from ..profiles import ProfileSpec
    from .stdio import Message

MODERN = "2026-07-28"
VERSION, CLIENT, CAPABILITIES = (
    f"io.modelcontextprotocol/{word}" for word in ("protocolVersion", "clientInfo", "clientCapabilities")
)
TOKEN = "progressToken"

log = logs.Log("server")

_PREFIX = re.compile(r"[A-Za-z0-9_-]{1,32}")  # programs refuse tools with other names

ENDINGS = signal.SIGTERM, signal.SIGINT
LAST_WORDS = 1.0  # seconds that closing the home may take


def serve(
    *,
    home: str | None,
    profile: str,
    only: Sequence[str] = (),
    read_only: bool = False,
    prefix: str = "",
    allow: Sequence[str] = (),
    extras: Sequence[str] = (),
    audit: bool = False,
    existing: bool = False,
    log_level: str = "",
) -> NoReturn:
    """Serve a profile until the client leaves, then end the process. Raises Usage for options that conflict."""
    if prefix and not _PREFIX.fullmatch(prefix):
        raise Usage(f"--tool-prefix {prefix[:40]!r} cannot begin a tool's name: use up to 32 letters, digits, _ and -")
    if audit and read_only:
        raise Usage("--read-only writes nothing at all, and an audit log is written: leave one of the two out")
    spec = profiles.load(profile, prefix, allow, extras)
    offered = profiles.offered(spec, only, read_only)
    level = logs.chosen_level(log_level)
    source, sink = stdio.take_streams()
    for number in ENDINGS:
        signal.signal(number, _told_to_end)
    _start_log(level, profile)
    opening, lines = Opening(_snapshot(profile, prefix), offered), stdio.Lines(source)
    store, status = lazy_brain.Home(home, read_only, existing), 0
    with suppress(SystemExit):
        first = _greet(opening, lines, sink, store)
        if first is not None:
            from .. import brain  # noqa: F401  in the order of the thread that imports them, too
            from .mcp import run

            status = run(spec, offered, lines, sink, store, heard=opening.heard, first=first, audit=audit)
    os.set_blocking(sink, True)  # as it was, for other processes that share it
    _leave(store, status)


def _start_log(level: int, profile: str) -> None:
    if level:
        logs.start(level)
        log(logs.INFO, "start: version %s, profile %s, process %d", version(), profile, os.getpid())


def _greet(opening: Opening, lines: stdio.Lines, sink: int, store: lazy_brain.Home) -> Message | None:
    """Answer from the snapshot; return the first message that it cannot answer, or None at the end of input."""
    for line in lines:
        message, answers = stdio.read(line)
        if message is not None:
            if not opening.knows(message):
                store.prepare()
                return message
            answers = opening.answers(message)
        try:
            stdio.write(sink, b"".join(map(stdio.as_line, answers)))
        except OSError:  # the client is gone
            return None
        if opening.heard:
            store.prepare()
    return None


def _told_to_end(*_: object) -> NoReturn:
    raise SystemExit


def _leave(store: lazy_brain.Home, status: int) -> NoReturn:
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)
    closing = threading.Thread(target=store.close, daemon=True)
    closing.start()
    closing.join(LAST_WORDS)
    log(logs.INFO, "end: status %d", status)
    os._exit(status)  # threads may sit in a read or a write that never ends


def _snapshot(profile: str, prefix: str = "") -> ProfileSpec:
    try:
        snapshot = profiles.read(profile, profiles.SNAPSHOT)
    except FileNotFoundError:
        return {"versions": [], "handshake": {}, "modern": {}}
    for era in ("handshake", "modern"):
        if listed := snapshot[era].get("tools/list"):
            listed["tools"] = profiles.prefixed(listed["tools"], prefix)
    return snapshot


class Opening:
    """The opening of a connection, as far as the client and the snapshot have come."""

    def __init__(self, snapshot: ProfileSpec, offered: Sequence[str]) -> None:
        self._snapshot, self._offered = snapshot, offered
        self._era, self._greeted = "", False
        self.heard: list[Message] = []

    def knows(self, message: Message) -> bool:
        """Tell whether the snapshot answers a message at this point of the opening."""
        method, params = message["method"], message.get("params") or {}
        if "id" not in message:
            return self._greeted and method == "notifications/initialized"
        era = _era(params)
        if self._era not in ("", era) or method not in self._snapshot[era]:
            return False
        if era == "modern":
            return _is_enveloped(params)
        if method == "initialize":
            return not self._greeted and _is_greeting(params, self._snapshot["versions"])
        return (self._greeted or method == "ping") and _is_bare(params)

    def answers(self, message: Message) -> list[Message]:
        """Return the answers to a message that the snapshot knows; those that set the SDK's own state are kept."""
        method, params = message["method"], message.get("params") or {}
        if not self._era or method in ("initialize", "notifications/initialized"):
            self.heard.append(message)
        if "id" not in message:
            return []
        self._era = _era(params)
        result = dict(self._snapshot[self._era][method])
        if method == "initialize":
            self._greeted, result["protocolVersion"] = True, params["protocolVersion"]
        if method == "tools/list":
            result["tools"] = [tool for tool in result["tools"] if tool["name"] in self._offered]
        return [{"jsonrpc": "2.0", "id": message["id"], "result": result}]


def _era(params: Mapping[str, Any]) -> str:
    meta = params.get("_meta")
    return "modern" if isinstance(meta, dict) and VERSION in meta else "handshake"


def _is_greeting(params: Mapping[str, Any], versions: Collection[str]) -> bool:
    return (
        set(params) <= {"protocolVersion", "capabilities", "clientInfo", "_meta"}
        and params.get("protocolVersion") in versions
        and _is_client(params.get("clientInfo"))
        and _is_capable(params.get("capabilities"))
        and _is_bare({"_meta": params.get("_meta", {})})
    )


def _is_enveloped(params: Mapping[str, Any]) -> bool:
    meta = params["_meta"]
    return (
        set(params) == {"_meta"}
        and set(meta) <= {VERSION, CLIENT, CAPABILITIES, TOKEN}
        and meta[VERSION] == MODERN
        and (CLIENT not in meta or _is_client(meta[CLIENT]))
        and _is_capable(meta.get(CAPABILITIES))
        and _is_bare({"_meta": {word: meta[word] for word in meta if word == TOKEN}})
    )


def _is_bare(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta", {})
    if set(params) <= {"_meta"} and isinstance(meta, dict) and set(meta) <= {TOKEN}:
        return _is_token(meta.get(TOKEN, 0))
    return False


def _is_token(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_client(value: object) -> bool:
    return (
        isinstance(value, dict)
        and {"name", "version"} <= set(value)
        and all(isinstance(word, str) for word in value.values())
    )


def _is_capable(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(part, dict) for part in value.values())
