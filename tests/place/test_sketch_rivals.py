"""A part of a sketch that may mean something else than its likeliest place is refused. Each was wrong once."""

from __future__ import annotations

import pytest

from suture import PatchRejectedError
from suture.place.sketches import apply_sketch

MARKER = "// ... existing code ..."


def after(content: str, *lines: str, path: str) -> str:
    return str(apply_sketch(content, "\n".join([*lines, ""]), path=path))


def is_refused(content: str, *lines: str, path: str) -> bool:
    try:
        after(content, *lines, path=path)
    except PatchRejectedError:
        return True
    return False


FEATURES = """\
public enum Feature {
    /**
     * Whether a reader takes
     * names without quotes.
     */
    PLAIN_NAMES(false),

    /**
     * Whether a reader takes tabs
     * and other control characters
     * inside of quoted texts.
     */
    CONTROL_CHARACTERS(false),

    /**
     * Whether any character
     * may be behind a backslash.
     */
    ANY_ESCAPE(false);
}
"""


def test_a_new_constant_with_the_first_lines_of_another_one_does_not_replace_it() -> None:
    """The comment of the new constant begins as that of the one before it."""
    new = ["    /**", "     * Whether a reader takes tabs", "     * as white space.", "     */", "    TABS(false),", ""]
    assert is_refused(FEATURES, MARKER, *new, "    /**", "     * Whether any character", MARKER, path="Feature.java")
    above = ["    CONTROL_CHARACTERS(false),", ""]
    wanted = FEATURES.replace("    /**\n     * Whether any", "\n".join([*new, "    /**\n     * Whether any"]))
    below = ["    /**", "     * Whether any character", "     * may be behind a backslash.", MARKER]
    assert after(FEATURES, MARKER, *above, *new, *below, path="Feature.java") == wanted


def test_a_changed_constant_is_not_taken_for_a_new_one() -> None:
    part = ["     * Whether a reader takes tabs", "     * and other controls", "     * inside of quoted texts."]
    wanted = FEATURES.replace("other control characters", "other controls")
    assert after(FEATURES, MARKER, *part, MARKER, path="Feature.java") == wanted


IMPLS = """\
impl Poll {
    fn wake(&self) {
        if self.is_open() {
            unsupported!();
        }
    }
}

#[cfg(unix)]
impl AsRawFd for Poll {
    fn as_raw_fd(&self) -> RawFd {
        unsupported!()
    }
}

fn last() {
    stop(&self);
}
"""


def test_a_block_beside_one_like_it_does_not_replace_it() -> None:
    new = ["#[cfg(unix)]", "impl AsFd for Poll {", "    fn as_fd(&self) -> BorrowedFd {", "        unsupported!()"]
    part = ["            unsupported!();", "        }", "    }", "}", "", *new, "    }", "}"]
    assert is_refused(IMPLS, MARKER, *part, MARKER, path="poll.rs")


HEADERS = '''\
class Request:
    first = header(
        "First",
        doc="""The first one.

        .. versionadded:: 1""",
        read_only=True,
    )
    digest = header(
        "Digest",
        doc="""A digest of the body.

        .. versionadded:: 1""",
        read_only=True,
    )
    second = header(
        "Second",
        doc="""The second one.""",
    )
'''


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_name_that_is_defined_in_another_way_is_not_kept_above_the_new_definition(count: int) -> None:
    """The lines above are in the file twice: above the old definition, and at its end."""
    above = ['        .. versionadded:: 1""",', "        read_only=True,", "    )"][-count:]
    new = ["", "    @property", "    def digest(self):", "        return get(self)", ""]
    below = ["    second = header(", '        "Second",', '        doc="""The second one.""",'][:count]
    marker = "# ... existing code ..."
    assert is_refused(HEADERS, marker, *above, *new, *below, marker, path="a.py")


CONDITIONS = """\
export function change(name, node) {
  if (
    node.type === 'Call' &&
    node.callee.type === 'Member' &&
    node.callee.name === name &&
    node.kind === 'object'
  ) {
    return call(
      member(name, 'strict'),
      node.arguments
    );
  }
  return pipe(name, node);
}
"""


