"""The environment variables of MAMA's own server that a server over HTTP reads, too."""

from __future__ import annotations

DATABASE_VARIABLE = "MAMA_DB_PATH"
"""A database of MAMA's own, which `clawbrain import` takes in and a server does not read."""

TOKEN_VARIABLE, PORT_VARIABLE = "MAMA_SERVER_TOKEN", "MAMA_SERVER_PORT"
