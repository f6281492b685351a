"""The modules that several profiles share."""
