"""A file's text that can be restored byte for byte.

`Text` separates what hunks are matched against (the `body`: decoded, without BOM, every line ending an LF) from what
must be preserved (each line's own ending, the BOM, the encoding, bytes that don't decode). Lines end at LF, CRLF and CR
only. The one invariant: `text.content(text.raw)` is the content that was read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE, lookup_error, register_error
from collections import Counter
from itertools import accumulate

from .advice import EncodingAdvice
from .common_limits import MOST_LINES
from .problems import PatchRejectedError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .problems import Advice, Code

#: The byte order mark as a character.
BOM = "\ufeff"
# UTF-32 first: its little-endian BOM begins with that of UTF-16.
_BOMS = (
    (BOM_UTF8, "utf-8", 1),
    (BOM_UTF32_LE, "utf-32-le", 4),
    (BOM_UTF32_BE, "utf-32-be", 4),
    (BOM_UTF16_LE, "utf-16-le", 2),
    (BOM_UTF16_BE, "utf-16-be", 2),
)
_FIRST_BYTES = tuple([bom[:1] for bom, _, _ in _BOMS])

#: The error handler that keeps bytes of UTF-16 and UTF-32 that are not characters: the name of `_carry_through`.
_WIDE = "suture-carry-through"


def _carry_through(error: UnicodeError) -> tuple[str | bytes, int]:
    """Lone surrogates as they are; a unit beyond Unicode as four surrogates that stand for its bytes, and back."""
    if isinstance(error, UnicodeEncodeError):
        four = error.object[error.start : error.start + 4]
        if len(four) == 4 and all("\udc00" <= character <= "\udcff" for character in four):
            unit = bytes(ord(character) & 0xFF for character in four)
            if int.from_bytes(unit, "little" if error.encoding.endswith("le") else "big") > 0x10FFFF:
                return unit, error.start + 4
        error.end = error.start + 1
    try:
        return lookup_error("surrogatepass")(error)
    except UnicodeDecodeError as undecodable:
        unit = undecodable.object[undecodable.start : undecodable.start + 4]
        return "".join(chr(0xDC00 + byte) for byte in unit), undecodable.start + 4


register_error(_WIDE, _carry_through)


def check_size(content: str | bytes, path: str, limit: int) -> None:
    """Reject content of more than `limit` characters or bytes, or of more than `MOST_LINES` lines.

    Raises:
        PatchRejectedError: it is larger (`file_too_large`).
    """
    if len(content) > limit:
        unit = "characters" if isinstance(content, str) else "bytes"
        message = f"{path or 'The file'} is too large: it has {len(content)} {unit}, and the limit is {limit}."
        raise _refused("file_too_large", path, message, "No other patch can help: leave this file out.")

    check_lines(content, path)


def check_lines(content: str | bytes, path: str, *, is_new: bool = False) -> None:
    """Reject content of more than `MOST_LINES` lines, which a file has, or would have if it `is_new`.

    Raises:
        PatchRejectedError: it has more (`file_too_large`).
    """
    if len(content) <= MOST_LINES:
        return
    if isinstance(content, str):
        count = content.count("\n") + content.count("\r") - content.count("\r\n")
    else:
        count = content.count(b"\n") + content.count(b"\r") - content.count(b"\r\n")
    if count > MOST_LINES:
        verb = "would have" if is_new else "has"
        message = f"{path or 'The file'} {verb} too many lines: {count:,}, and the limit is {MOST_LINES:,}."
        hint = "Write fewer lines." if is_new else "No other patch can help: leave this file out."
        raise _refused("file_too_large", path, message, hint, recoverable=is_new)


def check_growth(text: Text, growth: int, limit: int) -> None:
    """Reject an edit whose result would have more than `limit` characters, before it is computed.

    Raises:
        PatchRejectedError: it would be larger (`file_too_large`).
    """
    size = len(text.raw) + growth
    if size > limit:
        message = f"{text.path or 'The file'} would be too large: {size} characters, and the limit is {limit}."
        hint = "Write a shorter replacement, or change fewer occurrences."
        raise _refused("file_too_large", text.path, message, hint, recoverable=True)


def is_plain(content: bytes) -> bool:
    """Whether the content looks like UTF-8 without a BOM, as most do, so that it can be decoded in parts."""
    return not content.startswith(_FIRST_BYTES) and b"\0" not in content


class Text:
    """One file's text, as read.

    `raw` is the decoded text without its BOM, `body` the same with LF for every ending. Treat it as frozen.
    """

    __slots__ = ("_doubt", "_newline", "_rows", "_starts", "_words", "body", "bom", "encoding", "path", "raw", "tail")

    def __init__(self, content: str | bytes, encoding: str | None = None, path: str = "") -> None:
        self.path = path
        self.tail = b""
        self.encoding: str | None = None
        self.bom = b""
        #: Why it is not known which bytes stand for a character outside of ASCII; empty if it is.
        self._doubt = ""
        if isinstance(content, str):
            raw = content.removeprefix(BOM)
            self.bom = BOM_UTF8 if content.startswith(BOM) else b""
            if "\0" in raw:
                raise _refused("binary_file", path, f"{path or 'The file'} is binary: it contains NUL bytes.", _BINARY)
        else:
            raw = self._decode(content, encoding)
        self._set_raw(raw)

    def _decode(self, data: bytes, encoding: str | None) -> str:
        """The characters of a content without its BOM; also sets what is known of its encoding."""
        self.encoding = "utf-8" if encoding is None else _plain_name(encoding)
        if data.startswith(_FIRST_BYTES):
            for bom, codec, _ in _BOMS:
                if data.startswith(bom):
                    self.bom, self.encoding = bom, codec
                    data = data[len(bom) :]
                    break
        unit = _UNITS.get(self.encoding, 1)
        # An encoding that is named without a BOM may have NUL bytes in its characters.
        may_have_nul = unit > 1 or (encoding is not None and not self.bom)
        if not may_have_nul and b"\0" in data:
            message = f"{self.path or 'The file'} is binary: it contains NUL bytes."
            raise _refused("binary_file", self.path, message, _BINARY)
        if surplus := len(data) % unit:
            data, self.tail = data[:-surplus], data[-surplus:]
        if self.encoding == "utf-8":
            try:
                return data.decode("utf-8")
            except UnicodeDecodeError:
                if encoding is None and not self.bom:
                    self._doubt = _NOT_UTF8
        raw = self._decode_faithfully(data)
        if unit == 1 and self.encoding != "utf-8" and _is_other_utf8(data):
            self._doubt = _OTHER_UTF8
        return raw

    def _decode_faithfully(self, data: bytes) -> str:
        """The characters of a content; refused if the encoding does not turn them back into the same bytes."""
        name = self.path or "The file"
        try:
            raw = self._decode_bytes(data)
            is_faithful = self.encoding == "utf-8" or self._encode(raw) == data
        except (LookupError, ValueError) as error:
            message = f"{name} can't be read as {self.encoding}: {error}."
            raise _refused("encoding_error", self.path, message, _ENCODING) from None
        if not is_faithful:
            message = f"{name} can't be read as {self.encoding} and written back byte for byte."
            raise _refused("encoding_error", self.path, message, _ENCODING)
        return raw

    def _decode_bytes(self, data: bytes) -> str:
        """The characters of a content. What the codec would not give back stays bytes, like what it can't read.

        In cp932, for example, several bytes stand for the same character. Then all bytes of the line beyond ASCII stay.
        """
        assert self.encoding, "BUG: a text that came as str is not decoded"
        if self.is_wide:
            return data.decode(self.encoding, _WIDE)
        raw = data.decode(self.encoding, "surrogateescape")
        if self.encoding in _EXACT or self._encode(raw) == data:
            return raw
        lines: list[str] = []
        for line in data.split(b"\n"):
            text = line.decode(self.encoding, "surrogateescape")
            lines.append(text if self._encode(text) == line else line.decode("ascii", "surrogateescape"))
        return "\n".join(lines)

    @property
    def is_wide(self) -> bool:
        """Whether a character takes two or four bytes, and a BOM says in which order."""
        return self.encoding is not None and self.encoding.startswith(("utf-16-", "utf-32-"))

    def _encode(self, raw: str) -> bytes:
        assert self.encoding, "BUG: a text that came as str is not encoded"
        return raw.encode(self.encoding, _WIDE if self.is_wide else "surrogateescape")

    def content(self, raw: str) -> str | bytes:
        """What to write for this raw text: str if the content was a str, else bytes.

        Raises:
            PatchRejectedError: a character that the file's encoding lacks, or, if it is in doubt, one outside of ASCII
                that the file does not have (`encoding_error`).
        """
        if self.encoding is None:
            return "\ufeff" + raw if self.bom else raw
        if self._doubt and (added := _added_characters(raw, self.raw)):
            raise self._lacks(self._doubt.format(encoding=self.encoding), added)
        try:
            data = self._encode(raw)
        except UnicodeEncodeError as error:
            raise self._lacks(_LACKING.format(encoding=self.encoding), raw[error.start]) from None
        if self.encoding not in _EXACT and (read_back := self._decode_bytes(data)) != raw:
            # In some encodings another character gets these bytes: in shift_jis, a yen sign becomes a backslash.
            pairs = zip(raw, read_back + "\0", strict=False)
            changed = next((written for written, read in pairs if written != read), raw[-1:])
            is_lost = self._decode_bytes(changed.encode(self.encoding, "surrogateescape")) != changed
            raise self._lacks((_LACKING if is_lost else _BESIDE_BYTES).format(encoding=self.encoding), changed)
        return self.bom + data + self.tail

    def _lacks(self, why: str, character: str) -> PatchRejectedError:
        """The refusal of a character that can't be written."""
        message = f"{self.path or 'The file'} {why}: {character!r} (U+{ord(character):04X})."
        hint = EncodingAdvice(_ONLY_ASCII) if self._doubt else _CHARACTER
        return _refused("encoding_error", self.path, message, hint, recoverable=True)

    @property
    def has_unknown_bytes(self) -> bool:
        """Whether it has bytes that are not UTF-8, and nobody has said which encoding it is in."""
        return self._doubt == _NOT_UTF8

    def with_bom_in_text(self) -> Text:
        """The same file with its BOM as the first character of the text, for an edit that names it."""
        assert self.bom == BOM_UTF8, "BUG: only the BOM of UTF-8 can be edited"
        other = self.with_raw(BOM + self.raw)
        other.bom = b""
        return other

    def with_raw(self, raw: str) -> Text:
        """The same file with another raw text."""
        other = object.__new__(Text)
        other.path, other.tail, other.encoding, other.bom = self.path, self.tail, self.encoding, self.bom
        other._doubt = self._doubt
        other._set_raw(raw)
        return other

    def _set_raw(self, raw: str) -> None:
        self.raw = raw
        self.body = raw if "\r" not in raw else raw.replace("\r\n", "\n").replace("\r", "\n")
        self._newline = "\n" if raw is self.body else ""
        self._starts: tuple[list[int], list[int]] | None = None
        self._rows: tuple[list[str], list[int]] | None = None
        self._words: TextWords | None = None

    @property
    def lines(self) -> list[str]:
        """The lines of the body without their endings. Costs a split of the whole text."""
        lines = self.body.split("\n")
        if not lines[-1]:
            lines.pop()
        return lines

    @property
    def rows(self) -> tuple[list[str], list[int]]:
        """The lines of the body and the offset of each and of the end, worked out once."""
        if self._rows is None:
            lines = self.lines
            self._rows = lines, list(accumulate(map((1).__add__, map(len, lines)), initial=0))
        return self._rows

    @property
    def words(self) -> TextWords:
        """The words of the body."""
        if self._words is None:
            self._words = TextWords(self.body)
        return self._words

    @property
    def newline(self) -> str:
        """The most common line ending; of several, the one that comes first; LF if there is none."""
        if not self._newline:
            self._newline = self._most_common_ending()
        return self._newline

    def _most_common_ending(self) -> str:
        raw = self.raw
        crlf = raw.count("\r\n")
        counts = {"\r\n": crlf, "\n": raw.count("\n") - crlf, "\r": raw.count("\r") - crlf}
        most = max(counts.values())
        tied = [ending for ending, count in counts.items() if count == most]
        return self._first_of(tied) if len(tied) > 1 else tied[0]

    def _first_of(self, endings: list[str]) -> str:
        """Of several line endings that the text has, the one that comes first."""
        position = 0
        for line in self.body.split("\n"):
            position += len(line)
            ending = "\r\n" if self.raw.startswith("\r\n", position) else self.raw[position : position + 1]
            if ending in endings:
                return ending
            position += len(ending)
        raise AssertionError("BUG: a tied ending is in the text")

    def line_number(self, offset: int) -> int:
        """The number, from 1, of the line at this offset of the body."""
        return bisect_right(self.rows[1], offset)

    def line_at(self, offset: int) -> str:
        """The line of the body that begins at this offset."""
        end = self.body.find("\n", offset)
        return self.body[offset:] if end < 0 else self.body[offset:end]

    def raw_position(self, offset: int) -> int:
        """The position in `raw` of the character at this offset of the body."""
        if self.raw is self.body or offset >= len(self.body):
            return offset - len(self.body) + len(self.raw)
        in_body, in_raw = self._line_starts()
        index = bisect_right(in_body, offset) - 1
        return in_raw[index] + offset - in_body[index]

    def content_size(self, raw: str) -> int:
        """The length of a part of the raw text in the original content: in characters or in bytes."""
        return len(raw) if self.encoding is None else len(self._encode(raw))

    @property
    def first_offset(self) -> int:
        """Where the raw text begins in the original content: after its BOM."""
        if self.encoding is not None:
            return len(self.bom)
        return 1 if self.bom else 0

    def raw_offset(self, offset: int) -> int:
        """The position in `raw` of the line that begins at this offset of the body."""
        raw = self.raw
        if raw is self.body:
            return offset
        in_body, in_raw = self._line_starts()
        index = bisect_left(in_body, offset)
        return in_raw[index] if index < len(in_raw) else len(raw)

    def _line_starts(self) -> tuple[list[int], list[int]]:
        """Where each line begins in the body and in the raw text, worked out once."""
        if self._starts is None:
            lengths = [len(line) + 1 for line in self.body.split("\n")]
            endings = [len(ending) - 1 for ending in _find_all("\r\n|\n|\r", self.raw)]
            in_body = [0, *accumulate(lengths[:-1])]
            surplus = [0, *accumulate(endings)]
            self._starts = in_body, [start + more for start, more in zip(in_body, surplus, strict=True)]
        return self._starts


