"""Edit texts in the person's own editor. Edited text is never lost: if it cannot be used, it is kept in a file."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..errors import Changed, ClawbrainError, Refused
from . import output


@contextmanager
def edited(texts: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield those of the texts, by name, that the person changed.

    When the body of the `with` raises a ClawbrainError, they are kept, and the error says where. When the person
    interrupts, they are kept, and standard error says where.
    """
    folder = Path(tempfile.mkdtemp(prefix="clawbrain-"))
    files = {name: folder / f"{name.replace('/', '-')}.md" for name in texts}
    for name, file in files.items():
        file.write_text(f"{texts[name]}\n", "utf-8", newline="")
    try:
        _run(list(files.values()))
        yield _changed(texts, files)
    except ClawbrainError as error:
        if where := _kept(texts, files):
            if isinstance(error, Changed):
                error.args = (f"the file changed while you edited, and was left as it is. {where}: edit again and take "
                              "over what is yours. The memory says now:",)  # fmt: skip
            else:
                error.args = (f"{str(error).rstrip('.')}. {where}.",)
            raise
        shutil.rmtree(folder)
        raise
    except KeyboardInterrupt:
        if where := _kept(texts, files):
            output.complain(f"The edit was interrupted. {where}.")
        else:
            shutil.rmtree(folder)
        raise
    shutil.rmtree(folder)


def _kept(texts: Mapping[str, str], files: Mapping[str, Path]) -> str:
    """Return the beginning of a sentence that says where the changed texts are kept, empty where none changed."""
    kept = [str(files[name]) for name in _changed(texts, files)]
    return f"Your text is kept in {' and '.join(kept)}" if kept else ""


def _run(files: list[Path]) -> None:
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        status = subprocess.run([*shlex.split(command), *map(str, files)]).returncode
    except (OSError, ValueError):
        raise Refused(f"the editor '{command}' cannot be started; set EDITOR to one that can.") from None
    if status:
        raise Refused(f"the editor ended with status {status}; nothing was changed.")


def _changed(texts: Mapping[str, str], files: Mapping[str, Path]) -> dict[str, str]:
    found = {}
    for name, file in files.items():
        now = file.read_bytes().decode("utf-8", "surrogateescape").strip("\r\n") if file.exists() else ""
        if now != texts[name].strip("\r\n"):
            found[name] = now
    return found
