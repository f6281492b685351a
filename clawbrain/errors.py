"""The errors that a caller of the brain may get: every way in which clawbrain refuses or fails.

    ClawbrainError
    ├── Refused        1   what was asked cannot be done as asked
    │   ├── Invalid        an argument breaks a rule
    │   │   └── BadPath    a path breaks a rule for the paths of plain files
    │   ├── NotFound       no such memory
    │   ├── Archived       it was put away; the sentence says how to get it back
    │   ├── AlreadyExists  the place or the id is taken
    │   ├── Pinned         its owner pinned it
    │   ├── Changed        the file is not what this session last read (carries the current text)
    │   ├── Busy           another process holds the store
    │   └── ReadOnly       this brain was opened for reading
    ├── Usage          2   the command line was wrong
    └── Broken         3   the store itself needs a person

The sentence of an error says what was wrong and what to do next. It never names an absolute path.
"""


class ClawbrainError(Exception):
    """The base of all errors. The number beside each class above is its exit status."""

    exit_status = 1

    @property
    def code(self) -> str:
        return type(self).__name__.lower()


class Refused(ClawbrainError):
    pass


class Invalid(Refused):
    pass


class BadPath(Invalid):
    pass


class NotFound(Refused):
    pass


class Archived(Refused):
    pass


class AlreadyExists(Refused):
    pass


class Pinned(Refused):
    pass


class Changed(Refused):
    def __init__(self, sentence: str, current: str) -> None:
        super().__init__(sentence)
        self.current = current


class Busy(Refused):
    pass


class ReadOnly(Refused):
    pass


class Usage(ClawbrainError):
    exit_status = 2


class Broken(ClawbrainError):
    exit_status = 3
