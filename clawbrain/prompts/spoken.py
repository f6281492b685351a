"""A person's own words in what an agent program sends as a prompt."""

import re

_ADDED_BY_PROGRAMS = re.compile(r"\s*<(hook_context|system-reminder)>.*?</\1>\s*", re.DOTALL)
_QUOTED = re.compile(r'"([^"]*)"')
_COMMAND = re.compile(r"/[\w:-]+(?:\s|\Z)")


def spoken(prompt: str) -> str:
    """Return the person's own words, without the text of hooks or the quotation marks that some programs add."""
    while added := _ADDED_BY_PROGRAMS.match(prompt):
        prompt = prompt[added.end() :]
    quoted = _QUOTED.fullmatch(prompt.strip())
    return (quoted[1] if quoted else prompt).strip()


def is_command(prompt: str) -> bool:
    """Tell whether a prompt is a slash command of the program, and no words of a person."""
    return bool(_COMMAND.match(prompt))
