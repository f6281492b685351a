"""Read a prompt: the outcome it begins with, what it asks to be kept, and which memories are truly about it.

Everything here is pure: texts, memories and the weights of words go in, decisions come out. Read `about.py` first.
"""
