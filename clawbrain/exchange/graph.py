"""The graph of memories as a single page that a browser shows without a network.

The memories are embedded in the page as data, never as markup, and only the page's own script may run, because its hash
is in the page's policy. The script shows the memories' text as text only.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '{script_hash}'; \
style-src '{style_hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>clawbrain</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>clawbrain</h1>
<input id="search" type="search" placeholder="Search" aria-label="Search" autocomplete="off" spellcheck="false">
<span id="count"></span>
</header>
<canvas id="canvas" tabindex="0" aria-label="Memories and their links"></canvas>
<nav id="groups" aria-label="Categories"></nav>
<aside id="panel" hidden><button id="close" aria-label="Close">×</button><div id="shown"></div></aside>
<script id="data" type="application/json">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def page(nodes: Sequence[Mapping[str, Any]], edges: Sequence[Sequence[Any]], at: str) -> str:
    """Return the page for nodes and edges exported at a moment."""
    script, style = _part("graph.js"), _part("graph.css")
    data = json.dumps({"nodes": nodes, "edges": edges, "exported": at}, ensure_ascii=False, separators=(",", ":"))
    return _PAGE.format(
        script=script, style=style, data=_inert(data), script_hash=_hash(script), style_hash=_hash(style)
    )


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _inert(data: str) -> str:
    """Escape the characters of JSON that an HTML parser would act on."""
    for char in "<>&\u2028\u2029":
        data = data.replace(char, f"\\u{ord(char):04x}")
    return data.encode(errors="replace").decode()


def _hash(text: str) -> str:
    """Return the hash of a script or style, as a content security policy writes it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
