"""The bundle that desktop programs install by a click."""
