"""Starts the server with a profile whose tools misbehave in every way a tool can."""

import sys
from pathlib import Path

from clawbrain import profiles
from clawbrain.__main__ import main

HERE = str(Path(__file__).parent)
profiles.FOLDER = HERE
profiles.__path__.append(HERE)
sys.argv[1:1] = ["serve", "--profile", "odd"]
main()
