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
AKIN, AKIN_ALONE = 0.45, 0.8  # one that means nearly the same, and where no memory holds the word asked for
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
VERSION_SCORE = 0.35  # they may be if the later has so much of the earlier's score, and these add up to 1:
VERSION_TIMES = 0.42  # how many times more words they have in common than others usually have, by the logarithm;
IMAGINED, USUAL = 5, 0.2  # beside the others so many are imagined, that are so much alike;
VERSION_TAG, VERSION_TAGS = 0.27, 3  # each tag in common, up to so many;
VERSION_ALONE = 0.28  # the share of their tags that is, and how alone they are in having these;
VERSION_UNTAGGED, UNTAGGED_ALIKE = 0.6, 0.16  # instead of both, where one has no tags and they are so much alike;
VERSION_CHANGE = 0.125  # the later tells of a change, and the earlier does not;
VERSION_LOST = 0.37  # less: how much of the question the earlier alone holds;
VERSION_TALK = 0.145  # less: that the order of storing means something, as in a talk
CERTAINLY_ALIKE, CERTAIN_SCORE = 0.45, 0.7  # they are if so much alike, and the later has so much of the score
ECHO, ECHO_ALONE = 0.3, 0.6  # words that the best matches have in common; where the order of storing says nothing
ECHO_FROM, ECHO_WORDS = 10, 10  # so many matches, so many words
MEANING, MEANING_ALONE = 0.3, 0.7  # of what a match is worth by words and by meaning, the part of meaning:
WELL_TOLD, HARDLY_TOLD = 0.6, 0.2  # where a memory holds so much of the question in words, and where none does
ALIKE, UNLIKE = 0.15, 0.05  # cosines: from here on it is a match, up to here it is worth nothing
SURE = 0.3  # a match must be so alike where the whole query stands somewhere; the nearest must where no word matches
SEEDS = 40  # how many of the best hits lend to their neighbours
