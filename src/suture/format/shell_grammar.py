"""A shell script whose one statement is `apply_patch`, read without a shell.

Nothing is run, and nothing is expanded. The grammar is closed: a script that it doesn't describe, to its last
character, is not ours, whatever else a shell would make of it::

    script   := lines ["cd" blanks word blanks "&&" lines] command lines
    command  := ("apply_patch" | "applypatch") (blanks word | blanks "<<<" blanks word | heredoc)
    heredoc  := blanks ("<<" | "<<-") blanks word blanks [comment] NEWLINE body
    word     := ("'" … "'" | '"' … '"' | "\\" character | plain)+
    lines    := (blanks | NEWLINE | comment)*

The invariant: what bash, zsh and sh would hand over for such a script is what comes out here, byte for byte; where they
differ, or would expand something, it is refused. The one exception is a here-string that is meant as a heredoc, see
`_meant_as_heredoc`. docs/decisions/0009-invocations.md tells why this is no general parser.
"""

from __future__ import annotations

import re

from ..core.dialect import BEGIN, COMMANDS, END
from ..core.problems import PatchInvalidError, Problem
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_BLANKS = " \t"
#: What a word may be made of outside of quotes beside letters and digits; none of it means anything to any shell. Not
#: among them: `~`, `=`, `^` and `#`, which zsh expands, and all of `*?[]{}!`.
_PLAIN = "_./-+,:@%"
#: What may follow a word.
_BEHIND_A_WORD = " \t\n&|;()<>"
#: What is not itself in a heredoc with a bare word, and between double quotes.
_IN_HEREDOC, _IN_QUOTES = re.compile(r"[\\$`]"), re.compile(r'[\\$`"]')
#: The characters that a backslash hides there; before any other it is itself.
_ESCAPED_IN_HEREDOC, _ESCAPED_IN_QUOTES = tuple("$`\\\n"), tuple('$`"\\\n')
#: bash marks what it has read with two control characters. It loses its own mark behind a backslash, and in a heredoc's
#: word it finds neither again.
_MARKS, _LOST = "\x01\x7f", "\x7f"
#: What may follow a dollar sign that is only itself, in every shell.
_BEHIND_A_DOLLAR = tuple(" \t\r\n/.,;:)]}|%&<>'\"")

_QUOTED_HEREDOC = "Send the patch in a heredoc whose word is quoted: apply_patch <<'EOF', the patch, and a line EOF."


class Handed(Value):
    """What a script hands to apply_patch: the text, and the folder that it goes to before, "" for none."""

    text: str
    folder: str = ""


class _Word(Value):
    text: str
    quoted: bool


class _Other(Exception):
    """The script is something else."""


def read_script(script: str) -> Handed | None:
    """What a script hands to `apply_patch`; None where that is not its one statement.

    Raises:
        PatchInvalidError: that is its one statement, but what the shell would make of the patch is not what is written.
    """
    try:
        return _Script(script).read()
    except _Other:
        return None


