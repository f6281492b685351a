"""The agent programs that use clawbrain: their configurations, and the hooks that they run."""