def characters_of(content: bytes, encoding: str | None) -> str:
    """The characters of a file; of a binary one, those that its bytes are in UTF-8."""
    try:
        return Text(content, encoding).raw
    except PatchRejectedError:
        return content.decode("utf-8", "surrogateescape")


class TextWords:
    """The words of a text: each is looked for when somebody asks for it, because few are asked for."""

    #: After so many occurrences inside other words, all words are listed instead.
    _MOST_TRIED = 1000

    def __init__(self, body: str) -> None:
        self._body = body
        self._known: dict[str, bool] = {}
        self._all: frozenset[str] | None = None

    def __contains__(self, word: object) -> bool:
        assert isinstance(word, str), "BUG: a text has words and nothing else"
        if word not in self._known:
            self._known[word] = self._find(word)
        return self._known[word]

    def _find(self, word: str) -> bool:
        """Whether the text has a word that no letter is next to."""
        if self._all is not None:
            return word in self._all
        body = self._body
        start = body.find(word) if word.replace("_", "a").isalnum() else -1
        for _ in range(self._MOST_TRIED):
            if start < 0:
                return False
            end = start + len(word)
            if not _is_letter(body[start - 1 : start]) and not _is_letter(body[end : end + 1]):
                return True
            start = body.find(word, end)
        self._all = frozenset(_find_all(r"\w+", body))
        return word in self._all


