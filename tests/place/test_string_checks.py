"""What a string edit may not bring in, and edits that change nothing."""

from __future__ import annotations

import pytest
from tests.shared.string_results import refused, refused_list

from suture import replace
from suture.place.new_text import placeholder_in
from suture.words.message_lines import visible

# Nothing to do.


def test_an_old_text_that_is_the_new_one_is_an_error() -> None:
    """SPEC §6: "`old == new` is an error"."""
    for content, text in (("a\n", "a"), ("a\n", "b"), ("", ""), ("a\n", "")):
        assert refused(content, text, text).code == "no_change"


def test_an_edit_that_makes_no_difference_is_an_error() -> None:
    assert refused("a\r\nb\r\n", "a\n", "a\r\n").code == "no_change"
    assert refused("say(“hi”)  \n", 'say("hi")\n', 'say("hi")').code == "no_change"


def test_an_empty_old_text_fills_an_empty_file() -> None:
    """SPEC §6: "`old == ""` creates the file; on an existing file it is an error unless the file is empty"."""
    assert replace("", "", "a\nb\n").text == "a\nb\n"
    assert replace(b"", "", "ä").text == "ä".encode()
    assert replace("\ufeff", "", "a").text == "\ufeffa"
    for content in ("a", "\n", " "):
        assert refused(content, "", "b").code == "invalid_arguments"
    assert refused("a", "", "b", replace_all=True).code == "invalid_arguments"


def test_an_empty_file_has_no_other_text() -> None:
    problem = refused("", "a", "b")
    assert (problem.code, problem.details["reason"]) == ("old_text_not_found", "context_not_found")


@pytest.mark.parametrize(
    ("content", "old", "new", "code"),
    [
        ("x = 2\n", "x = 1", "x = 2", "old_text_not_found"),
        ("def f():\n    return 2\n", "def f():\n    return 1", "def f():\n    return 2", "old_text_not_found"),
        (
            "def f():\n  one()\n  two()\n  three()\n",
            "def f():\n",
            "def f():\n  one()\n  two()\n  three()\n",
            "patch_apply_error",
        ),
    ],
)
def test_an_edit_that_was_made_before_is_told_so(content: str, old: str, new: str, code: str) -> None:
    problem = refused(content, old, new)
    assert (problem.code, problem.details["reason"], problem.details["line"]) == (code, "already_applied", 1)


def test_a_deletion_whose_lines_are_in_the_file_was_not_made_before() -> None:
    content = "one()\nextra()\ntwo()\nthree()\n-\none()\nthree()\n"
    problem = refused(content, "one()\ntwo()\nthree()", "one()\nthree()")
    assert (problem.code, problem.details["reason"]) == ("old_text_not_found", "context_not_found")
    problem = refused(content.replace("two()\n", ""), "one()\ntwo()\nthree()", "one()\nthree()")
    assert (problem.code, problem.details["reason"]) == ("old_text_not_found", "already_applied")


def test_a_content_over_the_limit_is_refused() -> None:
    assert refused("abc", "a", "b", max_size=2).code == "file_too_large"
    assert refused_list("abc", [("a", "b")], max_size=2) == [("file_too_large", None)]


def test_an_edit_whose_result_is_over_the_limit_is_refused() -> None:
    assert refused("a = 1\n", "a = 1", "a = 1000", max_size=8).code == "file_too_large"
    assert replace("a = 1\n", "a = 1", "a = 1000", max_size=9).text == "a = 1000\n"


def test_a_text_with_nul_bytes_is_not_edited() -> None:
    assert refused("a\0\nb = 1\n", "b = 1", "b = 2").code == "binary_file"


# Placeholders.

