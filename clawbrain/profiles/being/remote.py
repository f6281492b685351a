"""The rules for these tools over the network, as their clients expect them."""

from __future__ import annotations

READ_ONLY_REFUSED = frozenset({"update_memory", "update_notes", "merge_nodes", "update_relation", "trigger_patrol"})
"""The tools that a read-only token may not call."""

ALWAYS_PERMITTED = frozenset(
    {"recall_memory", "search_history", "get_context", "get_current_time", "recall", "search_memory"}
)
"""The tools that every token may call."""

READ_ONLY = {"error": "Read-only token cannot call write tools"}
"""The body of status 403 where a read-only token calls one of READ_ONLY_REFUSED, whatever else the request holds."""

NAME, VERSION = "being", "1.0.0"
"""The name and version that the server gives itself in the handshake."""

NAMES_BEINGS = True
"""The path of a request names the being that it is about, and there are no sessions."""