def _find_all(pattern: str, text: str) -> list[str]:
    """Every match of an expression. Few texts need it, so that it is loaded on first use."""
    from re import findall

    return findall(pattern, text)


def _is_letter(character: str) -> bool:
    """Whether a character can be part of a word."""
    return character.isalnum() or character == "_"


def _plain_name(encoding: str) -> str:
    """An encoding as we compare it: `utf-8` for `UTF8`. Names of other codecs stay as they are."""
    from .text_encodings import text_encoding

    return text_encoding(encoding) or encoding


def _is_other_utf8(data: bytes) -> bool:
    """Whether a content in another encoding has characters outside of ASCII, and is valid UTF-8 all the same."""
    if data.isascii():
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _added_characters(raw: str, before: str) -> str:
    """A character outside of ASCII that a text has more often than the text before; empty if there is none."""
    if raw.isascii():
        return ""
    added = Counter(raw) - Counter(before)
    # Lone surrogates stand for bytes.
    return next((one for one in added if not one.isascii() and not "\ud800" <= one <= "\udfff"), "")


#: Encodings whose codecs take back what they give, and the bytes of a unit in those of several.
_EXACT = frozenset(["utf-8", "latin-1", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
_UNITS = {codec: width for _, codec, width in _BOMS if width > 1}
_NOT_UTF8 = "is not UTF-8, and its encoding is not known, so nothing outside ASCII can be added"
_OTHER_UTF8 = "is configured as {encoding}, but is valid UTF-8, so nothing outside ASCII can be added"
_LACKING = "is {encoding}, and the new text has a character that this encoding lacks"
_BESIDE_BYTES = "is {encoding}, and next to bytes that are not text in this encoding nothing can be added"
_BINARY = "Only text can be edited; a binary file can be deleted or moved."
_ENCODING = "No other patch can help: whoever runs this has to set the file's real encoding."
_ONLY_ASCII = "Use only ASCII, or an escape of the file's language."
_CHARACTER = "Use only characters of this encoding, or an escape of the file's language."


def _refused(code: Code, path: str, message: str, hint: Advice, *, recoverable: bool = False) -> PatchRejectedError:
    return PatchRejectedError([Problem(code, message, path, None, {"path": path}, hint, recoverable)])
