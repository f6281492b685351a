"""The pages for people: what the store holds, and how to connect. Neither has a script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from ..shared.endpoints import Endpoint, HttpAnswer
from .api_status import counts, store_health

if TYPE_CHECKING:
    from ..shared.endpoints import HttpCall

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 45rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem 1.5rem .2rem 0; }
pre { background: #f4f4f4; padding: .8rem; overflow-x: auto; }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""
_SETUP = """
<p>This is a clawbrain memory. Agents reach it with a token that you make on the machine where it runs:</p>
<pre>clawbrain token create --name my-laptop</pre>
<p>The token is printed once. Put it into the environment of your agent program, then add the server to the program,
on the machine where you work:</p>
<pre>export CLAWBRAIN_TOKEN=…
clawbrain install CLIENT --url {url}/mcp --token-env CLAWBRAIN_TOKEN</pre>
<p>CLIENT is your program, such as claude, codex, gemini, cursor, vscode or opencode. Any other MCP client takes the
address <code>{url}/mcp</code> (Streamable HTTP) and the header <code>Authorization: Bearer TOKEN</code>.</p>
<p>Scripts call the API with the same header:</p>
<pre>curl -H "Authorization: Bearer $CLAWBRAIN_TOKEN" "{url}/api/mama/search?q=auth"</pre>
"""


def _page(title: str, body: str) -> HttpAnswer:
    text = _PAGE.format(title=escape(title), style=_STYLE, body=body)
    headers = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
    return HttpAnswer(text.encode(errors="replace"), media_type="text/html; charset=utf-8", headers=headers)


def _setup(call: HttpCall) -> HttpAnswer:
    return _page("Connect to this memory", _SETUP.format(url=escape(call.public_url)))


def _viewer(call: HttpCall) -> HttpAnswer:
    memory, store = counts(call), store_health(call)
    topics = {row["topic"]: row["count"] for row in memory.pop("top_topics")}
    outcomes = {outcome.lower(): count for outcome, count in memory.pop("outcomes").items()}
    parts = [("Memories", _spoken(memory)), ("Outcomes of decisions", outcomes), ("Topics", topics)]
    tables = (_table(title, rows) for title, rows in [*parts, ("Store", _spoken(store))] if rows)
    return _page("What this memory holds", "\n".join(tables))


def _spoken(rows: Mapping[str, Any]) -> dict[str, Any]:
    return {word.replace("_", " "): value for word, value in rows.items()}


def _table(title: str, rows: Mapping[str, Any]) -> str:
    lines = (f"<tr><th>{escape(word)}</th><td>{escape(_said(value))}</td></tr>\n" for word, value in rows.items())
    return f"<h2>{escape(title)}</h2>\n<table>\n{''.join(lines)}</table>"


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "never" if value is None else str(value)


def _home(call: HttpCall) -> HttpAnswer:
    return HttpAnswer(b"", 302, "text/plain", {"Location": "/viewer"})


ENDPOINTS = (
    Endpoint("GET", "/viewer", "mama_viewer", "A page of what the store holds", _viewer, answers={200: None}),
    Endpoint("GET", "/setup", "mama_setup", "A page that says how to connect", _setup, "", answers={200: None}),
    Endpoint("GET", "/", "mama_home", "Lead to /viewer", _home, answers={302: None}),
)
