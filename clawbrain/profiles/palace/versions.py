"""Documents with versions and reviews: each is an entity of the kind `artifact` that holds the latest text.

Beside the memories, `artifacts/NAME/` holds every version as it was given (`v1.md`, `v2.md`) and every review
(`v1.review-1.md`). When two writers expect the same version, the first one wins and the second is refused.

A text that was changed in the memory itself, by its owner or another tool, reads as a draft of the next version; it is
kept as that version with the next update or review, and the reviews of the version before do not count for it.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from ...errors import AlreadyExists, Invalid, NotFound, Refused
from ...memory import model as memories
from ...memory.header import Unreadable, begins_with_block
from ...memory.markdown import one_line
from ...memory.model import Memory, digest, kebab, shown, stamp
from ..shared.titles import Titles, title

if TYPE_CHECKING:
    from ...brain import Brain

ARTIFACT, CATEGORY = "artifact", "artifacts"
DRAFT, APPROVED, CHANGES, COMMENTED = "draft", "approved", "changes_requested", "commented"
MARKDOWN = "text/markdown"
LARGEST = 512 * 1024  # bytes
_TITLE, _NAME, _SAID = 200, 60, 200
_CHANGES_KEPT = 20
_OTHERWISE = "changed by hand or by another tool"
_ENDINGS = {
    MARKDOWN: "md", "application/json": "json", "application/yaml": "yaml", "application/toml": "toml",
    "application/xml": "xml", "text/html": "html", "text/css": "css", "text/csv": "csv", "text/javascript": "js",
    "application/javascript": "js", "text/typescript": "ts", "text/x-python": "py", "text/x-shellscript": "sh",
    "application/sql": "sql", "image/svg+xml": "svg",
}  # fmt: skip
_REVIEW = re.compile(rf"({APPROVED}|{CHANGES}|{COMMENTED})(?: by (.*))?, (\S+Z)")
_FILE = re.compile(r"v([0-9]+)\.review-([0-9]+)\.md")


class Review(NamedTuple):
    """A review of a version."""

    version: int
    outcome: str
    agent: str
    comments: str
    created: str


class Read(NamedTuple):
    """A version as it is read, with the reviews that belong to it."""

    memory: Memory
    text: str
    version: int
    status: str
    reviews: list[Review]


class Versions:
    """The versioned documents of a brain."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)
        self._shelf = brain.shelf("artifacts", "list_artifacts shows what is there")

    def create(
        self, name: str, text: str, content_type: str = MARKDOWN, *, agent: str = "", conversation: str = ""
    ) -> Memory:
        """Store a document as its first version and return its memory."""
        self.brain.may_write()
        self.brain.sync()
        name, text = one_line(self.brain.without_secrets(name)), self._checked(text)  # the folder is called after it
        if not name or len(name) > _TITLE:
            raise Invalid(f"title is not one line of 1 to {_TITLE} characters; shorten it")
        with self.brain.locked():
            folder = self._free_folder(kebab(name, _NAME) or f"artifact-{digest(name.encode())[:8]}")
            said = {"content_type": one_line(content_type) or MARKDOWN, "version": "1", "status": DRAFT}
            whose = {"agent": one_line(agent), "conversation": one_line(conversation)}
            extra = {
                "kind": ARTIFACT,
                **said,
                **{key: value for key, value in whose.items() if value},
                "versions": f"artifacts/{folder}",
                "changes": [self._change(1, agent, "")],
            }
            body = _body(name, text)
            made = self.titles.put("entity", name, body, name=folder, category=CATEGORY, extra=extra)
            self._keep(made, 1, text)
        return made

    def _checked(self, text: str) -> str:
        """Return the text; raise Invalid where it is too large or cannot be stored."""
        size = len(text.encode(errors="replace"))
        if size > LARGEST:
            raise Invalid(f"content has {size} bytes; {LARGEST} (512 KiB) is the most")
        memories.check_content(f".\n{text}")
        return text

    def _free_folder(self, name: str) -> str:
        for number in count(1):
            folder = name if number == 1 else f"{name}-{number}"
            here = self._shelf.listed("/")
            if folder not in here[0] and folder not in [file.name for file in here[1]]:
                return folder
        raise AssertionError("there is always another number")

    def _change(self, version: int, agent: str, summary: str) -> str:
        """Return the line that the header keeps about a change."""
        agent, summary = (one_line(self.brain.without_secrets(each))[:_SAID] for each in (agent, summary))
        said = [f"v{version}", stamp(self.brain.clock()), agent]
        return ", ".join(filter(None, said)) + (f": {summary}" if summary else "")

    def update(self, name: str, text: str, *, expected: int | None = None, agent: str = "", summary: str = "") -> int:
        """Store the next version and return its number; raise Refused when the current one is not the one expected."""
        self.brain.may_write()
        known, text = self.find(name), self._checked(text)
        with self.brain.locked():
            memory, _ = self.brain.load(known.id)
            current = self._number(memory)
            if expected not in (None, current):
                raise Refused(f"version conflict: expected {expected} but current is {current}")
            return number(self._next(self._settled(memory), text, agent, summary))

    def _settled(self, memory: Memory) -> Memory:
        """Return the memory once its text is kept as a version: as the next one where it was changed."""
        if self._is_changed(memory):
            return self._next(memory, memory.content, "", _OTHERWISE)
        self._keep(memory, number(memory), self._latest(memory))  # a memory that somebody wrote by hand has none yet
        return memory

    def _next(self, memory: Memory, text: str, agent: str, summary: str) -> Memory:
        """Store a text as the next version and return the memory that holds it."""
        version = number(memory) + 1
        self._keep(memory, version, text)

        def next_version(now: Memory) -> Memory:
            said = now.extra.get("changes", [])
            changes = [*(said if isinstance(said, list) else []), self._change(version, agent, summary)]
            extra = {"version": str(version), "status": DRAFT, "changes": changes[-_CHANGES_KEPT:]}
            return replace(now, content=_body(title(now), text), extra={**now.extra, **extra})

        return self.brain.amend(memory, next_version)

    def _keep(self, memory: Memory, version: int, text: str) -> None:
        """Write a version's file. Another text there, which may be anybody's, goes into the history, with a warning."""
        path = self._path(memory, version)
        try:
            self._shelf.keep(path, text)
        except AlreadyExists:
            if self._kept(path) != text:
                self.brain.warn(f"artifacts{path} held another text; it is kept in {self._shelf.put_away(path)}.")
                self._shelf.keep(path, text)

    def _kept(self, path: str) -> str | None:
        try:
            return self._shelf.text(path)
        except (NotFound, Unreadable):
            return None

    def _is_changed(self, memory: Memory) -> bool:
        """Return whether a memory's text is another than its version was given."""
        given = self._kept(self._path(memory, number(memory)))
        return given is not None and _body(title(memory), given) != memory.content

    def _number(self, memory: Memory) -> int:
        """Return the number of the latest version; a changed text is the one after the version it was made of."""
        return number(memory) + self._is_changed(memory)

    def _latest(self, memory: Memory) -> str:
        """Return the latest version as it was given, or the memory's text if that was changed since."""
        given = None if self._is_changed(memory) else self._kept(self._path(memory, number(memory)))
        return memory.content if given is None else given

    def read(self, name: str, version: int = 0) -> Read:
        """Return the latest version with every review, or the named version with its own reviews."""
        memory = self.find(name)
        latest, reviews = self._number(memory), sorted(self._reviews(memory), key=lambda review: review.created)
        wanted = self._existing(memory, version)
        own = [review for review in reviews if review.version == wanted]
        if wanted == latest:
            text, status = self._latest(memory), self._status(memory)
        else:
            found = self._kept(self._path(memory, wanted))
            if found is None:
                raise NotFound(f"version {wanted} of {shown(memory.id)} is gone from {memory.extra.get('versions')}")
            text, status = found, _status(own)
        return Read(memory, text, wanted, status, own if version > 0 else reviews)

    def _status(self, memory: Memory) -> str:
        """Return the status of the latest version: a draft where no kept version has its text."""
        is_kept = self._kept(self._path(memory, number(memory))) is not None and not self._is_changed(memory)
        return str(memory.extra.get("status", DRAFT)) if is_kept else DRAFT

    def _existing(self, memory: Memory, version: int) -> int:
        """Return the number of the version meant, where 0 means the latest; raise NotFound for an unknown one."""
        latest = self._number(memory)
        if version > latest:
            raise NotFound(f"there is no version {version}; the latest is {latest}")
        return version if version > 0 else latest

    def review(self, name: str, outcome: str, comments: str, *, version: int = 0, agent: str = "") -> Review:
        """Store a review of a version. Approving the latest version, or asking for changes to it, sets its status."""
        self.brain.may_write()
        known = self.find(name)
        comments = self._checked(comments).strip("\n")
        with self.brain.locked():
            memory, _ = self.brain.load(known.id)
            on, memory = self._existing(memory, version), self._settled(memory)
            made = Review(on, outcome, one_line(agent), comments, stamp(self.brain.clock()))
            which = 1 + sum(1 for number, _, _ in self._review_files(memory) if number == on)
            self._shelf.keep(f"{_folder(memory)}/v{on}.review-{which}.md", _written(made))
            if on == number(memory) and outcome != COMMENTED:
                status = _status([made])
                self.brain.amend(memory, lambda now: replace(now, extra={**now.extra, "status": status}))
        return made

    def _reviews(self, memory: Memory) -> Iterator[Review]:
        for version, _, path in sorted(self._review_files(memory)):
            if text := self._kept(path):
                yield _review(version, text)

    def _review_files(self, memory: Memory) -> Iterator[tuple[int, int, str]]:
        for file in self._shelf.listed(_folder(memory))[1]:
            if named := _FILE.fullmatch(file.name):
                yield int(named[1]), int(named[2]), f"{_folder(memory)}/{file.name}"

    def find(self, name: str) -> Memory:
        """Return the document of a uid, id or path; raise NotFound for any other memory."""
        memory = self.titles.find(name)
        if memory.kind != ARTIFACT:
            raise NotFound(f"{shown(name)} is no artifact")
        return memory

    def _path(self, memory: Memory, version: int) -> str:
        return _path(_folder(memory), version, str(memory.extra.get("content_type", MARKDOWN)))