class _Script:
    """A script and how far it is read."""

    def __init__(self, script: str) -> None:
        self._text = script
        self._at = 0
        #: What is wrong with the patch, to be raised once the script is known to have nothing else.
        self._problem: Problem | None = None

    def read(self) -> Handed:
        """script := lines ["cd" blanks word blanks "&&" lines] command lines"""
        if "\0" in self._text:
            # Nobody can hand it to a shell.
            raise _Other
        self._lines()
        folder = self._folder() if self._text.startswith("cd", self._at) else ""
        text = self._command()
        self._lines()
        if self._at < len(self._text):
            raise _Other
        if self._problem is not None:
            raise PatchInvalidError([self._problem])
        return Handed(text, folder)

    def _folder(self) -> str:
        """The folder of `"cd" blanks word blanks "&&" lines`."""
        self._at += 2
        if self._next() not in _BLANKS:
            raise _Other
        self._blanks()
        folder = self._word().text
        # An option, the folder before, or one of zsh's stack; an empty one is different for each shell.
        if not folder or folder[0] in "-+":
            raise _Other
        self._blanks()
        self._expect("&&")
        self._lines()
        return folder

    def _command(self) -> str:
        """("apply_patch" | "applypatch") (blanks word | blanks "<<<" blanks word | heredoc)"""
        name = next((name for name in COMMANDS if self._text.startswith(name, self._at)), None)
        if name is None:
            raise _Other
        self._at += len(name)
        if self._next() not in (*_BLANKS, "<"):
            raise _Other
        self._blanks()
        if self._text.startswith("<<<", self._at):
            self._at += 3
            self._blanks()
            word = self._word()
            return self._meant_as_heredoc(word) or self._whole(word).text + "\n"
        if self._text.startswith("<<", self._at):
            return self._heredoc()
        word = self._word()
        if not word.quoted:
            raise _Other
        return self._whole(word).text

    # Heredocs.

    def _heredoc(self) -> str:
        """("<<" | "<<-") blanks word blanks [comment] NEWLINE body"""
        self._at += 2
        stripped = self._next() == "-"
        self._at += stripped
        self._blanks()
        start = self._at
        # The word of a script with CRLF has the CR in it, and so has the line that closes it.
        word = self._word(also="\r")
        if not word.text or set(word.text) & set("\\$`\"'\t" + _MARKS) or "\n" in self._text[start : self._at]:
            raise _Other
        self._end_of_line()
        return self._body(word, stripped=stripped)

    def _meant_as_heredoc(self, word: _Word) -> str | None:
        """The body of `apply_patch <<<'PATCH'` with a body and `PATCH` below it; None where it is a here-string.

        A shell would hand over the word PATCH and then run the patch line by line. A model means a heredoc: no script
        has an envelope, from its first line to its last, where commands should be.
        """
        if not word.text.isidentifier():
            return None
        start = self._at
        self._blanks()
        lines = self._text[self._at :].strip().split("\n")
        if self._next() != "\n" or len(lines) < 2 or lines[0].strip() != BEGIN:
            self._at = start
            return None
        self._at += 1
        body = self._body(word, stripped=False)
        if body.rstrip().rpartition("\n")[2].strip() != END:
            raise _Other
        return body

    def _body(self, word: _Word, *, stripped: bool) -> str:
        """The lines up to one that is only the word; `stripped` takes the tabs off that lines begin with."""
        lines: list[str] = []
        joined: str | None = None  # what a backslash at its end joins to the line, as far as it could be the word
        unclear = False
        while self._at < len(self._text):
            end = self._text.find("\n", self._at)
            end = len(self._text) if end < 0 else end
            line = self._text[self._at : end]
            self._at = end + 1
            bare = line.lstrip("\t") if stripped else line
            if joined is None and bare == word.text:
                self._at = end
                break
            if joined is not None:
                # Shells differ in what the two lines are: one of them may take them for the end, another may not.
                unclear |= bare == word.text or joined + bare == word.text or stripped
            continues = not word.quoted and (len(line) - len(line.rstrip("\\"))) % 2
            joined = ((joined or "") + bare[:-1])[: len(word.text) + 1] if continues else None
            lines.append(bare)
        else:
            self._refuse_unclosed(word.text)
        body = "".join([line + "\n" for line in lines])
        if word.quoted:
            return body
        if unclear:
            message = "Shells differ in how this heredoc goes on behind a line that ends in a backslash."
            self._problem = _problem(message, _QUOTED_HEREDOC, "expansion")
        return self._undone(body)

    def _undone(self, body: str) -> str:
        """What a heredoc with a bare word hands over: its escapes undone. What would be expanded is a problem."""
        out: list[str] = []
        start = at = 0
        while (found := _IN_HEREDOC.search(body, at)) is not None:
            at = found.start()
            following = body[at + 1 : at + 2]
            if body[at] == "\\" and following != _LOST:
                if following in _ESCAPED_IN_HEREDOC:
                    out.append(body[start:at])
                    start = at + 1 + (following == "\n")
                at += 1 + (following in _ESCAPED_IN_HEREDOC)
            elif body[at] == "$" and following in _BEHIND_A_DOLLAR:
                at += 1
            else:
                if BEGIN not in body[:at]:
                    raise _Other
                if self._problem is None:
                    self._problem = _changed(body[at:], body[:at])
                break
        out.append(body[start:])
        return "".join(out)

    def _refuse_unclosed(self, word: str) -> NoReturn:
        shown = word.rstrip("\r")
        message = f"The heredoc never closes: no line is only {shown}, so the script may have been cut off."
        hint = f"Send the whole script again, with {shown} alone on its last line."
        raise PatchInvalidError([_problem(message, hint, "unclosed")])

    # Words.

    def _word(self, also: str = "") -> _Word:
        """word := ("'" … "'" | '"' … '"' | "\\" character | plain)+"""
        text, start = self._text, self._at
        parts: list[str] = []
        quoted = False
        while self._at < len(text):
            character = text[self._at]
            if character == "'":
                end = text.find("'", self._at + 1)
                if end < 0:
                    raise _open_quote(text[start:])
                parts.append(text[self._at + 1 : end])
                self._at = end + 1
                quoted = True
            elif character == '"':
                parts.append(self._in_double_quotes(parts))
                quoted = True
            elif character == "\\":
                following = text[self._at + 1 : self._at + 2]
                if not following:
                    raise _Other
                # Backslash and newline are nothing at all: the word goes on behind them.
                parts.append("" if following == "\n" else following)
                quoted |= following != "\n"
                self._at += 2
            elif character.isalnum() or character in _PLAIN or character in also:
                parts.append(character)
                self._at += 1
            else:
                break
        word = _Word("".join(parts), quoted)
        if self._at < len(text) and text[self._at] not in _BEHIND_A_WORD:
            if text[self._at] in "$`" and BEGIN in word.text:
                raise PatchInvalidError([_changed(text[self._at :], word.text)])
            self._refuse_cut(word)
            raise _Other
        if not (quoted or word.text):
            raise _Other
        return word

    def _in_double_quotes(self, before: list[str]) -> str:
        """What stands up to the next double quote, its escapes undone; `before` is the word so far."""
        text = self._text
        out: list[str] = []
        start = at = self._at + 1
        while (found := _IN_QUOTES.search(text, at)) is not None:
            at = found.start()
            following = text[at + 1 : at + 2]
            if text[at] == '"':
                self._at = at + 1
                out.append(text[start:at])
                return "".join(out)
            if text[at] == "\\" and following != _LOST:
                if following in _ESCAPED_IN_QUOTES:
                    out.append(text[start:at])
                    start = at + 1 + (following == "\n")
                at += 1 + (following in _ESCAPED_IN_QUOTES)
            elif text[at] == "$" and following in _BEHIND_A_DOLLAR:
                at += 1
            else:
                written = "".join((*before, *out, text[start:at]))
                if BEGIN not in written:
                    raise _Other
                raise PatchInvalidError([_changed(text[at:], written)])
        raise _open_quote(text[self._at :])

    def _whole(self, word: _Word) -> _Word:
        """The word, if a patch that begins in it ends in it."""
        self._refuse_cut(word)
        return word

    def _refuse_cut(self, word: _Word) -> None:
        """Refuse a word in which a patch begins and does not end: a quote inside the patch has closed it."""
        if BEGIN in word.text and END not in word.text:
            line = word.text[word.text.index(BEGIN) :].count("\n") + 1
            message = f"The quote around the patch closes inside of it, on line {line}."
            raise PatchInvalidError([_problem(message, _QUOTED_HEREDOC, "quote")])

    # What is between words.

    def _next(self) -> str:
        """The next character; NUL at the end, which is nowhere else."""
        return self._text[self._at] if self._at < len(self._text) else "\0"

    def _expect(self, text: str) -> None:
        if not self._text.startswith(text, self._at):
            raise _Other
        self._at += len(text)

    def _blanks(self) -> None:
        """Spaces and tabs; behind them also backslash and newline, which would join two halves of an operator."""
        while self._next() in _BLANKS:
            self._at += 1
            while self._text.startswith("\\\n", self._at):
                self._at += 2

    def _comment(self) -> None:
        """A comment, which begins where a word could."""
        if self._next() == "#" and self._text[self._at - 1 : self._at] in ("", " ", "\t", "\n"):
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end

    def _end_of_line(self) -> None:
        self._blanks()
        self._comment()
        self._expect("\n")

    def _lines(self) -> None:
        """lines := (blanks | NEWLINE | comment)*"""
        before = -1
        while before != self._at:
            before = self._at
            self._blanks()
            self._comment()
            self._at += self._next() == "\n"


def _open_quote(written: str) -> Exception:
    """What to raise for a quote that never closes."""
    if BEGIN not in written:
        return _Other()
    message = "The quote around the patch never closes, so the script may have been cut off."
    return PatchInvalidError([_problem(message, _QUOTED_HEREDOC, "quote")])


def _changed(found: str, before: str) -> Problem:
    """The problem that a shell would change a patch at `found`, with `before` in front of it."""
    line = before[before.rfind(BEGIN) :].count("\n") + 1
    shown = r"\x7f" if found[1:2] == _LOST else found[:20].split(maxsplit=1)[0]
    message = f"A shell would change the patch on its way: nothing quotes the {shown} on line {line}."
    return _problem(message, _QUOTED_HEREDOC, "expansion", line=line)


def _problem(message: str, hint: str, reason: str, **details: object) -> Problem:
    return Problem("patch_parse_error", message, details={"reason": reason, **details}, hint=hint)
