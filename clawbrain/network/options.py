"""The options of `clawbrain serve --http`."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import Usage
from ..outgoing import is_loopback
from ..profiles import load, takes_layers

PORT = 8787


@dataclass(frozen=True)
class ServeOptions:
    """The options: what is served, to whom and within which limits. `checked` refuses what does not go together."""

    home: str
    """The home, or with `many` the folder of homes, as an absolute path."""
    many: bool = False
    host: str = "127.0.0.1"
    port: int = PORT
    profiles: tuple[str, ...] = ("clawbrain",)
    extras: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    workers: int = 1
    allow_hosts: tuple[str, ...] = ()
    allow_origins: tuple[str, ...] = ()
    tls_cert: str = ""
    tls_key: str = ""
    public_url: str = ""
    behind_proxy: bool = False
    insecure_no_auth: bool = False
    hmac_key_file: str = ""
    hmac_max_age: float = 300.0
    hmac_scope: str = "write"
    oauth_issuer: str = ""
    oauth_audience: str = ""
    oauth_workspace_claim: str = "workspace"
    rate: tuple[int, float] | None = None
    """So many calls in so many seconds, for each token."""
    audit: bool = False
    audit_strict: bool = False
    read_only: bool = False
    log_level: str = ""
    log_file: str = ""
    layers: tuple[str, ...] = ()
    parent: int = 0
    """The process that starts the workers."""

    @property
    def folder(self) -> Path:
        return Path(self.home)

    @property
    def address(self) -> str:
        """Return the address of the server as clients see it, without a slash at the end."""
        if self.public_url:
            return self.public_url.rstrip("/")
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls_cert else 'http'}://{host}:{self.port}"

    def as_text(self) -> str:
        """Return the options as JSON, for the processes of workers."""
        return json.dumps(asdict(self))

    def checked(self) -> ServeOptions:
        """Return the options. Raises Usage, with one sentence, where they do not go together."""
        if self.workers < 1:
            raise Usage("--workers is a number of processes, 1 or more.")
        if bool(self.tls_cert) != bool(self.tls_key):
            raise Usage("--tls-cert and --tls-key belong together: name both.")
        for option, name in (("--tls-cert", self.tls_cert), ("--tls-key", self.tls_key)):
            if name and not os.path.isfile(name):
                raise Usage(f"{option} names no file.")
        for origin in (*self.allow_origins, *filter(None, [self.public_url])):
            if not origin.startswith(("http://", "https://")):
                raise Usage(f"{origin[:100]!r} is no address: write http://NAME or https://NAME.")
        if not is_loopback(self.host):
            if self.insecure_no_auth:
                raise Usage("--insecure-no-auth lets everybody in, so it serves this machine alone: leave out --host.")
            if not (self.tls_cert or self.behind_proxy):
                raise Usage(
                    f"on {self.host} tokens would be sent in clear: name --tls-cert and --tls-key, or say "
                    "--behind-proxy where a proxy in front of this server speaks TLS."
                )
        if self.many and self.layers:
            raise Usage("--layer belongs to one home: leave out --homes or the layers.")
        self._check_profiles()
        for profile in self.profiles:
            if self.layers and not takes_layers(profile):
                raise Usage(f"--layer cannot be served with the profile {profile!r}: leave one of the two out.")
        if self.audit_strict and not self.audit:
            raise Usage("--audit-strict is about the audit log: say --audit, too.")
        return self

    def _check_profiles(self) -> None:
        """Raise Usage for a profile that there is not, and for a permission or an extra that none of them has."""
        specs = [load(name) for name in self.profiles]
        for word in self.allow:
            if not any(word in spec.get("allow", ()) for spec in specs):
                load(self.profiles[0], allow=[word])
        for word in self.extras:
            if not any(word in spec.get("extras", ()) for spec in specs):
                load(self.profiles[0], extras=[word])


def options_from(text: str) -> ServeOptions:
    """Return options from what `as_text` made of them."""
    words: dict[str, Any] = json.loads(text)
    lists = {name: tuple(value) for name, value in words.items() if isinstance(value, list)}
    return ServeOptions(**{**words, **lists})
