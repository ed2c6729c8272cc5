"""String edits that once reported success and were wrong: each is right now, or refused."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from suture import Hunk, PatchRejectedError, multiedit, replace, update


class Attack(NamedTuple):
    """An edit, and the text that comes of it; None where it is refused."""

    content: str
    old: str
    new: str
    text: str | None = None
    replace_all: bool = False


#: An old text that begins or ends as a line does is no part of another line.
WHOLE_LINES = {
    "a statement behind a condition": Attack(
        "if (!ok) return fail();\n", "    return fail();\n", "    log();\n    return fail();\n"
    ),
    "a call behind a dot": Attack("if x:\n    self.reset()\n", "        reset()\n", ""),
    "a field that is a parameter": Attack("def g(self, name: str = ''):\n", "    name: str", ""),
    "an import in a comment": Attack("# import os\nx\n", "  import os\n", "  import sys\n"),
    "a field behind a bracket": Attack(
        "y = run(how: str | None = None)\n", "\thow: str | None", "\thow: str | None\n\twhy: int"
    ),
    "the line and not the parameter": Attack(
        "class R:\n    code: int\n    def __init__(self, code: int = 0): ...\n",
        "\n    code: int  ",
        "\n    code: float  ",
        "class R:\n    code: float  \n    def __init__(self, code: int = 0): ...\n",
    ),
    "a statement that goes on": Attack(
        "def f():\n    a = 1\n    return a + b\n",
        "        a = 1\n        return a",
        "        a = 2\n        return a * 2",
    ),
    "a quotation that goes on": Attack(
        'def f():\n    """Do it.\n    now\n    """.format(x)\n    go()\n', '        now\n        """', "        now"
    ),
    "a definition behind a word": Attack(
        "class A:\n    async def f(self):\n        return 0\n",
        "def f(self):\n    return 0",
        "def g(self):\n    return 1",
    ),
    "all such places": Attack(
        "def f(error: str = ''):\n    pass\ndef g(error: str = ''):\n    pass\n",
        "\terror: str",
        "\terror: int",
        None,
        True,
    ),
}
#: What comes in has the depth of the file, and what stays has its bytes.
DEPTHS = {
    "lines that were broken in the old text": Attack(
        "if x:\n    foo(a, b)\n    y()\n    w()\n",
        "foo(a,\n    b)\ny()",
        "foo(a,\n    b)\nz()\nq()",
        "if x:\n    foo(a, b)\n    z()\n    q()\n    w()\n",
    ),
    "lines that were broken in a file of tabs": Attack(
        "f(\n\tx {\n\t\tfoo(a, b);\n\t\ty();\n\t}\n)\n",
        "    foo(a,\n        b);\n    y();",
        "    foo(a,\n        b);\n    z();",
        "f(\n\tx {\n\t\tfoo(a, b);\n\t\tz();\n\t}\n)\n",
    ),
    "a kept line among joined ones": Attack(
        "call(first,\n     second)\nkept  =  1\nlast()\n",
        "call(first, second)\nkept = 1\nlast()",
        "call(second)\nkept = 1\nlast(2)",
        "call(second)\nkept  =  1\nlast(2)\n",
    ),
    "a kept line below one that goes": Attack(
        "def f():\n    if bold:\n        b()\n    if italic:\n        i()\n    end()\n",
        "\n\n        b()\n    if italic:\n        i()\n    end()\n\n",
        "\n\n    if italic:\n        i()\n    end()\n\n",
        "def f():\n    if bold:\n    if italic:\n        i()\n    end()\n",
    ),
    "a new text that begins where the file's text begins": Attack(
        "def f(a):\n    if a:\n        one()\n    two()\n",
        "            one()\n        two()",
        "        three()",
        "def f(a):\n    if a:\n        three()\n",
    ),
    "an indentation that is there already": Attack("if a:\n    x()\n    y()\n", "x()\n    y()", "    z()\n    y()"),
    "an indentation that is there already, everywhere": Attack(
        "if a:\n    foo()\nif b:\n    foo()\n", "foo()", "    log()\n    foo()", None, True
    ),
    "an indentation that is there already, before deeper lines": Attack(
        "if a:\n    foo(\n        1)\n    z()\n", "foo(\n        1)", "    foo(\n        2)"
    ),
    "an indentation that is there already, before a block": Attack(
        "def f():\n    x = 1\n    return x\n", "x = 1", "    if a:\n        x = 1\n    else:\n        x = 2"
    ),
    "an indentation that is meant for a block": Attack(
        "    for x in y:\n        z()\n",
        "for x in y:",
        "    if q:\n            r()\n    for x in y:",
        "        if q:\n            r()\n    for x in y:\n        z()\n",
    ),
    "a first line that is one column off": Attack(
        "class A:\n    def a(self): ...\n    def b(self): ...\n",
        "     def a(self): ...\n    def b(self): ...",
        "     def a2(self): ...\n    if x:\n        y(1)\n    def b(self): ...",
    ),
    "an indentation that is meant": Attack(
        "x = [\n    a(\n    ],\n)\n",
        "],\n)\n",
        '    "a",\n        "b",\n    ],\n)\n',
        'x = [\n    a(\n        "a",\n        "b",\n    ],\n)\n',
    ),
    "an indentation that is there already, with CRLF": Attack(
        "if a:\r\n    x()\r\n    y()\r\n", "x()\n    y()", "    z()\n    y()"
    ),
}
#: Numbers in front of lines are a viewer's only where they count.
NUMBERS = {
    "other numbers in the new text": Attack(
        "def f():\n    a(1)\n    b(2)\n", "2:     a(1)\n3:     b(2)", "20:     z(1)\n21:     x(2)"
    ),
    "a number in front that is none of the viewer's": Attack(
        "def f():\n    a(1)\n    b(2)\n", "3: b(2)", "2: a0(0)\n3: b(2)"
    ),
    "one line with a number that is a key": Attack("8080: web\nweb\n", "9090: web", "9090: mail"),
    "one line of another place": Attack("x\n" * 200 + "only()\n", "5: only()", "5: once()"),
}
#: What made the match is undone in the new text too, and nothing else.
ESCAPES = {
    "a tab inside a line": Attack("a\tb\n", r"a\tb", r"a\tc", "a\tc\n"),
    "a template": Attack("a = `x ${b}`\n", r"a = \`x \${b}\`", r"a = \`y \${b}\`", "a = `y ${b}`\n"),
    "an escape that is literal in the old text": Attack(
        "a \\times b\nc\n", "a \\times b\\nc", "a \\times b", "a \\times b\n"
    ),
    "a tab inside a line beside escaped newlines": Attack(
        "foo(1)\nbar(2)\n", "foo(1)\\nbar(2)", 'foo(1)\\np = "a\\tb"'
    ),
    "a quote both ways beside escaped newlines": Attack(
        "foo(1)\nbar(2)\n", "foo(1)\\nbar(2)", 'foo(1)\\ns = "say \\"hi\\""'
    ),
    "an entity beside a bare character": Attack("a -> 'b'\n", "a -&gt; &#x27;b&#x27;", "a -&gt; 'c'", "a -> 'c'\n"),
    "an escape that only the new text has": Attack(
        "const a = `hi`\n", r"const a = \`hi\`", r"const a = \`hi \${name}\`"
    ),
    "another quote that only the new text has": Attack("say('it')\n", r"say(\'it\')", r"say(\'it\', \"x\")"),
    "a backslash that only the new text has": Attack('say("hi")\n', r"say(\"hi\")", r"say(\"hi\\tyou\")"),
    "a newline that only the new text has": Attack('say("hi")\n', r"say(\"hi\")", r"say(\"hi\")\nmore()"),
    "a quote that has to be escaped": Attack(
        "say('hi')\nend()\n", r"say(\'hi\')" + "\nend()", r"say('don\'t')" + "\nend()"
    ),
    "entities beside characters": Attack(
        "if (a < b && c) {\n", "if (a < b &amp;&amp; c) {", "if (a < b &amp;&amp; d) {", "if (a < b && d) {\n"
    ),
    "entities in a kept line": Attack(
        "<p>A & B</p>\nx\n", "<p>A &amp; B</p>\nx\n", "<p>A &amp; B</p>\ny\n", "<p>A & B</p>\ny\n"
    ),
    "entities that did not make the match": Attack(
        "a < b\n", "a &lt; b", "a &lt; b + '&nbsp;&copy;'", "a < b + '&nbsp;&copy;'\n"
    ),
    "entities of a new text that has characters of its own": Attack(
        "x('<b>&#x27;</b>')\n",
        "x('&lt;b&gt;&amp;#x27;&lt;/b&gt;')",
        "x('<b class=\"c\">&#x27;&quot;</b>')",
        "x('<b class=\"c\">&#x27;&quot;</b>')\n",
    ),
    "the other entity of a pair": Attack("a < b\n", "a &lt; b", "a &gt; b", "a > b\n"),
}
#: Characters are what they are.
CHARACTERS = {
    "a carriage return is half of an ending": Attack("a\r\nb\r\n", "\r", "", None, True),
    "a carriage return at the end": Attack("a\r\nb\nc\n", "a\r", "a"),
    "a byte order mark that comes in": Attack("s = 'A'\n", "A", "\ufeffB", "s = '\ufeffB'\n"),
    "a byte order mark that is not there": Attack("a\nx\n", "\ufeffx", "y"),
    "a final newline, with CRLF": Attack("q\r\nz\r\nb", "q\nz\nb", "q\nz\n", "q\r\nz\r\n"),
}
LOOP = "for x in xs {\n    push(x);\n    if x > 1 {\n        stop(x);\n    }\n}\nfinish();\n"
CUT = "for x in xs {\n    push(x);\n    if x > 1 {\n        stop(x); }\n}"
PAGE = '<div class="a">\n  <div class="b">\n    <p>Hello</p>\n    <p>Bye</p>\n  </div>\n</div>\n<footer/>\n'
PART = '<div class="b">\n    <p>Hello</p>\n    <p>Bye</p> </div>\n</div>'
PLACE = "begin(x)\n  middle(alpha,\n    beta)\nfinish(y)\n"
BROKEN = "begin(x)\n  middle(alpha, beta)\nfinish(y)"
#: What was found is not left for something looser.
DECIDED = {
    "two places with every word, and one that differs": Attack(
        f"one\n{PLACE}two\n{PLACE}three\nbegin(x)\n  middle(alpha, betas)\nfinish(y)\n", BROKEN, BROKEN + "\nNEW"
    ),
    "escapes that can't be told from the text's own": Attack(
        'import os\nx = f("p")\nimport gyp\n',
        'import os\nx = f(\\"p\\")\nimport gyp',
        "import os\nx = f(\\\"p\\\")\nimport gyp\ny = \\'it\\'",
    ),
    "escapes in lines at another depth": Attack(
        'class A:\n    import os\n    x = f("p")\n    import gyp\n    z = 1\n',
        'import os\nx = f(\\"p\\")\nimport gyp\nz = 1',
        'import os\nx = f(\\"p\\")\nimport gyp\nz = 1\ny = \\"it\\"',
    ),
    "the text as it stands before its escapes are undone": Attack(
        'f(\\"a\\", b)\nprint()\nf("a",  b)\n', 'f(\\"a\\",  b)', "g()", 'g()\nprint()\nf("a",  b)\n'
    ),
    "a white space only, below a blank line that is not there": Attack(
        "  bar()\nfoo()\n", "\n    bar()\nfoo()\n", "\n\tbar()\nfoo()\n", "\tbar()\nfoo()\n"
    ),
}
#: A bracket that was joined to the line above is not the one that closes the block.
BRACKETS = {
    "a brace": Attack(LOOP, CUT, CUT + "\nflush();", LOOP.replace("}\nfinish", "}\nflush();\nfinish")),
    "a tag, and a first line at another depth": Attack(PAGE, f"      {PART}", f"      {PART}\n<nav/>"),
    "a tag, and a first line without its depth": Attack(PAGE, PART, PART + "\n<nav/>"),
    "a brace at the end of a line": Attack(
        "function f(spec) {\n  if (!spec) {\n\treturn undefined\n  }\n  go()\n}\n",
        "if (!spec) {\nreturn undefined }\n",
        "if (!spec) {\nreturn undefined }\nlog(spec)\n",
    ),
}
#: What is there already does not come in twice.
APPLIED = {
    "below a line with a trailing blank": Attack(
        "def f():\n    a()\n    b()\n    z()\n", "  a()  \n", "  a()\n  b()\n"
    ),
}
#: Another operator or another name is another line.
TWINS = {
    "an operator": Attack(
        "function same(a, b) {\n  return a === b\n}\n",
        "function same(a, b) {\n  return a !== b\n}",
        "function same(a, b, c) {\n  return a !== b\n}",
    ),
    "a line right above what comes in": Attack(
        "begin()\nstart_of_all(1)\nrestore_after_snapshot()\nmiddle(1)\nend_of_all(1)\nfinish()\n",
        "begin()\nstart_of_all(1)\nteardown_for_snapshot()\nmiddle(1)\nend_of_all(1)\nfinish()",
        "begin()\nstart_of_all(1)\nteardown_for_snapshot()\nmore()\nmiddle(1)\nend_of_all(1)\nfinish()",
    ),
}
#: Code that was left out.
PLACEHOLDERS = {
    f"the placeholder {line.strip()}": Attack("a()\nb()\nc()\n", "a()\nb()\nc()", f"a2()\n{line}")
    for line in (
        "// ...",
        "/* ... */",
        "# ...",
        "# (unchanged)",
        "# ... (b and c as before)",
        "# same as above",
        "d()  # ... existing code ...",
    )
}
ATTACKS = {
    **WHOLE_LINES, **DEPTHS, **NUMBERS, **ESCAPES, **CHARACTERS, **DECIDED, **BRACKETS, **APPLIED, **TWINS,
    **PLACEHOLDERS,
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_an_edit_is_right_or_refused(name: str) -> None:
    content, old, new, text, replace_all = ATTACKS[name]
    if text is None:
        with pytest.raises(PatchRejectedError):
            replace(content, old, new, replace_all)
    else:
        assert replace(content, old, new, replace_all).text == text


def test_a_last_line_that_goes_takes_the_newline_before_it_however_the_edits_are_made() -> None:
    edits = [("b\n", "x\n"), ("c", "")]
    assert multiedit("a\nb\nc", edits, against="original").text == multiedit("a\nb\nc", edits).text == "a\nx"


def test_what_an_edit_wrote_is_not_what_its_neighbour_wrote() -> None:
    done = multiedit("x\ny\nz\n", [("x\ny", "x\n1\ny"), ("y\nz", "y\n2\nz")], against="original")
    assert done.text == "x\n1\ny\n2\nz\n"
    written = [done.text[span.start : span.end] for edit in done.edits for span in edit.written]
    assert written == ["1\n", "2\n"]


def test_a_hunk_whose_lines_are_escaped_brings_no_escapes_in() -> None:
    lines = (" import os", ' x = f(\\"p\\")', " import gyp", " z = 1", '+y = \\"it\\"')
    with pytest.raises(PatchRejectedError):
        update('class A:\n    import os\n    x = f("p")\n    import gyp\n    z = 1\n', [Hunk(lines)])


def test_a_hunk_that_changes_white_space_alone_and_has_a_blank_line_too_many_is_placed() -> None:
    done = update("  bar()\nfoo()\n", [Hunk(("-    bar()", "+\tbar()", " foo()", " "))])
    assert done.text == "\tbar()\nfoo()\n"


def test_a_first_line_that_is_indented_with_other_blanks_is_refused_and_nothing_breaks() -> None:
    old = "  82|\u00a0\u00a0\u00a0\u00a0\u00a0environment:\n  83|       LOG_LEVEL: debug\n"
    new = "  82|     environment:\n  83|       LOG_LEVEL: debug\n  84|       MODE: fast\n"
    with pytest.raises(PatchRejectedError):
        replace("  pump:\n    environment:\n      LOG_LEVEL: debug\n", old, new)
