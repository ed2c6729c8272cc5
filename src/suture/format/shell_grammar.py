"""Reading a shell script whose only statement is `apply_patch`, without a shell.

Nothing is run or expanded. The grammar is closed: a script that it doesn't describe, to the last character, is some
other command, whatever a shell would make of it::

    script   := lines ["cd" blanks word blanks "&&" lines] command lines
    command  := ("apply_patch" | "applypatch") (blanks word | blanks "<<<" blanks word | heredoc)
    heredoc  := blanks ("<<" | "<<-") blanks word blanks [comment] NEWLINE body
    word     := ("'" … "'" | '"' … '"' | "\\" character | plain)+
    lines    := (blanks | NEWLINE | comment)*

The invariant: the result is what bash, zsh and sh would all pass to the command, byte for byte. A script is refused
where they differ or would expand something. The one exception is a here-string that is meant as a heredoc, see
`_heredoc_from_here_string`. docs/decisions/0009-invocations.md says why this is not a general parser.

Shells mark their input with control characters internally and sometimes confuse these with the input's own. So the only
control characters outside of verbatim text, which is in single quotes or in a heredoc with a quoted delimiter, are
newline, tab, and the CR that ends the two lines of such a heredoc's delimiter.
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
#: Characters without a meaning to any shell, outside of quotes, besides letters and digits. `~`, `=`, `^` and `#`
#: are missing because zsh expands them, and so are `*?[]{}!`.
_PLAIN = "_./-+,:@%"
#: Characters that may follow a word.
_AFTER_WORD = " \t\n&|;()<>"
#: Special characters in a heredoc with an unquoted delimiter, and in double quotes.
_IN_HEREDOC, _IN_QUOTES = re.compile(r"[\\$`]"), re.compile(r'[\\$`"]')
#: Characters that a backslash escapes there; before any other character it is literal.
_ESCAPED_IN_HEREDOC, _ESCAPED_IN_QUOTES = tuple("$`\\\n"), tuple('$`"\\\n')
#: Control characters other than newline and tab.
_CONTROL_CHARACTER = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
#: Characters after which a dollar sign is literal in every shell.
_AFTER_DOLLAR = tuple(" \t\r\n/.,;:)]}|%&<>'\"")

HEREDOC_FORM = "apply_patch <<'EOF', then the patch, then a line with only EOF"
_USE_HEREDOC = f"Send the patch in a heredoc with a quoted delimiter: {HEREDOC_FORM}."


class PatchInput(Value):
    """What a command passes to apply_patch: the text, and the directory of a `cd` before it ("" for none)."""

    text: str
    folder: str = ""


class _Word(Value):
    text: str
    quoted: bool


class _OtherCommand(Exception):  # noqa: N818 - not an error
    """The script is not a call of `apply_patch`."""


def read_script(script: str) -> PatchInput | None:
    """The input that a script passes to `apply_patch`; None if that is not its only statement.

    Raises:
        PatchInvalidError: it is the only statement, but a shell would not pass on the patch as written.
    """
    try:
        return _Script(script).read()
    except _OtherCommand:
        return None


class _Script:
    """A script, and how far it has been read."""

    def __init__(self, script: str) -> None:
        self._text = script
        self._at = 0
        #: The ranges that every shell passes on as they are.
        self._verbatim: list[tuple[int, int]] = []
        #: What is wrong with the patch, to be raised at the end: until then the script may be another command.
        self._problem: Problem | None = None

    def read(self) -> PatchInput:
        """script := lines ["cd" blanks word blanks "&&" lines] command lines"""
        if "\0" in self._text or not _is_unicode(self._text):
            # No argument can contain a NUL, and shells treat bytes that are not UTF-8 differently.
            raise _OtherCommand
        self._lines()
        folder = self._folder() if self._text.startswith("cd", self._at) else ""
        text = self._command()
        self._lines()
        if self._at < len(self._text) or self._has_control_character():
            raise _OtherCommand
        if self._problem is not None:
            raise PatchInvalidError([self._problem])
        return PatchInput(text, folder)

    def _has_control_character(self) -> bool:
        """Whether there is a control character outside of verbatim text."""
        start = 0
        for verbatim_start, verbatim_end in self._verbatim:
            if _CONTROL_CHARACTER.search(self._text, start, verbatim_start):
                return True
            start = verbatim_end
        return _CONTROL_CHARACTER.search(self._text, start) is not None

    def _folder(self) -> str:
        """Read `"cd" blanks word blanks "&&" lines`; return the directory."""
        self._at += 2
        if self._next() not in _BLANKS:
            raise _OtherCommand
        self._blanks()
        folder = self._word().text
        # An option, `-`, or an entry of zsh's directory stack. Shells disagree about an empty one.
        if not folder or folder[0] in "-+":
            raise _OtherCommand
        self._blanks()
        self._expect("&&")
        self._lines()
        return folder

    def _command(self) -> str:
        """("apply_patch" | "applypatch") (blanks word | blanks "<<<" blanks word | heredoc)"""
        name = next((name for name in COMMANDS if self._text.startswith(name, self._at)), None)
        if name is None:
            raise _OtherCommand
        self._at += len(name)
        if self._next() not in (*_BLANKS, "<"):
            raise _OtherCommand
        self._blanks()
        if self._text.startswith("<<<", self._at):
            self._at += 3
            self._blanks()
            word = self._word()
            return self._heredoc_from_here_string(word) or self._complete(word) + "\n"
        if self._text.startswith("<<", self._at):
            return self._heredoc()
        word = self._word()
        if not word.quoted:
            raise _OtherCommand
        return self._complete(word)

    # Heredocs.

    def _heredoc(self) -> str:
        """("<<" | "<<-") blanks word blanks [comment] NEWLINE body"""
        self._at += 2
        stripped = self._next() == "-"
        self._at += stripped
        self._blanks()
        start = self._at
        # In a script with CRLF line endings, the delimiter and the line that repeats it both include the CR.
        word = self._word(also="\r")
        name = word.text.removesuffix("\r")
        if (
            not name
            or set(name) & set("\\$`\"'\t")
            or _CONTROL_CHARACTER.search(name)
            or "\n" in self._text[start : self._at]
        ):
            raise _OtherCommand
        if word.quoted and self._text[self._at - 1] == "\r":
            self._verbatim.append((self._at - 1, self._at))
        self._end_of_line()
        return self._body(word, stripped=stripped)

    def _heredoc_from_here_string(self, word: _Word) -> str | None:
        """The body of `apply_patch <<<'PATCH'` with a body and `PATCH` below it; None if it is a real here-string.

        A shell would pass the word PATCH and then run the patch line by line. The model meant a heredoc: no script has
        an envelope, from first line to last, in place of commands.
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
            raise _OtherCommand
        return body

    def _body(self, word: _Word, *, stripped: bool) -> str:
        """The lines up to the delimiter alone on a line; `stripped` removes leading tabs."""
        lines: list[str] = []
        joined: str | None = None  # the start of a line continued by a backslash, as far as it could be the delimiter
        unclear = False
        start = self._at
        while self._at < len(self._text):
            end = self._text.find("\n", self._at)
            end = len(self._text) if end < 0 else end
            line = self._text[self._at : end]
            self._at = end + 1
            bare = line.lstrip("\t") if stripped else line
            if joined is None and bare == word.text:
                self._at = end
                break
            if not _is_kept_by_dash(bare, word.text):
                unclear = True
            if joined is not None:
                # Shells disagree about such lines: for some they are the end, for others not.
                unclear = unclear or stripped or word.text in (bare, joined + bare)
            continues = not word.quoted and (len(line) - len(line.rstrip("\\"))) % 2
            joined = ((joined or "") + bare[:-1])[: len(word.text) + 1] if continues else None
            lines.append(bare)
        else:
            self._refuse_unclosed(word.text)
        body = "".join([line + "\n" for line in lines])
        if unclear:
            message = "Shells disagree about this heredoc: about a line that begins with its delimiter, "
            message += "or about what follows a line that ends in a backslash."
            self._problem = _problem(message, f"{_USE_HEREDOC} No line of the patch may begin with it.", "expansion")
        if word.quoted:
            self._verbatim.append((start, self._at))
            return body
        return self._unescape_body(body)

    def _unescape_body(self, body: str) -> str:
        """The body of a heredoc with an unquoted delimiter, its escapes undone. Anything to expand is a problem."""
        out: list[str] = []
        start = at = 0
        while (match := _IN_HEREDOC.search(body, at)) is not None:
            at = match.start()
            following = body[at + 1 : at + 2]
            if body[at] == "\\":
                if following not in _ESCAPED_IN_HEREDOC:
                    at += 1
                    continue
                out.append(body[start:at])
                # An escaped newline is left out, as the backslash is.
                start = at + 2 if following == "\n" else at + 1
                at += 2
            elif body[at] == "$" and following in _AFTER_DOLLAR:
                at += 1
            else:
                if BEGIN not in body[:at]:
                    raise _OtherCommand
                if self._problem is None:
                    self._problem = _expansion(body[at:], body[:at])
                break
        out.append(body[start:])
        return "".join(out)

    def _refuse_unclosed(self, word: str) -> NoReturn:
        word = word.rstrip("\r")
        message = f"The heredoc has no end: no line is only {word}. The script may have been cut off."
        hint = f"Send the whole script again, with {word} alone on its last line."
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
                    raise _unclosed_quote(text[start:])
                parts.append(text[self._at + 1 : end])
                self._verbatim.append((self._at, end))
                self._at = end + 1
                quoted = True
            elif character == '"':
                parts.append(self._in_double_quotes(parts))
                quoted = True
            elif character == "\\":
                following = text[self._at + 1 : self._at + 2]
                if not following:
                    raise _OtherCommand
                # A backslash before a newline joins the two lines.
                if following != "\n":
                    parts.append(following)
                    quoted = True
                self._at += 2
            elif character.isalnum() or character in _PLAIN or character in also:
                parts.append(character)
                self._at += 1
            else:
                break
        word = _Word("".join(parts), quoted)
        if self._at < len(text) and text[self._at] not in _AFTER_WORD:
            if text[self._at] in "$`" and BEGIN in word.text:
                raise PatchInvalidError([_expansion(text[self._at :], word.text)])
            self._complete(word)
            raise _OtherCommand
        if not (quoted or word.text):
            raise _OtherCommand
        return word

    def _in_double_quotes(self, before: list[str]) -> str:
        """The text up to the next double quote, its escapes undone; `before` is the word so far."""
        text = self._text
        out: list[str] = []
        start = at = self._at + 1
        while (match := _IN_QUOTES.search(text, at)) is not None:
            at = match.start()
            following = text[at + 1 : at + 2]
            if text[at] == '"':
                self._at = at + 1
                out.append(text[start:at])
                return "".join(out)
            if text[at] == "\\":
                if following not in _ESCAPED_IN_QUOTES:
                    at += 1
                    continue
                out.append(text[start:at])
                # An escaped newline is left out, as the backslash is.
                start = at + 2 if following == "\n" else at + 1
                at += 2
            elif text[at] == "$" and following in _AFTER_DOLLAR:
                at += 1
            else:
                written = "".join((*before, *out, text[start:at]))
                if BEGIN not in written:
                    raise _OtherCommand
                raise PatchInvalidError([_expansion(text[at:], written)])
        raise _unclosed_quote(text[self._at :])

    def _complete(self, word: _Word) -> str:
        """The text of a word. It is refused if a patch starts but doesn't end in it: a quote in the patch closed it."""
        if BEGIN in word.text and END not in word.text:
            line = word.text[word.text.index(BEGIN) :].count("\n") + 1
            message = f"The quotes around the patch end inside it, on line {line}."
            raise PatchInvalidError([_problem(message, _USE_HEREDOC, "quote")])
        return word.text

    # Between words.

    def _next(self) -> str:
        """The next character; NUL at the end of the script."""
        return self._text[self._at] if self._at < len(self._text) else "\0"

    def _expect(self, text: str) -> None:
        if not self._text.startswith(text, self._at):
            raise _OtherCommand
        self._at += len(text)

    def _blanks(self) -> None:
        """Skip blanks, and line continuations after a blank; without one they could join two halves of an operator."""
        while self._next() in _BLANKS:
            self._at += 1
            while self._text.startswith("\\\n", self._at):
                self._at += 2

    def _comment(self) -> None:
        """Skip a comment, which starts where a word could."""
        if self._next() == "#" and self._text[self._at - 1 : self._at] in ("", " ", "\t", "\n"):
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end

    def _end_of_line(self) -> None:
        self._blanks()
        self._comment()
        self._expect("\n")

    def _lines(self) -> None:
        """Skip lines := (blanks | NEWLINE | comment)*"""
        before = -1
        while before != self._at:
            before = self._at
            self._blanks()
            self._comment()
            if self._next() == "\n":
                self._at += 1


