"""Being's tools."""
