"""The numbers of the rules of the search; limits of size stand beside the code that keeps them.

docs/search.md says what each rule is worth.
"""

# What users of the search rely on: the published sum and the levels of a match

RELEVANCE_SHARE, CREDIT_SHARE = 0.4, 0.6
LITERAL_IN_NAME, LITERAL_IN_TAG, LITERAL_IN_CONTENT = 1.0, 0.8, 0.5
GRADED_BY_TAGS, GRADED_BY_CONTENT = 0.8, 0.5

# The six rules

K1, B = 1.2, 0.75  # 1, words: BM25 as the textbook has it
LIKE = 0.3  # 2, like words: the part of a word that a word like it counts
CALLED = 0.5  # 3, called by name: added for a tag or an entity that the question names
BESIDE = 0.25  # 4, beside: the part of its score that a match lends to what was stored just before and after it
WHEN = 0.3  # 5, when: added for what holds a date, or was made on a day that the question names
VERSIONS = 10  # 6, newer version: looked for among so many best matches;
SHARED_TAGS, SHARED_PART, FILED_SO = 2, 0.5, 4  # with so many tags in common, such a part of all, held by so few;
VERSION_SCORE = 0.35  # if the later one has such a part of the earlier one's score
PROTECTED = 0.02  # unless the earlier one has earned so much more credit with such questions

# Meaning, with the extra [semantic]

MEANING = 0.4  # the part of a match's words and meaning that is meaning
ALIKE, UNLIKE = 0.15, 0.05  # cosines: from here on a memory matches; up to here its meaning is worth nothing
SURE = 0.3  # cosine that a match needs where the words leave no doubt, or match nothing

# How far a search looks

RESCORED = 100  # the best matches by words that are ranked closely
STRONG = 30  # the first of these, beside which weak matches are looked for
EXPANDED = 50  # the best matches by like words alone, or by meaning alone
