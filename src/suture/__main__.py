"""`python -m suture` is the program `suture`."""

from .cli.main import main

main()
