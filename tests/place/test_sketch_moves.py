"""Lines that a part of a sketch has in another order are moved; a part that may leave out more is refused."""

from __future__ import annotations

import pytest

from suture import PatchRejectedError
from suture.place.sketches import apply_sketch

MARKER = "// ... existing code ..."

MODULE = """\
import { build } from 'toolkit'
import path from 'node:path'
import { parse } from './parse'
import { readFile } from 'node:fs'

export const root = path.resolve('source')

export function load(name) {
  return parse(readFile(name))
}
"""
SORTED = [
    "import { readFile } from 'node:fs'",
    "import path from 'node:path'",
    "import { build } from 'toolkit'",
    "import { parse } from './parse'",
]
BELOW = ["", "export const root = path.resolve('source')", "", "export function load(name) {", MARKER]


def after(content: str, *lines: str, path: str) -> str:
    return str(apply_sketch(content, "\n".join([*lines, ""]), path=path))


def test_sorted_imports_at_the_start_of_a_file_are_moved() -> None:
    rest = MODULE[MODULE.index("\nexport const") :]
    assert after(MODULE, *SORTED, *BELOW, path="load.ts") == "\n".join([*SORTED, ""]) + rest


def test_a_first_line_of_the_file_that_is_nowhere_in_the_sketch_is_not_moved() -> None:
    """Nothing says whether it stays above."""
    lines = [line for line in SORTED if "toolkit" not in line]
    with pytest.raises(PatchRejectedError):
        after(MODULE, *lines, *BELOW, path="load.ts")


def test_lines_in_another_order_of_which_one_is_missing_are_refused() -> None:
    lines = [line for line in SORTED if "parse" not in line]
    with pytest.raises(PatchRejectedError):
        after(MODULE, *lines, *BELOW, path="load.ts")


SCRIPT = """\
function test_all() {
  echo "checking the library"
  run_checks library --all

  echo "checking the fuzzers"
  update_tools fuzzers
  run_checks fuzzers --all

  case "$SYSTEM" in
    linux*)
      echo "checking the benches"
      run_checks benches --all
      ;;
  esac
}
"""
MOVED = [
    MARKER,
    '  echo "checking the library"',
    "  run_checks library --all",
    "",
    '  case "$SYSTEM" in',
    "    linux*)",
    '      echo "checking the benches"',
    "      run_checks benches --all",
    "",
    '      echo "checking the fuzzers"',
    "      update_tools fuzzers",
    "      run_checks fuzzers --all",
    "      ;;",
    "  esac",
    "}",
]


def test_lines_that_go_deeper_in_a_part_are_moved() -> None:
    fuzzers = '  echo "checking the fuzzers"\n  update_tools fuzzers\n  run_checks fuzzers --all\n'
    deeper = "\n" + "".join(f"    {line}\n" for line in fuzzers.splitlines())
    moved = SCRIPT.replace(f"{fuzzers}\n", "").replace("      ;;\n", f"{deeper}      ;;\n")
    assert after(SCRIPT, *MOVED, path="check.sh") == moved


def test_lines_of_which_one_does_not_come_back_are_not_moved() -> None:
    """They may stay where they are, and those further down be others like them."""
    lines = [line for line in MOVED if "update_tools" not in line]
    with pytest.raises(PatchRejectedError) as refused:
        after(SCRIPT, *lines, path="check.sh")
    assert refused.value.problems[0].reason == "left_out"


PROGRAM = """\
package main

import (
	"errors"
	"fmt"
	"os"
)

var (
	// ErrNoPath says that the path is missing.
	ErrNoPath = errors.New("no path")
)

func main() {
	fmt.Fprintln(os.Stderr, "no path")
}
"""


def test_a_bracket_below_what_goes_may_be_a_later_one() -> None:
    """With one line above what goes, one line may be below: then the variables go, too."""
    with pytest.raises(PatchRejectedError):
        after(PROGRAM, MARKER, "import (", '\t"fmt"', '\t"os"', ")", MARKER, path="main.go")


def test_a_bracket_that_no_other_one_follows_ends_a_part() -> None:
    without = PROGRAM.replace(PROGRAM[PROGRAM.index("var (") : PROGRAM.index("func")], "")
    shorter = after(without, MARKER, "import (", '\t"fmt"', '\t"os"', ")", MARKER, path="main.go")
    assert shorter == without.replace('\t"errors"\n', "")


def test_more_lines_below_what_goes_say_which_bracket_is_meant() -> None:
    lines = ["import (", '\t"fmt"', '\t"os"', ")", "", "var (", "\t// ErrNoPath says that the path is missing."]
    assert after(PROGRAM, MARKER, *lines, MARKER, path="main.go") == PROGRAM.replace('\t"errors"\n', "")


READER = """\
def read(frame):
    if frame.size > LIMIT:
        raise FrameError(
            "too large",
        )

    # Set the state of the first fragment.
    if frame.is_first:
        state.compressed = frame.bit
    elif frame.bit:
        raise FrameError(
            "reserved bits",
        )

    # Control frames come between fragments.
    if frame.code <= LAST_DATA_CODE:
        state.is_last = frame.is_last
    state.code = frame.code
    return state
"""


def test_lines_above_a_place_that_the_part_has_deeper_may_be_moved_into_it() -> None:
    """The bracket above may be the one that is above these lines, too; else they would be written twice."""
    above = ["        )", "", "    # Control frames come between fragments.", "    if frame.code > LAST_DATA_CODE:"]
    moved = [
        "        check(frame)",
        "    else:",
        "        # Set the state of the first fragment.",
        "        if frame.is_first:",
        "            state.compressed = frame.bit",
        "        elif frame.bit:",
        "            raise FrameError(",
        '                "reserved bits",',
        "            )",
        "        state.is_last = frame.is_last",
    ]
    below = ["    state.code = frame.code"]
    with pytest.raises(PatchRejectedError):
        after(READER, "# ... existing code ...", *above, *moved, *below, "# ... existing code ...", path="read.py")
    other = [line.replace("frame.is_first", "frame.is_only") for line in moved]
    placed = after(READER, "# ... existing code ...", *above, *other, *below, "# ... existing code ...", path="read.py")
    assert placed == READER.replace(
        "    if frame.code <= LAST_DATA_CODE:\n        state.is_last = frame.is_last\n",
        "\n".join([above[-1], *other, ""]),
    )
