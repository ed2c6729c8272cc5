"""What each replacer takes, what it refuses, and its nearest wrong place, as data."""

from __future__ import annotations

from typing import NamedTuple

LOAD = """\
def load(path):
    handle = open(path)
    text = handle.read()
    handle.close()
    return text
"""
STEPS = "start(1)\n" + "".join(f"step_{name}(value)\n" for name in "abcdefgh") + "finish(1)\n"


class Taken(NamedTuple):
    """An edit that a replacer takes: the text that comes of it, and what was conceded."""

    content: str
    old: str
    new: str
    text: str
    concessions: tuple[str, ...] = ()


class Refused(NamedTuple):
    """An edit that a replacer does not find, whatever the others say."""

    content: str
    old: str
    new: str = "new"


class Wrong(NamedTuple):
    """A place that is nearly the one: nothing is changed, and the answer has this code."""

    content: str
    old: str
    new: str
    code: str = "old_text_not_found"


def swap(text: str, *pairs: tuple[str, str]) -> str:
    """A text with some of its parts changed, each of which it has."""
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


RETURN = ("return text", "return text.strip()")
MODE = ("open(path)", "open(path, mode)")

TAKEN = {
    "simple": {
        "a part of a line": Taken("a = call(1)\n", "call", "f", "a = f(1)\n"),
        "several lines": Taken("a\nb\nc\n", "a\nb\n", "x\n", "x\nc\n"),
        "from the middle of a line to the middle of another": Taken("ab\ncd\n", "b\nc", "-", "a-d\n"),
        "what means something in a pattern": Taken("a.b(c)* [x]\n", "b(c)* [x]", ".+", "a..+\n"),
        "blanks alone": Taken("a\tb\n", "\t", "  ", "a  b\n"),
        "a curly quote": Taken("say ‘a’ 'a'\n", "‘a’", "“b”", "say “b” 'a'\n"),
    },
    "line-trimmed": {
        "lost indentation": Taken(
            LOAD,
            "text = handle.read()\nhandle.close()",
            "text = handle.read()\nhandle.shut()",
            swap(LOAD, ("close", "shut")),
            ("indent", "indentation_shifted"),
        ),
        "too deep": Taken(
            LOAD,
            "        handle.close()\n        return text",
            "        return text",
            swap(LOAD, ("    handle.close()\n", "")),
            ("indent",),
        ),
        "trailing blanks in the file": Taken(
            "a = 1  \nb = 2\n", "a = 1\nb = 2", "a = 1\nb = 3", "a = 1  \nb = 3\n", ("trailing",)
        ),
        "trailing blanks in the edit": Taken(
            "a = 1\nb = 2\n", "a = 1 \nb = 2", "a = 1 \nb = 3", "a = 1\nb = 3\n", ("trailing",)
        ),
        "spaces for tabs": Taken(
            "if x:\n\tgo(1)\n\tgo(2)\n",
            "if x:\n    go(1)\n    go(2)",
            "if x:\n    go(1)\n    if y:\n        go(3)",
            "if x:\n\tgo(1)\n\tif y:\n\t\tgo(3)\n",
            ("indent", "indentation_shifted"),
        ),
        "a newline behind the last line": Taken("a\nb", "b\n", "c\n", "a\nc", ("final_newline",)),
        "a line that says little": Taken("{\n\t}\n", "    }", "    };", "{\n\t};\n", ("indent", "indentation_shifted")),
    },
    "block-anchor": {
        "a middle from memory": Taken(
            LOAD, swap(LOAD, MODE), swap(LOAD, MODE, RETURN), swap(LOAD, RETURN), ("similar",)
        ),
        "a line forgotten in the middle": Taken(
            STEPS,
            swap(STEPS, ("step_c(value)\n", "")),
            swap(STEPS, ("step_c(value)\n", ""), ("finish(1)", "finish(2)")),
            swap(STEPS, ("finish(1)", "finish(2)")),
            ("similar",),
        ),
        "a line too many in the middle": Taken(
            swap(STEPS, ("step_c(value)\n", "")),
            STEPS,
            swap(STEPS, ("finish(1)", "finish(2)")),
            swap(STEPS, ("step_c(value)\n", ""), ("finish(1)", "finish(2)")),
            ("similar",),
        ),
        "the better of two blocks": Taken(
            "begin(1)\nbeta = one\nalpha = compute()\nfinish(1)\nbegin(1)\nnothing of it\nother(value)\nfinish(1)\n",
            "begin(1)\nbeta = the(one)\nalpha = compute()\nfinish(1)",
            "begin(1)\nbeta = the(one)\nalpha = compute()\nfinish(2)",
            "begin(1)\nbeta = one\nalpha = compute()\nfinish(2)\nbegin(1)\nnothing of it\nother(value)\nfinish(1)\n",
            ("similar",),
        ),
    },
    "whitespace-normalized": {
        "other spacing in whole lines": Taken(
            "if x:\n    a  =  1\n", "if x:\n    a = 1", "if x:\n    a = 2", "if x:\n    a = 2\n", ("whitespace",)
        ),
        "lines that were joined": Taken(
            "    return call(first,\n                second)\n",
            "return call(first, second)",
            "return call(second)",
            "    return call(second)\n",
            ("whitespace", "indentation_shifted"),
        ),
        "a line that was broken": Taken(
            "    return call(first, second)\n",
            "return call(first,\n            second)",
            "return call(second)",
            "    return call(second)\n",
            ("whitespace", "indentation_shifted"),
        ),
        "straight quotes for curly ones": Taken(
            "say(“hi”)\n", 'say("hi")', 'say("ho")', 'say("ho")\n', ("punctuation",)
        ),
        "a no-break space": Taken("first\u00a0= 1\n", "first = 1", "first = 2", "first = 2\n", ("punctuation",)),
    },
    "escape-normalized": {
        "quotes": Taken('say("hi")\n', 'say(\\"hi\\")', 'say(\\"ho\\")', 'say("ho")\n', ("escapes", "escapes_undone")),
        "quotes in the old text only": Taken('say("hi")\n', 'say(\\"hi\\")', 'say("ho")', 'say("ho")\n', ("escapes",)),
        "newlines": Taken("a = 1\nb = 2\n", "a = 1\\nb = 2", "b = 3", "b = 3\n", ("escapes",)),
        "newlines in both": Taken(
            "a = 1\nb = 2\n", "a = 1\\nb = 2", "a = 1\\nb = 3", "a = 1\nb = 3\n", ("escapes", "escapes_undone")
        ),
        "tabs that indent": Taken(
            "if x {\n\tgo(1)\n}\n",
            "if x {\n\\tgo(1)\n}",
            "if x {\n\\tgo(2)\n}",
            "if x {\n\tgo(2)\n}\n",
            ("escapes", "escapes_undone"),
        ),
        "backslashes": Taken("C:\\temp\n", "C:\\\\temp", "D:\\\\temp", "D:\\temp\n", ("escapes", "escapes_undone")),
    },
    "trimmed-boundary": {
        "blanks around a word": Taken("f(name)\n", " name ", " title ", "f(title)\n", ("trimmed",)),
        "a new text without the blanks": Taken("f(name)\n", " name ", "title", "f(title)\n", ("trimmed",)),
        "line breaks around a line": Taken(
            "f(\n  name\n)\n",
            "\nname\n",
            "\ntitle\n",
            "f(\n  title\n)\n",
            ("indent", "trimmed", "indentation_shifted"),
        ),
    },
    "context-aware": {
        "half of the middle is nothing like it": Taken(
            "begin(1)\nbeta\nalpha = compute()\nx = y\ngamma = compute()\nfinish(1)\n",
            "begin(1)\nsomething(quite, other)\nalpha = compute()\nzzzzzzzz\ngamma = compute()\nfinish(1)",
            "begin(1)\nsomething(quite, other)\nalpha = compute()\nzzzzzzzz\ngamma = compute()\nfinish(2)",
            "begin(1)\nbeta\nalpha = compute()\nx = y\ngamma = compute()\nfinish(2)\n",
            ("similar",),
        ),
    },
    "similar": {
        "a slip in the first line": Taken(
            LOAD,
            swap(LOAD, ("def load", "def lload")),
            swap(LOAD, ("def load", "def lload"), RETURN),
            swap(LOAD, RETURN),
            ("similar",),
        ),
        "a slip in the last line": Taken(
            LOAD,
            swap(LOAD, ("return text", "return texxt")),
            swap(LOAD, ("return text", "return texxt"), ("    handle.close()\n", "")),
            swap(LOAD, ("    handle.close()\n", "")),
            ("similar",),
        ),
    },
}
#: What a replacer itself does not find. Another one may; that is for its own rows.
REFUSED = {
    "simple": {
        "other capitals": Refused("Name\n", "name"),
        "other white space": Refused("a  b\n", "a b"),
        "straight quotes for curly ones": Refused("‘a’\n", "'a'"),
        "what a pattern would match": Refused("abc\n", "a.c"),
    },
    "line-trimmed": {
        "a part of a line": Refused("  name(1)\n", "    name"),
        "white space inside a line": Refused("  a  b\n", "a b"),
        "lines in another order": Refused("  a = 1\n  b = 2\n", "b = 2\na = 1"),
        "a line between": Refused("  a = 1\n  x\n  b = 2\n", "a = 1\nb = 2"),
    },
    "block-anchor": {
        "two lines": Refused("a = 1\nb = 2\n", "a = 1\nb = 2"),
        "a middle that is nothing like it": Refused(LOAD, "def load(path):\n    x\n    y\n    z\n    return text"),
        "another last line": Refused(LOAD, swap(LOAD, MODE, RETURN)),
        "another first line": Refused(LOAD, swap(LOAD, MODE, ("def load", "def read"))),
        "first and last lines that say nothing": Refused("{\n  alpha = 1,\n}\n", "{\n  alpha = 2,\n}"),
        "far more lines": Refused("start(1)\n" + "step(value)\n" * 20 + "finish(1)\n", STEPS),
        "a removed line that is another": Refused(LOAD, swap(LOAD, MODE), swap(LOAD, ("open(path)", "path.open()"))),
        "a forgotten line beside the change": Refused(
            STEPS,
            swap(STEPS, ("step_h(value)\n", "")),
            swap(STEPS, ("step_h(value)\n", ""), ("finish(1)", "finish(2)")),
        ),
    },
    "whitespace-normalized": {
        "one word": Refused("f(name)\n", "  name"),
        "white space where the file has none": Refused("a=1\n", "a = 1"),
        "no white space where the file has some": Refused("a = 1\n", "a=1"),
        "the end of a longer word": Refused("subtotal  is 1\n", "total is"),
        "the beginning of a longer word": Refused("total  is_not\n", "total is"),
        "other capitals": Refused("Total  is\n", "total is"),
    },
    "indentation-flexible": {
        "one line": Refused("    name\n", "name"),
        "a rest at uneven depths": Refused("x = call(\n        a,\n      b)\n", "call(\n    a,\n    b)"),
        "other lines": Refused("x = call(\n        a,\n        b)\n", "call(\n    a,\n    c)"),
    },
    "escape-normalized": {
        "nothing escaped": Refused("say(1)\n", "say(2)"),
        "other white space as well": Refused('say("hi",  1)\n', 'say(\\"hi\\", 1)'),
    },
    "trimmed-boundary": {
        "nothing to trim": Refused("name\n", "name"),
        "blank space alone": Refused("a\n\nb\n", "  \n"),
        "the end of a longer word": Refused("rename(1)\n", " name "),
        "what says nothing": Refused("f(a)\n", " ) "),
    },
    "context-aware": {
        "fewer than half": Refused(
            "begin(1)\nalpha = compute()\nbeta\ngamma\nfinish(1)\n", "begin(1)\nalpha = compute()\nx\ny\nfinish(1)"
        ),
        "another number of lines": Refused(STEPS, swap(STEPS, ("step_c(value)\n", ""))),
        "a removed line that is another": Refused(
            "begin(1)\nalpha = compute()\nbeta\nfinish(1)\n",
            "begin(1)\nalpha = compute()\nxxxx\nfinish(1)",
            "begin(1)\nalpha = compute()\nfinish(1)",
        ),
    },
    "multi-occurrence": {"other white space": Refused("a  b\n", "a b")},
    "similar": {
        "one line": Refused("nmae = 1\n", "name = 1"),
        "another number": Refused(LOAD + "limit = 1\n", LOAD + "limit = 2\n"),
        "another word": Refused(LOAD, swap(LOAD, ("def load(path)", "def save(path)"))),
    },
}
WRONG = {
    "simple": {
        "the same text in a longer word": Wrong("value = values\n", "value", "v", "multiple_matches"),
        "the same text that overlaps itself": Wrong("aaa\n", "aa", "b", "multiple_matches"),
    },
    "line-trimmed": {
        "two lines that are equal when trimmed": Wrong(
            "  go(1)\n    go(1)\n", "\tgo(1)", "\tgo(2)", "multiple_matches"
        ),
        "a line that goes on": Wrong("  go(1) + 1\n", "\tgo(1)\n\tstop()", "\tgo(2)\n\tstop()"),
    },
    "block-anchor": {
        "two blocks that are about as good": Wrong(
            "begin(1)\nbeta = one\nalpha = compute()\nfinish(1)\nbegin(1)\nbeta = two\nalpha = compute()\nfinish(1)\n",
            "begin(1)\nbeta = the(six)\nalpha = compute()\nfinish(1)",
            "begin(1)\nbeta = the(six)\nalpha = compute()\nfinish(2)",
            "multiple_matches",
        ),
        "a block that differs in one word": Wrong(
            "begin(1)\nbeta = one\nalpha = compute()\nfinish(1)\n",
            "begin(1)\nbeta = six\nalpha = compute()\nfinish(1)",
            "begin(1)\nbeta = six\nalpha = compute()\nfinish(2)",
        ),
        "the block of another function": Wrong(
            swap(LOAD, ("load", "save")), swap(LOAD, MODE), swap(LOAD, MODE, RETURN)
        ),
    },
    "whitespace-normalized": {
        "two places that differ only in white space": Wrong(
            "alpha   beta\nalpha\tbeta\n", "alpha beta", "x", "multiple_matches"
        ),
        "joined lines that begin and end within others": Wrong(
            "x = f(\n  first, last\n) + 1\n", "f( first, last )", "f()"
        ),
        "one line for many": Wrong("x = call(\n    a,\n    b\n)\n", "call( a, b )", "call(b)"),
    },
    "escape-normalized": {
        "two places": Wrong('say("hi")\nsay("hi")\n', 'say(\\"hi\\")', "say(1)", "multiple_matches"),
    },
    "trimmed-boundary": {
        "two places": Wrong("f(name, name)\n", " name ", " title ", "multiple_matches"),
        "inside a word": Wrong("rename\n", " name ", " title "),
    },
    "context-aware": {
        "a change where nothing stands as it says": Wrong(
            "begin(1)\nalpha = compute()\nbeta\ngamma = compute()\nx\nfinish(1)\n",
            "begin(1)\nalpha = compute()\nother(value)\ngamma = compute()\nzzzzzzzz\nfinish(1)",
            "begin(1)\nalpha = compute()\nother(2)\ngamma = compute()\nzzzzzzzz\nfinish(1)",
        ),
    },
    "similar": {
        "a twin with another name": Wrong(swap(LOAD, ("load", "save")), LOAD, swap(LOAD, RETURN)),
        "a removed line with another number": Wrong(
            "[server]\nhost = localhost\nport = 443\nmode = fast\n",
            "[server]\nhost = localhost\nport = 80\nmode = fast",
            "[server]\nhost = localhost\nport = 8080\nmode = fast",
        ),
    },
}
