"""Builds the bundle that desktop programs install by a click: `python -m bundle [FILE]`, else dist/clawbrain.mcpb.

It is a zip of the manifest and of the sources, which the program's own uv turns into an environment. The same sources
make the same bytes.
"""

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
WITH_IT = ("pyproject.toml", "README.md", "LICENSE")
EARLIEST = (1980, 1, 1, 0, 0, 0)  # a zip knows no earlier day


def members() -> Iterator[tuple[str, Path]]:
    """Yield every file of the bundle: its name there, and where it lies here."""
    yield "manifest.json", Path(__file__).parent / "manifest.json"
    for name in WITH_IT:
        yield name, REPOSITORY / name
    for path in sorted((REPOSITORY / "clawbrain").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(REPOSITORY).as_posix(), path


def build(file: Path) -> None:
    """Write the bundle to a file, whose folder is made if need be."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, path in members():
            info = zipfile.ZipInfo(name, EARLIEST)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            bundle.writestr(info, path.read_bytes())


if __name__ == "__main__":
    target = Path(sys.argv[1]) if sys.argv[1:] else REPOSITORY / "dist" / "clawbrain.mcpb"
    build(target)
    print(f"wrote {target}")
