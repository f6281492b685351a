"""Notice what a person states as lasting: how they want it done, what was decided, who somebody is, what went wrong.

Pure: a text goes in, statements come out. No model is asked; a few rules with closed lists of words decide. Read in
this order: `proposal_rules` (the rules as sentences), `prose` (a person's own sentences in a text), `notice` (the rules
applied), `languages/` (the words of each rule by language), `naming` (the name and the tags of a statement).
"""

from .notice import LastingStatement, notice

__all__ = ["LastingStatement", "notice"]
