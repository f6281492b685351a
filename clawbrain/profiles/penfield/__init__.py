"""Penfield's tools."""
