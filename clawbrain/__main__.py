"""The entry point. Agents start `serve` and `hook` and wait for them, so these import little; the other verbs may."""

from __future__ import annotations

import os
import sys

from .errors import Invalid, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main() -> None:
    words = sys.argv[1:]
    verb = "" if {"-h", "--help"} & {*words} else _verb(words)
    if verb == "serve" and "--http" not in words:
        _open_standard_error()
        _serve(words)
    elif verb == "hook":
        _open_standard_error()
        _hook(words)
    else:
        from .cli import main as command_line

        _start_log()
        command_line()


def _open_standard_error() -> None:
    """Drop what goes to standard error where that is closed."""
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


def _start_log() -> None:
    """Start the log lines that CLAWBRAIN_LOG asks for; `serve` does this itself, as it has an option for them too."""
    if os.environ.get("CLAWBRAIN_LOG"):
        from . import logs

        logs.start(logs.chosen_level())


def _hook(words: list[str]) -> None:
    """Run a hook. A person waits for it, so nothing is collected in its short life nor taken apart at its end."""
    import gc
    from contextlib import suppress

    gc.disable()
    from .agents.hooks import main

    _start_log()
    words.remove("hook")
    main(words)
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(0)


def _serve(words: list[str]) -> None:
    from .server.fast_start import serve

    try:
        options = _options(words)
        _refuse_stray(options["home"])
        if options["existing"]:
            _warn_of_missing(options["home"])
        serve(**options)
    except (Usage, Invalid) as fault:
        sys.stderr.write(f"clawbrain serve: {fault}\n")
        sys.exit(Usage.exit_status)


def _refuse_stray(home: str | None) -> None:
    """Raise Usage for a home of an unknown user, and for a relative home that does not exist.

    A relative one comes from a project's configuration: in another folder it must not become a new memory.
    """
    named = home or os.environ.get("CLAWBRAIN_HOME", "")
    if named.startswith("~") and os.path.expanduser(named) == named:
        raise Usage(f"there is no user for {named!r}: write out the folder of the home")
    if home and not home.startswith(("/", "~")) and not os.path.isdir(home):
        raise Usage(f"there is no home {home!r} in this folder: start in the project's own folder, or `clawbrain init`")


def _warn_of_missing(home: str | None) -> None:
    """Say at the start that a home is gone which was there when the server was set up; every call says so too."""
    if home and not os.path.isdir(os.path.expanduser(home)):
        sys.stderr.write(
            "clawbrain serve: the home is gone (renamed, or its disk is not mounted); none is begun anew\n"
        )


def _verb(words: list[str]) -> str | None:
    """Return the first word that is no option, or None; options that all verbs take may stand before it."""
    rest = iter(words)
    for word in rest:
        if word in ("--home", "--layer"):
            next(rest, None)
        elif not word.startswith(("--home=", "--layer=")) and word != "--json":
            return word
    return None


def _options(words: list[str]) -> dict[str, Any]:
    found: dict[str, str] = {}
    layers: list[str] = []
    rest = iter(words)
    for word in rest:
        option, equals, value = word.partition("=")
        if option in ("--home", "--profile", "--tools", "--allow", "--tool-prefix", "--extras", "--log-level"):
            value = value if equals else next(rest, "")
            if not value.strip(", "):
                raise Usage(f"{option} needs a value")
            many = option in ("--tools", "--allow", "--extras") and option in found
            found[option] = f"{found[option]},{value}" if many else value
        elif option == "--layer":
            layers.append(value if equals else next(rest, ""))
        elif word in ("--read-only", "--audit", "--existing"):
            found[word] = word
        elif word not in ("serve", "--json"):
            raise Usage(
                f"{word!r} is not understood; there are --home DIR, --layer DIR, --profile NAME, --tools A,B, "
                "--read-only, --tool-prefix WORD, --allow WORD, --extras WORD, --audit, "
                "--existing, --log-level LEVEL"
            )
    return {
        "home": found.get("--home"),
        "profile": found.get("--profile", "clawbrain"),
        "only": _listed(found.get("--tools", "")),
        "read_only": "--read-only" in found,
        "prefix": found.get("--tool-prefix", ""),
        "allow": _listed(found.get("--allow", "")),
        "extras": _listed(found.get("--extras", "")),
        "audit": "--audit" in found,
        "existing": "--existing" in found,
        "log_level": found.get("--log-level", ""),
        "layers": layers,
    }


def _listed(words: str) -> list[str]:
    return [name for part in words.split(",") if (name := part.strip())]


if __name__ == "__main__":
    main()
