"""The parts of a brain that few processes need: each is imported on first use, so that a process starts quickly."""

from functools import cached_property
from typing import TYPE_CHECKING, cast

from .open_home import OpenHome

if TYPE_CHECKING:
    from . import Brain
    from .audit_log import Audit
    from .briefings import Briefings
    from .check import Checks
    from .compact import CompactionRuns
    from .conflicts import Conflicts
    from .feedback import Learning
    from .history import History
    from .ledger_text import LedgerText
    from .noticing import Noticing
    from .proposing import Proposals
    from .recalls import Recalls
    from .searching import Searching


class LateParts(OpenHome):
    """An open home with the parts that are made when they are first used."""

    @property
    def _brain(self) -> "Brain":
        return cast("Brain", self)

    @cached_property
    def searching(self) -> "Searching":
        """What finds and ranks memories."""
        from .searching import Searching  # a session's start searches for nothing, and should be quick

        return Searching(self._brain)

    @cached_property
    def learning(self) -> "Learning":
        """What feedback changes."""
        from .feedback import Learning  # few calls are feedback

        return Learning(self._brain)

    @cached_property
    def briefings(self) -> "Briefings":
        """What sessions are told when they begin."""
        from .briefings import Briefings  # only the start of a session and the digest need it

        return Briefings(self._brain)

    @cached_property
    def recalls(self) -> "Recalls":
        """What agents were handed."""
        from .recalls import Recalls  # only hooks and commands need it

        return Recalls(self._brain)

    @cached_property
    def noticing(self) -> "Noticing":
        """What notes the lasting statements of persons."""
        from .noticing import Noticing  # few prompts have any

        return Noticing(self._brain)

    @cached_property
    def proposals(self) -> "Proposals":
        """What a person stated as lasting, until they decide on it."""
        from .proposing import Proposals  # comparing texts imports much

        return Proposals(self._brain)

    @cached_property
    def conflicts(self) -> "Conflicts":
        """The contradictions between memories, and how they are resolved."""
        from .conflicts import Conflicts  # only writers compare texts

        return Conflicts(self._brain)

    @cached_property
    def compaction(self) -> "CompactionRuns":
        """The compactions: planning, carrying out, undoing."""
        from .compact import CompactionRuns  # planning imports much that no search needs

        return CompactionRuns(self._brain)

    @cached_property
    def checks(self) -> "Checks":
        """The check and the repair of the home."""
        from .check import Checks

        return Checks(self._brain)

    @cached_property
    def ledger_text(self) -> "LedgerText":
        """The ledger as text: its dump and load."""
        from .ledger_text import LedgerText

        return LedgerText(self._brain)

    @cached_property
    def history(self) -> "History":
        """The messages of conversations."""
        from .history import History

        return History(self._brain)

    @cached_property
    def audit(self) -> "Audit":
        """The audit log of tool calls."""
        from .audit_log import Audit

        return Audit(self._brain)
