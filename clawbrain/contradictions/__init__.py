"""Find contradictions between two texts, and what they say twice.

A claim is one bullet or one sentence. Texts are compared claim by claim; nothing here scans a store, candidates come
by their rarest words.

    vocabulary  the words by which claims are told apart
    spelling    one spelling for what is written in many
    claim       a sentence -> what of it is compared
    verdict     two claims -> contradiction, duplicate, refinement or unrelated
    subject     a line -> whose claim it is: its own subject's, its memory's or nobody's
    matter      a memory -> what it is about, to which its "The backend …" belongs
    form        a text -> the lines that it shares with others filled in alike
    texts       bodies of memories -> their claims, and what is found between them
"""

from .texts import Finding, against, claim_hash, claims, contradictions, near_duplicate, similarity, topics, without
from .verdict import Verdict, compare

__all__ = [
    "Finding",
    "Verdict",
    "against",
    "claim_hash",
    "claims",
    "compare",
    "contradictions",
    "near_duplicate",
    "similarity",
    "topics",
    "without",
]
