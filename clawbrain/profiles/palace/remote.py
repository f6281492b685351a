"""The path at which clients over the network expect these tools, and the further tools that they expect."""

from __future__ import annotations

PATH = "v1"
EXTRAS = ("platform",)
