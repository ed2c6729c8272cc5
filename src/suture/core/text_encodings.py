"""Which encodings can be configured for files: those in which ASCII is ASCII and every character stands for itself.

Settings come with projects, so a name in them is not trusted. A codec that compresses, escapes, shifts between states
or writes a BOM of its own is not among them. Neither is one in which bytes that look like text to a person mean other
text to a program. UTF-16 and UTF-32 are recognized by their BOM.
"""

from __future__ import annotations

from encodings import normalize_encoding
from encodings.aliases import aliases

#: The names of Python's modules for them.
TEXT_ENCODINGS = frozenset(
    (
        "ascii utf_8 latin_1 koi8_r koi8_t koi8_u kz1048 ptcp154 hp_roman8 tis_620 "
        "iso8859_1 iso8859_2 iso8859_3 iso8859_4 iso8859_5 iso8859_6 iso8859_7 iso8859_8 iso8859_9 iso8859_10 "
        "iso8859_11 iso8859_13 iso8859_14 iso8859_15 iso8859_16 "
        "cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp437 cp720 cp737 cp775 cp850 cp852 cp855 "
        "cp856 cp857 cp858 cp860 cp861 cp862 cp863 cp865 cp866 cp869 cp874 cp1006 cp1125 "
        "mac_croatian mac_cyrillic mac_greek mac_iceland mac_latin2 mac_roman mac_romanian mac_turkish "
        "big5 big5hkscs cp950 gb2312 gbk gb18030 cp932 shift_jis euc_jp euc_jis_2004 euc_jisx0213 cp949 euc_kr johab"
    ).split()
)
#: Those in which a part of a character can be a byte of ASCII, such as `|` or a backslash. A person reads a letter
#: where a shell that does not know the encoding reads a sign, so a project may choose them only if it is trusted.
ENCODINGS_THAT_HIDE_ASCII = frozenset(
    ("big5", "big5hkscs", "cp950", "gbk", "gb18030", "cp932", "shift-jis", "cp949", "johab")
)
#: The name that IANA has for an encoding, where Python does not know it.
_MORE_ALIASES = {"windows_31j": "cp932"}
#: What a message says that such a setting must be.
EXPECTED = "the name of an encoding of text, such as utf-8, latin-1, cp1252, shift_jis or gbk"


def text_encoding(name: object) -> str | None:
    """The plain name of an encoding that can be configured, from any of its names; None for any other text.

    No codec is loaded to find out.
    """
    if not isinstance(name, str) or not name.isascii() or len(name) > 50:
        return None
    encoding = normalize_encoding(name).lower()
    encoding = _MORE_ALIASES.get(encoding) or aliases.get(encoding, encoding)
    return encoding.replace("_", "-") if encoding in TEXT_ENCODINGS else None
