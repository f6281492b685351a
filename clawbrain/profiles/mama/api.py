"""MAMA's HTTP API: the table of its endpoints, and the shape in which it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..shared.endpoints import API, HttpFault
from . import (
    api_checkpoints,
    api_config,
    api_decisions,
    api_export,
    api_graph,
    api_logs,
    api_media,
    api_pages,
    api_status,
    api_unsupported,
)
from .api_schemas import REFUSAL


def _refusal(fault: HttpFault, _: str) -> Mapping[str, Any]:
    return {"error": True, "code": fault.code, "message": str(fault)}


api = API(
    title="MAMA",
    endpoints=(
        *api_status.ENDPOINTS,
        *api_decisions.ENDPOINTS,
        *api_checkpoints.ENDPOINTS,
        *api_graph.ENDPOINTS,
        *api_export.ENDPOINTS,
        *api_config.ENDPOINTS,
        *api_media.ENDPOINTS,
        *api_logs.ENDPOINTS,
        *api_pages.ENDPOINTS,
        *api_unsupported.ENDPOINTS,
    ),
    prefixes=("/api/", "/graph", "/checkpoints", "/viewer", "/setup", "/health", "/"),
    refusal=_refusal,
    refusal_schema=REFUSAL,
    codes={
        400: "INVALID_REQUEST",
        401: "UNAUTHORIZED",
        403: "FORBIDDEN",
        404: "NOT_FOUND",
        405: "METHOD_NOT_ALLOWED",
        408: "REQUEST_TIMEOUT",
        409: "CONFLICT",
        413: "PAYLOAD_TOO_LARGE",
        421: "MISDIRECTED_REQUEST",
        429: "RATE_LIMITED",
        500: "INTERNAL_ERROR",
        501: api_unsupported.CODE,
        503: "BUSY",
    },
)