def _is_kept_by_dash(line: str, delimiter: str) -> bool:
    """Whether dash passes on a line of a heredoc as it is.

    If a line begins like the delimiter, dash loses the byte after what both have in common, unless it is ASCII.
    """
    common = 0
    while common < len(delimiter) and line[common : common + 1] == delimiter[common]:
        common += 1
    following = line[common : common + 1]
    if following.isascii():
        return True
    # Dash compares bytes: two characters that differ can begin with the same one.
    shares_first_byte = common > 0 or line[:1].encode()[:1] == delimiter[:1].encode()[:1]
    return not shares_first_byte


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unclosed_quote(written: str) -> Exception:
    """The exception for a quote that is never closed."""
    if BEGIN not in written:
        return _OtherCommand()
    message = "The quotes around the patch are never closed; the script may have been cut off."
    return PatchInvalidError([_problem(message, _USE_HEREDOC, "quote")])


def _expansion(rest: str, before: str) -> Problem:
    """The problem that a shell would change a patch at the start of `rest`, which comes after `before`."""
    line = before[before.rfind(BEGIN) :].count("\n") + 1
    word = rest[:20].split(maxsplit=1)[0]
    message = f"A shell would change the patch: {word} on line {line} is not quoted."
    return _problem(message, _USE_HEREDOC, "expansion", line=line)


def _problem(message: str, hint: str, reason: str, **details: object) -> Problem:
    return Problem("patch_parse_error", message, details={"reason": reason, **details}, hint=hint)
