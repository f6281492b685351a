"""What the environment of MAMA's own server says."""

from __future__ import annotations

TOKEN_VARIABLE, PORT_VARIABLE = "MAMA_SERVER_TOKEN", "MAMA_SERVER_PORT"
