"""`python -m clawbrain.profiles` writes each profile's snapshot: the SDK's answers to an agent's first requests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..server.fast_start import CAPABILITIES, CLIENT, MODERN, VERSION
from . import FOLDER, SNAPSHOT, extras, names

VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
STRANGE = {"jsonrpc": "2.0", "method": "notifications/nothing"}  # in no snapshot, so the SDK answers all after it


def from_sdk(profile: str, *messages: dict[str, Any], options: Sequence[str] = ()) -> list[bytes]:
    """Return the lines a server answers to these messages when the SDK serves from the first message on."""
    said = "".join(f"{json.dumps(message)}\n" for message in (STRANGE, *messages))
    no_home = ["--home", os.devnull]
    command = [sys.executable, "-m", __package__.partition(".")[0], "serve", "--profile", profile, *no_home, *options]
    return subprocess.run(command, input=said.encode(), stdout=subprocess.PIPE, check=True).stdout.splitlines()


def greeting(version: str) -> dict[str, Any]:
    client = {"name": "snapshot", "version": "1"}
    return request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})


def enveloped(method: str) -> dict[str, Any]:
    """Return a request of the newest protocol version, which carries its version and client in `_meta`."""
    client = {"name": "snapshot", "version": "1"}
    return request(method, {"_meta": {VERSION: MODERN, CLIENT: client, CAPABILITIES: {}}})


def request(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": method, "method": method, "params": params}


def snapshot(profile: str) -> dict[str, Any]:
    """Return a profile's snapshot with all extras; the server picks what is on offer from its list of tools."""
    with_all = [f"--extras={','.join(found)}"] if (found := extras(profile)) else []
    handshake = from_sdk(
        profile, greeting(VERSIONS[-1]), request("ping", {}), request("tools/list", {}), options=with_all
    )
    modern = from_sdk(profile, enveloped("server/discover"), enveloped("tools/list"), options=with_all)
    return {"versions": VERSIONS, "handshake": _results(handshake), "modern": _results(modern)}


def _results(lines: list[bytes]) -> dict[str, Any]:
    answers = {(answer := json.loads(line))["id"]: answer["result"] for line in lines}
    return dict(sorted(answers.items()))


if __name__ == "__main__":
    for name in names():
        text = json.dumps(snapshot(name), ensure_ascii=False, indent=1)
        Path(FOLDER, name, SNAPSHOT).write_text(f"{text}\n", encoding="utf-8")
