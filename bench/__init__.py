"""How well and how fast the search finds: `python -m bench`. Not part of the installed package."""