def test_a_marker_may_be_missing_between_lines_that_the_sketch_has_several_times() -> None:
    head = ["export function change(name, node) {"]
    new = [
        "  if (",
        "    node.type === 'Call' &&",
        "    node.callee.type === 'Member' &&",
        "    node.callee.name === name &&",
        "    node.kind === 'strict'",
        "  ) {",
        "    return node;",
        "  }",
        "",
    ]
    start = ["  if (", "    node.type === 'Call' &&", "    node.callee.type === 'Member' &&"]
    end = ["      node.arguments", "    );", "  }", "", "  // All others.", "  return pipe(name, node);", "}"]
    assert is_refused(CONDITIONS, *head, *new, *start, *end, path="a.ts") is True
    assert is_refused(CONDITIONS, *head, *new, *start, *end, MARKER, path="a.ts") is True
    wanted = CONDITIONS.replace("  if (\n", "\n".join([*new, "  if (\n"]), 1)
    wanted = wanted.replace("  return pipe", "\n  // All others.\n  return pipe")
    assert after(CONDITIONS, *head, *new, *start, f"    {MARKER}", *end, path="a.ts") == wanted


TEST = """\
def test_headers():
    request = make(
        first="1",
        second="2",
    )

    assert request.first == "1"
    assert request.third is None
    assert request.second == "2"


def test_more():
    assert make()
"""


def test_a_function_without_its_last_line_is_refused() -> None:
    """No marker is written for one line: that line may be meant to go, as another one does."""
    part = ["def test_headers():", "    request = make(", '        first="1",', "    )", ""]
    part += ['    assert request.first == "1"', "    assert request.third is None"]
    marker = "# ... existing code ..."
    assert is_refused(TEST, marker, *part, marker, path="test_a.py")
    whole = [*part, '    assert request.second != "2"']
    wanted = TEST.replace('        second="2",\n', "").replace('second == "2"', 'second != "2"')
    assert after(TEST, marker, *whole, marker, path="test_a.py") == wanted


ROUTE = """\
impl Route {
    fn set_index(&mut self, index: usize) {
        let total = self.index + index;
        self.index = index;
    }

    fn address(&self) -> Option<Address> {
        self.address
    }

    fn take(&mut self) -> Option<Body> {
        self.body.take()
    }
}
"""


def test_a_line_and_a_closing_bracket_that_change_nothing_may_drop_what_is_between_two_brackets() -> None:
    kept = ["        self.address", "    }", ""]
    changed = [MARKER, *kept, "    fn take(&mut self) -> Option<Text> {", "        self.body.take()", "    }", "}"]
    few = [MARKER, "        self.index = index;", "    }"]
    assert is_refused(ROUTE, *few, *changed, path="route.rs")
    more = [MARKER, "        let total = self.index + index;", *few[1:]]
    assert after(ROUTE, *more, *changed, path="route.rs") == ROUTE.replace("Option<Body>", "Option<Text>")


DOCS = """\
/// A valid one:
///
/// ```rust
/// # extern crate web;
/// use web::RawText;
///
/// let raw_text = RawText::new("Hello%21");
/// let decoded = raw_text.percent_decode();
/// assert_eq!(decoded, Ok("Hello!".into()));
/// ```
///
/// Other texts can't be decoded,
/// such as bytes
/// that are none of UTF-8,
/// or too many of them.
///
/// An invalid one:
///
/// ```rust
/// # extern crate web;
/// use web::RawText;
///
/// let bad_raw_text = RawText::new("%FF");
/// assert!(bad_raw_text.percent_decode().is_err());
/// ```
#[inline]
pub fn percent_encode(&self) -> RawText {
    encode_set(self)
}
"""


def test_a_small_change_may_as_well_be_one_from_the_lines_further_up_that_it_is_like() -> None:
    """Both examples begin alike: the new one may take the place of both, or of the second."""
    above = ["/// # extern crate web;", "/// use web::RawText;", "///"]
    below = ["/// ```", "#[inline]", "pub fn percent_encode(&self) -> RawText {", MARKER]
    like_first = [
        '/// let raw_text = RawText::new("Hello/you");',
        "/// let encoded = raw_text.percent_encode();",
        '/// assert_eq!(encoded.as_str(), "Hello%2Fyou");',
    ]
    assert is_refused(DOCS, MARKER, *above, *like_first, *below, path="raw.rs")
    like_second = [
        '/// let bad_raw_text = RawText::new("%FE");',
        "/// assert!(bad_raw_text.percent_encode().is_err());",
    ]
    done = after(DOCS, MARKER, *above, *like_second, *below, path="raw.rs")
    assert done == DOCS.replace("%FF", "%FE").replace("bad_raw_text.percent_decode", "bad_raw_text.percent_encode")