def number(memory: Memory) -> int:
    """Return the number of the version a memory holds; a file that somebody wrote by hand is version 1."""
    said = memory.extra.get("version", "")
    return int(said) if isinstance(said, str) and re.fullmatch(r"[1-9][0-9]{0,8}", said) else 1


def _folder(memory: Memory) -> str:
    said = memory.extra.get("versions", "")
    folder = said.removeprefix("artifacts/") if isinstance(said, str) else ""
    return f"/{folder or kebab(memory.name) or digest(memory.id.encode())[:8]}"


def _path(folder: str, version: int, content_type: str) -> str:
    """Return the path of a version's file on the shelf of artifacts."""
    ending = _ENDINGS.get(content_type.partition(";")[0].strip().lower(), "txt")
    return f"/{folder.strip('/')}/v{version}.{ending}"


def _body(name: str, text: str) -> str:
    """Return a version as a memory's text, under a heading where its header block would be taken for the memory's."""
    text = text.strip("\r\n")
    return f"# {name}\n\n{text}" if begins_with_block(text) or not text.strip() else text


def _status(reviews: list[Review]) -> str:
    """Return the status that the reviews of a version give it."""
    judged = [review.outcome for review in reviews if review.outcome in (APPROVED, CHANGES)]
    return APPROVED if judged[-1:] == [APPROVED] else DRAFT


def _written(review: Review) -> str:
    by = f" by {review.agent}" if review.agent else ""
    return f"{review.outcome}{by}, {review.created}\n\n{review.comments}\n"


def _review(version: int, text: str) -> Review:
    """Return the review in a file; a file that somebody wrote by hand counts as a comment."""
    first, _, rest = text.partition("\n")
    said = _REVIEW.fullmatch(first.strip())
    if not said:
        return Review(version, COMMENTED, "", text.strip("\n"), "")
    return Review(version, said[1], said[2] or "", rest.strip("\n"), said[3])
