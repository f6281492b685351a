"""Search: rank matches from a question and the evidence that a store has for it.

Everything here is pure. A search takes these steps (`brain/searching.py`):

    question = read_question(text, today)
    lexicon = index.lexicon(question)                  # who holds the question's words, and words like them
    wanted = like_words.wanted(question, lexicon, families)  # the words to count, each with its weight
    evidence = index.evidence(question, wanted, ...)   # plain rows: documents, counts, statistics
    ranking = rank(question, evidence, credit, limit)  # ordered matches

`Lexicon` and `Evidence` of several stores can be added before the next step: the matches are then ranked as if one
store held them all. Read `rank.py` first; the numbers of the rules stand in `weights.py`.
"""
