"""The tools of the official memory server."""
