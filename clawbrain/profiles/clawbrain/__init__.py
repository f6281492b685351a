"""clawbrain's own tools."""
