"""Whether a shell command can change files. Only commands that are known to read are trusted."""

from __future__ import annotations

import re

from . import transcript_limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_READS = re.compile(
    r"(cat|nl|rg|grep|ls|head|tail|wc|find|pwd|echo|test|which|stat|file|sort|uniq|cut|cd|sleep|true|diff|"
    r"sed -n|git (--no-pager )?(diff|status|log|show|blame|ls-files|grep|rev-parse))\b"
)
_WRITES = re.compile(
    r">(?!\s*(&\d|/dev/null))|\btee\b|\bxargs\b|`|\$\(|<<|-exec|-delete|\s-i\b|"
    # Options of `find`, `git diff` and `sort` that name a file to write.
    r"-fprint|-fls\b|-ok|\s--output\b|\bsort\b[^|;&\n]*\s-\w*o"
)


def call_may_write(tool: str, command: str, *, shell_tool: str, read_only: Collection[str]) -> bool:
    """Whether a call whose changes are not recorded may have changed files.

    It may unless its tool is one of the `read_only` ones, or `shell_tool` with a command that only reads.
    """
    if tool == shell_tool:
        return may_write(command)
    return tool not in read_only


def may_write(command: str) -> bool:
    """Whether a command can change files, as far as its words tell."""
    if not command or len(command) > transcript_limits.LONGEST_COMMAND or _WRITES.search(command):
        return True
    return any(not _READS.match(part.strip()) for part in re.split(r"&&|\|\||[;|\n]", command) if part.strip())
