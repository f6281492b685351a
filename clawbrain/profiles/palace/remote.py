"""Where clients over the network expect these tools, and which further ones."""

from __future__ import annotations

PATH = "v1"
EXTRAS = ("platform",)
