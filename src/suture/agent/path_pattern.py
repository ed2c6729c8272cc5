"""Globs that models send, for the tools `glob` and `grep`."""

from __future__ import annotations

from ..core.problems import PatchRejectedError, Problem
from ..workspace.glob_automaton import ANY, FOLDERS, REST, GlobAutomaton
from ..workspace.globs import glob_fault
from .agent_limits import MOST_GLOB_CHOICES, MOST_GLOB_PARTS
from .shell_patterns import shell_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..workspace.glob_automaton import Token


class PathPattern:
    """A glob of a model: `**` is any number of directories, and `{a,b}` is either. Without a slash it matches names.

    Raises:
        PatchRejectedError: it is too long, or has too many parts or choices.
    """

    def __init__(self, pattern: str) -> None:
        fault = glob_fault(pattern)
        if fault:
            raise PatchRejectedError([_bad_pattern(f"it {fault}")])
        is_name = "/" not in pattern.strip("/")
        choices = [_choice_tokens(choice, is_name=is_name) for choice in _expand_braces(pattern)]
        self._automaton = GlobAutomaton(choices)

    def matches(self, path: str) -> bool:
        """Whether a relative path matches."""
        return bool(self._automaton.matches(path))


def _choice_tokens(choice: str, *, is_name: bool) -> list[Token]:
    """The tokens of a glob without braces. A mere name may be at any depth."""
    parts = [part for part in choice.split("/") if part not in ("", ".")]
    if len(parts) > MOST_GLOB_PARTS:
        raise PatchRejectedError([_bad_pattern(f"it has more than {MOST_GLOB_PARTS} parts")])
    tokens: list[Token] = [FOLDERS] if is_name else []
    if not parts:
        # `.` is the directory itself, and so everything in it.
        return [*tokens, ANY, REST]
    for part in parts[:-1]:
        if part == "**":
            tokens.append(FOLDERS)
        else:
            tokens += [*_part_tokens(part), "/"]
    return tokens + _part_tokens(parts[-1])


def _part_tokens(part: str) -> list[Token]:
    tokens = shell_tokens(part)
    if tokens is None:
        # A bracket that is not closed, or a backslash at the end, stands for itself.
        tokens = shell_tokens(part.replace("\\", "\\\\").replace("[", "\\["))
    return tokens or []


def _expand_braces(pattern: str) -> list[str]:
    """`*.{ts,tsx}` as `*.ts` and `*.tsx`. Braces inside braces are taken as they are."""
    done, waiting = [], [pattern]
    while waiting:
        one = waiting.pop(0)
        before, brace, rest = one.partition("{")
        inside, closing, after = rest.partition("}")
        if not (brace and closing and "," in inside):
            done.append(one)
        else:
            waiting += [f"{before}{choice}{after}" for choice in inside.split(",")]
        if len(done) + len(waiting) > MOST_GLOB_CHOICES:
            raise PatchRejectedError([_bad_pattern(f"it has more than {MOST_GLOB_CHOICES} choices")])
    return done


def _bad_pattern(reason: str) -> Problem:
    hint = "Send a glob such as **/*.py or src/**/*.{ts,tsx}."
    return Problem(
        "invalid_arguments", f"The glob can't be used: {reason}.", details={"argument": "pattern"}, hint=hint
    )
