"""The MCP server on stdio: the pipe, the first answers before the SDK is loaded, and the tools of a profile."""
