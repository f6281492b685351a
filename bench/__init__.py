"""Benchmarks of the product: `python -m bench --help`. They are not part of the installed package."""