PLACEHOLDERS = [
    "# ... rest of the code ...",
    "    # ... existing code ...",
    "// existing code",
    "// ... existing code ...",
    "// ...existing code...",
    "// Rest of the code remains the same",
    "# rest of the function stays the same",
    "/* ... rest of file unchanged ... */",
    "<!-- ... existing content ... -->",
    "{/* ... existing code ... */}",
    "// ... (rest of the methods)",
    "... rest of code ...",
    "… rest of the file …",
    "[... rest of the file ...]",
    "(rest of the code unchanged)",
    "# remaining code omitted for brevity",
    "// same as before",
    "# [rest of file]",
    "-- existing code",
    "// ... previous code",
    "... (truncated)",
    "# unchanged code",
]
NO_PLACEHOLDERS = [
    "# the rest of the frame is padding",
    "...",
    "    ...",
    "// Remaining time in seconds",
    "# Remaining items",
    "// existing users",
    "# existing users keep their role",
    "    pass  # ...",
    "  ...props,",
    "const { a, ...rest } = props;",
    "[...rest, last]",
    "# Use the existing code path",
    "// The rest of the bytes",
    "# the rest is padding",
    "# Original file",
    "// previous line",
    "# unchanged",
    "# rest",
    "- existing code must be kept",
    "## The rest of the file",
    "print('existing code')",
    "# TODO: ... later",
    "// same as before, but async",
    "#existing { color: red }",
    "// before all tests",
    "raise NotImplementedError  # ... the rest",
    "for line in rest_of_the_file:",
    "See the existing code...",
]


def test_prose_may_have_a_placeholder_where_the_old_text_has_one_place() -> None:
    """SPEC 13: "The placeholder check does not apply to exact, unique edits of prose files (Markdown, text)."."""
    new = "# ... existing code ..."
    assert replace("one\ntwo\n", "two", new, path="guide.md").text == f"one\n{new}\n"
    assert refused("one\ntwo\n", "two", new, path="guide.py").details["reason"] == "placeholder"
    assert refused("two\ntwo\n", "two", new, path="guide.md").code == "multiple_matches"
    assert refused("one\n", "two", new, path="guide.md").code == "old_text_not_found"
    several = refused("two\ntwo\n", "two", new, path="guide.md", replace_all=True)
    assert several.details["reason"] == "placeholder"
    assert replace("one\ntwo\n", "two", new, path="guide.md", replace_all=True).text == f"one\n{new}\n"


@pytest.mark.parametrize("path", ["a.md", "a.TXT", "docs/a.rst"])
def test_prose_may_have_a_placeholder_where_the_match_is_loose(path: str) -> None:
    """Issue 25, 16: "The placeholder guard in Markdown where the match is loose"."""
    content = "# Title\n\nSome   text here\nmore text\n"
    new = "Some text there\n<!-- existing content -->\nmore text"
    done = replace(content, "Some text here\nmore text", new, path=path)
    assert done.text == f"# Title\n\n{new}\n"
    assert [concession.name for concession in done.concessions] == ["whitespace"]


@pytest.mark.parametrize("line", PLACEHOLDERS)
def test_a_placeholder_is_refused(line: str) -> None:
    """Issue 3: "Placeholders in added text … that are not in `old`: refused with a hint (a setting)."."""
    problem = refused("a = 1\nb = 2\n", "a = 1", f"a = 2\n{line}")
    assert (problem.code, problem.details["reason"]) == ("invalid_arguments", "placeholder")
    assert visible(line) in problem.message
    assert replace("a = 1\n", "a = 1", line, allow_placeholders=True).text == f"{line}\n"
    assert replace(f"a = 1\n{line}\n", f"a = 1\n{line}", f"a = 2\n  {line}").text == f"a = 2\n  {line}\n"


@pytest.mark.parametrize("line", NO_PLACEHOLDERS)
def test_code_and_comments_are_no_placeholders(line: str) -> None:
    assert replace("a = 1\nb = 2\n", "a = 1", f"a = 2\n{line}").text == f"a = 2\n{line}\nb = 2\n"


@pytest.mark.parametrize(
    "line",
    [
        "...rest",
        "    ...rest,",
        "    ...original,",
        '    "rest of file",',
        "'existing code',",
        "'same as before...',",
        "# rest of the line",
        "// remaining lines",
        "* existing tests",
        "### Remaining methods",
    ],
)
def test_more_code_and_comments_are_no_placeholders(line: str) -> None:
    assert replace("a = 1\nb = 2\n", "a = 1", f"a = 2\n{line}").text == f"a = 2\n{line}\nb = 2\n"


@pytest.mark.parametrize(
    "line",
    [
        "// ... other methods ...",
        "# ... more code ...",
        "// keep existing code",
        "# Keep the rest of the code as is",
        "// other methods remain unchanged",
        "# your existing code here",
        "// Implementation remains the same",
        "<!-- rest of the page -->",
        "/* existing styles */",
        "# (code omitted for brevity)",
    ],
)
def test_more_placeholders_are_refused(line: str) -> None:
    assert refused("a = 1\nb = 2\n", "a = 1\nb = 2", f"a = 2\n{line}").details["reason"] == "placeholder"


