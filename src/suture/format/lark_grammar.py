"""The patch format as a Lark grammar, for APIs that hold a model to a grammar.

It describes patches without mistakes: whatever it accepts, the parser accepts without a concession, and it accepts what
`render` writes for the files and hunks of a patch.
"""

from __future__ import annotations

#: A patch, without text around it.
LARK_GRAMMAR = r"""
start: "*** Begin Patch" LF operation+ "*** End Patch" LF?

operation: add | delete | update
add: "*** Add File: " PATH LF ("+" TEXT? LF)*
delete: "*** Delete File: " PATH LF
update: "*** Update File: " PATH LF (move hunk* | hunk+)
move: "*** Move to: " PATH LF

hunk: anchor* line+ end_of_file?
anchor: "@@" LF | "@@ " TEXT LF
line: context | removed | added
context: " " TEXT? LF
removed: "-" TEXT? LF
added: "+" TEXT? LF
end_of_file: "*** End of File" LF

PATH: /[^\s]([^\r\n]*[^\s])?/
TEXT: /[^\r\n]+/
LF: "\n"
"""
