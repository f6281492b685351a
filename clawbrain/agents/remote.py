"""A memory that is served elsewhere: its address, and the form in which each program describes such a server.

The token is never part of a configuration. The entry names an environment variable in the program's own spelling, and
the program reads it when it starts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import Invalid

VARIABLE = "NAME"  # stands in a form for the name of the variable


@dataclass(frozen=True, slots=True)
class Remote:
    """The way a program describes a server that is elsewhere.

    `token` is what the entry holds for a token, with NAME where the variable's name belongs. It is empty for a program
    that reads no variable there.
    """

    token: Mapping[str, object] = field(default_factory=dict)
    key: str = "url"  # of the address
    entry: Mapping[str, object] = field(default_factory=dict)  # what the entry holds besides
    step: str = ""  # what to do next, with NAME


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server, and the name of the variable with its token; "" where it asks for none."""

    url: str
    variable: str = ""


def bearer(reference: str) -> dict[str, object]:
    """Return the headers with a token, to which a program's `reference` to a variable leads."""
    return {"headers": {"Authorization": f"Bearer {reference}"}}


def entry_for(remote: Remote, address: Address) -> dict[str, Any]:
    """Return the entry that leads a program to a server."""
    token = _filled(remote.token, address.variable) if address.variable else {}
    return {**remote.entry, remote.key: address.url, **token}


def is_remote(remote: Remote | None, entry: object) -> bool:
    """Tell whether an entry is one of a server that is elsewhere, whoever wrote it."""
    if not remote or not isinstance(entry, dict) or not isinstance(entry.get(remote.key), str):
        return False
    return "type" not in remote.entry or entry.get("type") == remote.entry["type"]


def address_in(remote: Remote, entry: Mapping[str, Any]) -> Address:
    """Return the address that a remote entry names, with the variable of its token, if it names one as install does."""
    return Address(entry[remote.key], _variable(remote.token, entry))


def is_from_install(remote: Remote | None, entry: object) -> bool:
    """Tell whether a remote entry is one that install writes, and not one of the owner's."""
    if not remote or not is_remote(remote, entry):
        return False
    assert isinstance(entry, dict)
    address = address_in(remote, entry)
    if not address.variable and remote.token.keys() & entry.keys():  # a token, or other headers
        return False
    return all(entry.get(key) == value for key, value in entry_for(remote, address).items())


def _filled(form: Any, name: str) -> Any:
    if isinstance(form, Mapping):
        return {key: _filled(value, name) for key, value in form.items()}
    if isinstance(form, list):
        return [_filled(value, name) for value in form]
    return form.replace(VARIABLE, name) if isinstance(form, str) else form


def _variable(form: Any, found: Any) -> str:
    """Return the name that stands in an entry where its form has NAME, or ""."""
    if isinstance(form, Mapping) and isinstance(found, Mapping):
        return next(filter(None, (_variable(value, found.get(key)) for key, value in form.items())), "")
    if not isinstance(form, str) or not isinstance(found, str):
        return ""
    match = re.fullmatch(re.escape(form).replace(VARIABLE, r"([A-Za-z_]\w*)"), found, re.ASCII)
    return match[1] if match else ""


def checked(url: str, variable: str = "", *, plain: bool = False) -> Address:
    """Return an address that may be written into a file. With `plain`, http:// may lead to another machine.

    Raise Invalid for what is no address of a server, what would send a token in clear, and what holds a secret. No
    message repeats what may be one.
    """
    from urllib.parse import urlsplit

    from ..outgoing import is_loopback  # only here: hooks read this module, and ask nobody
    from ..redaction import find

    if find(url) or find(variable):
        raise Invalid("that holds a token, which belongs in no file: set a variable to it and name that: --token-env")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https") or not url.isascii() or not url.isprintable() or " " in url:
        raise Invalid("--url takes the address of a server, such as https://memory.example.org/mcp")
    if parts.username is not None or parts.password is not None:
        raise Invalid("the address holds a name or a password, which belong in no file: leave them out")
    if parts.fragment or parts.path in ("", "/"):
        raise Invalid(f"the tools are served below /mcp: write {parts.scheme}://{parts.netloc}/mcp")
    if parts.scheme == "http" and not (plain or is_loopback(host)):
        raise Invalid(
            f"http:// would send the token to {host} in clear: write https://, or say --plain-http where something"
            " else protects the way"
        )
    if variable and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,99}", variable):
        raise Invalid("--token-env takes the name of an environment variable, such as CLAWBRAIN_TOKEN")
    return Address(url, variable)