# Control characters.


@pytest.mark.parametrize("odd", ["\0", "\x07", "\x08", "\x1b", "\x7f", "\x85", "\ud800"])
def test_control_characters_are_not_brought_in(odd: str) -> None:
    """SPEC §5: "New control characters (but tab and form feed) in added text are refused, with a setting."."""
    problem = refused("a = 1\n", "1", f"2{odd}")
    assert (problem.code, problem.details["reason"], problem.details["character"]) == (
        "encoding_error",
        "control_character",
        ord(odd),
    )
    assert replace("a = 1\n", "1", f"2{odd}", allow_control=True).text == f"a = 2{odd}\n"


def test_control_characters_that_are_there_may_stay() -> None:
    assert replace("a = '\x1b'\n", "a = '\x1b'", "b = '\x1b'").text == "b = '\x1b'\n"
    assert replace("a\n", "a", "b\f\tc").text == "b\f\tc\n"
    assert replace("a\x07b\n", "b", "c").text == "a\x07c\n"
    assert replace("a\n", "a", "b\xa0c").text == "b\xa0c\n"


def test_a_space_beside_a_control_character_is_not_the_problem() -> None:
    problem = refused("a = 1\n", "1", "2 \x07")
    assert problem.message == "The edit adds the control character U+0007 to the file."
    assert problem.details["character"] == 7
    assert refused("a = 1\n", "1", "2 \udfff").details["character"] == 0xDFFF


# More placeholders.


@pytest.mark.parametrize(
    ("line", "is_placeholder"),
    [
        ("# ... existing code ...".ljust(199), True),
        ("# ... existing code ...".ljust(200), False),
        ("# ... existing code ...".ljust(250), False),
        ("run() # ... existing code ...", True),
        ("run() # … existing code …", True),
        ("run() # existing code", False),
        ("run() # ... existing users come first", False),
        ("# … existing code …", True),
        ("// …", True),
        ("// ......", False),
        ("#", False),
        ("(x)", False),
        ("(unchanged)", True),
        ("# ... " + "x" * 49 + " as before", True),
        ("# ... " + "x" * 50 + " as before", False),
        ("# ... " + "x" * 70 + " as before", False),
    ],
)
def test_a_placeholder_says_in_a_short_comment_that_something_was_left_out(line: str, is_placeholder: bool) -> None:
    # A text without one of the words of a placeholder is not looked at line by line.
    assert placeholder_in(f"rest = 2\n{line}", "a = 1\nb = 2") == (line if is_placeholder else None)


def test_dots_alone_are_a_placeholder_only_where_lines_go() -> None:
    assert placeholder_in("a\n# ...\nb", "a\nb") is None
    assert placeholder_in("a\n# ...", "a\nb") == "# ..."


@pytest.mark.parametrize("path", ["", "a.txt"])
def test_a_message_names_the_file_or_says_that_there_is_one(path: str) -> None:
    name = path or "the file"
    assert refused("a\n", "", "b", path=path).message.endswith(f"but {name} exists and is not empty.")
    assert refused("a\nb\n", "a\r\nb", "a\nb", path=path).message.endswith(f"{name} already has the result at line 1.")
    assert refused("a\nb\n" * 2, "a\r\nb", "a\nb", path=path, replace_all=True).code == "no_change"
    assert refused("a = 1\n", "1", "\x07", path=path).message.endswith(f"to {name}.")


@pytest.mark.parametrize("allowed", [False, True])
def test_an_edit_that_was_found_loosely_is_parsed_unless_syntax_errors_are_allowed(allowed: bool) -> None:
    content, old, new = '{\n"a": 1\n}\n', ' "a": 1 ', '"a": 1,'
    if allowed:
        assert replace(content, old, new, path="a.json", allow_syntax_errors=True).text == '{\n"a": 1,\n}\n'
    else:
        assert refused(content, old, new, path="a.json").details["reason"] == "syntax_error"


def test_a_placeholder_in_words_is_one_also_where_no_lines_go() -> None:
    assert placeholder_in("a\n# ... existing code ...", "a") == "# ... existing code ..."
