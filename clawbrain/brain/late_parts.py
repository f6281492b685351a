"""The parts of a brain that few processes need: each is imported on first use, so that a process starts quickly."""

from functools import cached_property
from typing import TYPE_CHECKING, cast

from .open_home import OpenHome

if TYPE_CHECKING:
    from ..storage.conversations import Records
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
    def records(self) -> "Records":
        """The conversations and the audit log."""
        return self.storage.open_records(self.warn)

    @cached_property
    def searching(self) -> "Searching":
        """The finding and ranking of memories."""
        from .searching import Searching  # a session's start searches for nothing, and should be quick

        return Searching(self._brain)

    @cached_property
    def learning(self) -> "Learning":
        """The learning from feedback."""
        from .feedback import Learning  # few calls are feedback

        return Learning(self._brain)

    @cached_property
    def briefings(self) -> "Briefings":
        """The briefings that sessions begin with."""
        from .briefings import Briefings  # only the start of a session and the digest need it

        return Briefings(self._brain)

    @cached_property
    def recalls(self) -> "Recalls":
        """The record of the memories that agents were handed."""
        from .recalls import Recalls  # only hooks and commands need it

        return Recalls(self._brain)

    @cached_property
    def noticing(self) -> "Noticing":
        """The noting of lasting statements that persons make."""
        from .noticing import Noticing  # few prompts have any

        return Noticing(self._brain)

    @cached_property
    def proposals(self) -> "Proposals":
        """The proposals made of lasting statements, until a person decides on them."""
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
