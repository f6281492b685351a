"""Find contradictions between two texts, and what they say twice.

A claim is one bullet or one sentence. Texts are compared claim by claim; nothing here scans a store, the caller brings
the texts that are worth comparing. In the order in which a comparison takes them:

    texts           two texts -> their claims, the pairs of these that could meet, and what was found
    line            a line -> the subject it names, its verb, and whether it is a statement at all
    preference      a line -> what it says to use and what not, which another may say the other way round
    form            two texts -> whether they were filled in from one form, as two tickets are: then none is compared
    memory_subject  a memory -> what it is about, to which its "The backend …" belongs
    verdict         two claims -> why they cannot both be true, if they cannot
    claim           a sentence -> the words, negations and changes of it that `verdict` compares
    spelling        words -> one spelling for what is written in many, and what sort of word each is
    vocabulary      the lists of words that all of them read
"""

from .texts import Finding, against, claim_hash, claims, contradictions, near_duplicate, similarity, topics, without
from .verdict import contradicts

__all__ = [
    "Finding",
    "against",
    "claim_hash",
    "claims",
    "contradictions",
    "contradicts",
    "near_duplicate",
    "similarity",
    "topics",
    "without",
]
