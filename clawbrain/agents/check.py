"""One finding of `clawbrain doctor`."""

from dataclasses import dataclass
from typing import Literal

State = Literal["well", "note", "to do", "broken"]
PATIENCE = 10.0  # seconds for a server's first answers; programs wait 5 to 60


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: what was found, and what to do about it, if anything."""

    check: str
    state: State
    found: str
    do: str = ""
