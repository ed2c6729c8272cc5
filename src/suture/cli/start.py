"""The entry point of `suture`: until its modules are loaded, Ctrl-C ends the process without a traceback."""

from __future__ import annotations

from .interrupts import end_quietly


def main() -> None:
    """Load the program and run it."""
    end_quietly()
    from .main import main as run_program

    run_program()
