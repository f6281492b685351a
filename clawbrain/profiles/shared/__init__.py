"""What several profiles keep in the same way."""
