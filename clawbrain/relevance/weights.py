"""What each thing weighs in a search."""

# The law, which those who use clawbrain rely on

RELEVANCE_SHARE, CREDIT_SHARE = 0.4, 0.6
UNKNOWN_CREDIT = 0.5
LITERAL_IN_NAME, LITERAL_IN_TAG, LITERAL_IN_CONTENT = 1.0, 0.8, 0.5
GRADED_BY_TAGS, GRADED_BY_CONTENT = 0.8, 0.5

# The rest was chosen by measuring; docs/search.md says what each is worth

K1, B = 0.7, 0.3  # BM25: how soon repetition stops counting, how much length does
NAME_WEIGHT, TAG_WEIGHT, CONTENT_WEIGHT = 1.5, 1.0, 1.0
SPELT = 0.6  # what a word counts that was found by spelling help
AKIN, AKIN_ALONE = 0.4, 0.8  # one that means nearly the same, and where no memory holds the word asked for
NEIGHBOUR = {1: 0.4, 2: 0.4, -1: 0.2, -2: 0.2}  # what a match lends to memories stored so far after it, before it
REACH = 2  # of which the brain tells the neighbours
CALLED = 0.5  # a tag that the question calls by its proper name
SAMPLE = 25  # of the best hits are compared with their neighbours, to see whether the order means anything:
LIKE_STRANGERS, LIKE_KIN = 1.5, 2.3  # as alike as strangers, nothing; so many times more, all
DOUBT = 8  # pairs like strangers, imagined: few real ones prove little
PASSAGE = 0.4  # how much of the question a memory holds together with its neighbours
LENGTH = 0.2  # a long memory says more than a short one
ASKING = -0.3  # what ends with a question mark seldom answers
ANSWER = 0.6  # what was stored just after such a one that matches as well as the best
WHEN = 0.4  # what says when, where that is the question
VERSIONS = 10  # so many of the best matches are compared, two and two: are they versions of one thing?
VERSION_ALIKE, VERSION_TIMES = 0.12, 3.5  # they may be if so much alike, so many times more than others usually are,
UNTAGGED_TIMES, CHANGED_TIMES = 2.5, 2  # or so many, where neither has a tag, or where the later tells of a change;
IMAGINED, USUAL = 5, 0.2  # beside the others so many are imagined, that are so much alike;
VERSION_TAG = 3  # in that a word of a tag counts so many times what it tells,
FILED_ALIKE = 0.5  # and the tags, where both have any, must be so much alike;
VERSION_SCORE, VERSION_COVERS = 0.4, 0.3  # the later must have so much of the earlier's score, and of its query words
TOGETHER, TOGETHER_ALIKE = 3, 0.05  # or they may be if at most so many have just the same tags, and so much alike,
TOGETHER_TAGS, NEARLY_TOGETHER_ALIKE = 0.66, 0.08  # or so much of their tags in common, and so much alike;
TOGETHER_SCORE = 0.3  # the later must have so much of the earlier's score
CERTAINLY_ALIKE, CERTAIN_SCORE = 0.45, 0.7  # they are if so much alike, and the later has so much of the score: then
PAGE, LEAD = 5, 0.025  # the earlier becomes the last of so many, so little ahead that credit decides whether it stays
PROVED = 0.02  # an earlier one that has so much more credit stays where it is
ECHO, ECHO_ALONE = 0.3, 0.6  # words that the best matches have in common; where the order of storing says nothing
ECHO_FROM, ECHO_WORDS = 10, 10  # so many matches, so many words
MEANING, MEANING_ALONE = 0.3, 0.7  # of what a match is worth by words and by meaning, the part of meaning:
WELL_TOLD, HARDLY_TOLD = 0.6, 0.2  # where a memory holds so much of the question in words, and where none does
ALIKE, UNLIKE = 0.15, 0.05  # cosines: from here on it is a match, up to here it is worth nothing
SURE = 0.3  # a match must be so alike where the whole query stands somewhere; the nearest must where no word matches
SEEDS = 40  # how many of the best hits lend to their neighbours
