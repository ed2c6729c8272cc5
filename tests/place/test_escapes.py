"""Escapes that made a match are done to the same escapes of the new text, and to nothing else (SPEC §14)."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, replace, update
from suture.place.escapes import carry_escapes

#: A script inside of the double quotes of another one.
SCRIPT = r"""bash -c "
  A=\"1\"
  [ \"\$OK\" = 1 ] && run
"
"""
GREETING = 'print("Hello\\\\n there")\ncount = 1\n'


def both_ways(content: str, old: str, new: str) -> str:
    """The result of a string edit and of the hunk of the same lines, which must agree; the reason where refused."""
    lines = [f"-{line}" for line in old.split("\n")] + [f"+{line}" for line in new.split("\n")]
    results: list[str] = []
    for make in (lambda: replace(content, old, new), lambda: update(content, [Hunk(tuple(lines))])):
        try:
            results.append(str(make().text))
        except PatchRejectedError as rejected:
            results.append(str(rejected.problems[0].details.get("reason")))
    assert results[0] == results[1]
    return results[0]


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        ('  A="1"', '  A="2"', r"A=\"1\"", r"A=\"2\""),
        ('  A="1"', '  A="2"\n  B="3"', r"  A=\"1\"", r"  A=\"2\"\n  B=\"3\"".replace("\\n", "\n")),
        ('  A="1"\n  [ "$OK" = 1 ] && run', '  A="2"\n  [ "$OK" = 1 ] && run', r"A=\"1\"", r"A=\"2\""),
        ('  [ "$OK" = 1 ] && run', '  [ "$OK" = 2 ] && run "$OK"', "= 1 ] && run", r"= 2 ] && run \"\$OK\""),
        # The line that opens the string has a quote of its own: each is as the file has it.
        ('bash -c "\n  A="1"\n  [ "$OK" = 1 ] && run', 'bash -c "\n  A="2"\n  [ "$OK" = 1 ] && run', "1", "2"),
    ],
)
def test_text_inside_of_a_quoted_string_stays_escaped(old: str, new: str, before: str, after: str) -> None:
    assert both_ways(SCRIPT, old, new) == SCRIPT.replace(before, after, 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A quote that closes the string, or is one of the script's?
        ('bash -c "\n  A="1"\n  [ "$OK" = 1 ] && run', 'bash -c "\n  A="1"\n  B="2"\n  [ "$OK" = 1 ] && run'),
        # The outer shell would expand it.
        ('  A="1"', '  A="$HOME"'),
        ('  A="1"', '  A="`pwd`"'),
        # One escape that the file may have, and one that it may lack.
        ('  A="1"', r'  A="\"1\""'),
        ('  A="1"', r'  A="a\tb"'),
    ],
)
def test_a_sign_that_may_have_to_be_escaped_is_refused(old: str, new: str) -> None:
    assert both_ways(SCRIPT, old, new) in ("unclear_escapes", "context_not_found")


@pytest.mark.parametrize(
    ("new", "right"),
    [
        ('print("Hello\\n you")', 'print("Hello\\\\n you")\ncount = 1\n'),
        ('print("Hello\\n there\\n")', 'print("Hello\\\\n there\\\\n")\ncount = 1\n'),
        ("print('Hello\\n there')", "print('Hello\\\\n there')\ncount = 1\n"),
        ('print("Hello\\n you")\nlog("x")', 'print("Hello\\\\n you")\nlog("x")\ncount = 1\n'),
        # A pattern, also in the same line, and the same escape in another line.
        ('print("Hello\\n you")\nlog(re.sub("\\s*", x))', "unclear_escapes"),
        ('print("Hello\\n \\s*")', "unclear_escapes"),
        ('print("Hello\\n you")\nlog("a\\nb")', "unclear_escapes"),
    ],
)
def test_a_backslash_is_doubled_only_where_one_made_the_match(new: str, right: str) -> None:
    """SPEC §14: "Escapes are undone … only where the same escape made the match, never in other lines or patterns."."""
    assert both_ways(GREETING, 'print("Hello\\n there")', new) == right


@pytest.mark.parametrize(
    ("old", "new", "right"),
    [
        ("path = C:\\\\dir", "path = D:\\\\dir", "path = D:\\dir\n"),
        ("path = C:\\\\dir", "path = D:\\\\dir\nroot = E:\\\\", "path = D:\\dir\nroot = E:\\\n"),
        ("path = C:\\\\dir", 'path = D:\\\\dir\ndigits = re.compile("\\\\d")', "unclear_escapes"),
    ],
)
def test_a_doubled_backslash_in_a_pattern_of_another_line_may_be_meant(old: str, new: str, right: str) -> None:
    assert both_ways("path = C:\\dir\n", old, new) == right


@pytest.mark.parametrize(
    ("old", "there", "new", "carried"),
    [
        # Of a line with strings of its own, the escapes say nothing of other lines.
        (['x = "a "b""'], ['x = "a \\"b\\""'], ['x = "a "b""', 'y = "c"'], ['x = "a \\"b\\""', 'y = "c"']),
        (['say "b"'], ['say \\"b\\"'], ['say "b"', "it's"], ['say \\"b\\"', "it's"]),
        (["say 'b'"], ["say \\'b\\'"], ["say 'b'", 'a "c"'], ["say \\'b\\'", 'a "c"']),
        (["say `b`"], ["say \\`b\\`"], ["say `b`", 'a "c"'], None),
        # A character for its escape.
        (['"caf\u00e9"'], ['"caf\\u00e9"'], ['"caf\u00e9s"', '"th\u00e9"'], ['"caf\\u00e9s"', '"th\u00e9"']),
        # Blanks are the new line's own.
        (['  a = "b"'], ['    a  = \\"b\\"'], ['  a = "c"'], ['  a = \\"c\\"']),
        # More escapes in the edit than in the file.
        (['a = \\"b\\"'], ['a = "b"'], ['a = \\"c\\"'], ['a = "c"']),
        (['a = \\"b\\"'], ['a = "b"'], ['a = \\"c\\" + "d"'], None),
        # Not the same line.
        (["a = b"], ["a = c"], ["a = d"], None),
    ],
)
def test_escapes_are_carried_over_by_position(
    old: list[str], there: list[str], new: list[str], carried: list[str] | None
) -> None:
    assert carry_escapes(old, there, new) == carried
