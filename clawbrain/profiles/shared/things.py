"""The words in which a graph of things is stored: the header key of a described thing, and the category of stubs."""

NODE = "entity_type"
UNKNOWN = "things"
