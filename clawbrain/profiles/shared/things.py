"""The words in which a graph of things is kept: the header key of a thing that is described, and where stubs lie."""

NODE = "entity_type"
UNKNOWN = "things"
