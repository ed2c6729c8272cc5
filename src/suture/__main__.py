"""`python -m suture` is the program `suture`."""

from .cli.start import main

main()
