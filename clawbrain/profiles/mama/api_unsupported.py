"""The endpoints of MAMA's server that need accounts, a daemon or other agents: each says what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..shared.endpoints import ANY, Endpoint, HttpAnswer, HttpFault
from . import api_schemas as schemas

if TYPE_CHECKING:
    from ..shared.endpoints import HttpCall

CODE = "NOT_SUPPORTED_LOCALLY"
_INSTEAD = {
    "cron": "clawbrain runs no scheduled jobs: let cron or your agent program run them, which then call this API.",
    "skills": "clawbrain installs no skills: put them into your agent program, and save what they learn as decisions.",
    "tokens": "clawbrain calls no model, so it counts no tokens of models: your agent program or its provider does.",
    "heartbeat": "clawbrain has no agent of its own to wake: let cron start one, which then calls this API.",
    "discord": "clawbrain has no Discord account: let your agent send the message, and save what follows from it.",
    "slack": "clawbrain has no Slack account: let your agent send the message, and save what follows from it.",
    "telegram": "clawbrain has no Telegram account: let your agent send the message, and save what follows from it.",
    "report": "clawbrain writes no reports: let your agent write one from GET /api/dashboard/status and /api/search.",
    "screenshot": "clawbrain has no browser: let your agent take the picture, and POST it to /api/upload.",
    "code-act": "clawbrain runs no code: run it in your agent program, and save what it found.",
    "multi-agent": "clawbrain starts no agents: start them yourself; all that use one home share its memory.",
    "restart": "clawbrain is not restarted over HTTP: stop and start `clawbrain serve --http` where it runs.",
    "mcp-servers": "clawbrain keeps no list of MCP servers: `clawbrain install CLIENT` adds it to your agent program.",
    "playgrounds": "clawbrain keeps no playgrounds: POST a page to /api/upload to keep it; it is only downloaded.",
    "workspace/skills": "clawbrain keeps no skills: put them into your agent program's folder for them.",
}  # fmt: skip


def _refusing(sentence: str) -> Callable[[HttpCall], HttpAnswer]:
    def refuse(call: HttpCall) -> HttpAnswer:
        raise HttpFault(501, CODE, sentence)

    return refuse


def _endpoints() -> Iterator[Endpoint]:
    for word, sentence in _INSTEAD.items():
        name = f"mama_no_{word.replace('-', '_').replace('/', '_')}"
        summary, answers = f"Refused: {sentence}", {501: schemas.REFUSAL}
        yield Endpoint(ANY, f"/api/{word}", name, summary, _refusing(sentence), answers=answers)
        yield Endpoint(
            ANY, f"/api/{word}/{{rest:path}}", f"{name}_below", summary, _refusing(sentence), answers=answers
        )


ENDPOINTS = tuple(_endpoints())
