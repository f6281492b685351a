"""The server on a network: the tools of the profiles over HTTP, and the HTTP APIs of those that have one.

`clawbrain serve --http` starts it. A request passes the guards, is authenticated as a principal, and is answered by the
brain of the principal's workspace. Nothing of this package is imported by the server on stdin and stdout.
"""
