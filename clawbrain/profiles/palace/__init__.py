"""The Memory Palace's tools."""
