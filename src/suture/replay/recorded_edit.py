"""One edit that a model sent: what its agent's tool said, and the file before it, if that is certain."""

from __future__ import annotations

import hashlib
import json
import re

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..core.string_edits import StringEdit
    from .recording import Form

    #: What the agent's tool did. `declined`: the user did not want it; `unanswered`: nothing is recorded.
    Verdict = Literal["accepted", "rejected", "declined", "unanswered"]

#: Why a tool rejected an edit: words of its answer, in the order in which they are looked for.
REASONS = {
    "declined": r"doesn't want to|user (has )?(rejected|denied|declined|cancel)|rejected by (the )?user|haven't granted"
    r"|aborted",
    "file not read": r"has not been read|must (first )?read|read (it|the file) first",
    "file changed since": r"modified since|has been (unexpectedly )?modified|changed on disk|changed since",
    "another call failed": r"sibling tool call",
    "no change": r"identical|exactly the same|no changes",
    "several matches": r"matches of the string|multiple (matches|occurrences)|more than one|is not unique"
    r"|found multiple|but found [2-9]",
    "not found": r"not found in (the )?file|could not find|failed to find|does not match|failed to exactly match"
    r"|no (sufficiently similar )?match|0 occurrences|not found\.?$|invalid context|string to replace not found",
    "path not allowed": r"must be within|outside (of )?the (workspace|working|project)|eacces",
    "file missing": r"does not exist|no such file|file not found|enoent|failed to read",
    "malformed": r"invalid (patch|hunk)|validation|could not be parsed|malformed|conform|expected arguments|schema",
}
#: For the other files of a patch, one of which did not fit.
OTHER_FILE = "another file of the patch"


class RecordedEdit(Value):
    """An edit to one file. A patch of several files is one for each of them."""

    id: str
    agent: str
    model: str
    tool: str
    form: Form
    path: str
    edit: tuple[StringEdit, ...] | str
    verdict: Verdict
    #: Why it was rejected, and what the tool said.
    reason: str = ""
    answer: str = ""
    #: The file before the edit, None if it is not certain; and how it is known, or why not.
    before: str | None = None
    origin: str = ""
    #: The results that the transcript calls right: the one that was written, and what it means literally.
    results: tuple[str, ...] = ()
    #: Of a rejected edit: the calls and the tokens up to the next edit of this file, or to the end of the turn.
    follow_up_calls: int = 0
    follow_up_tokens: int = 0
    #: The repository or the transcript that it is from.
    source: str = ""
    #: The path in the repository, where the file is in one; otherwise as the transcript has it.
    name: str = ""


def find_reason(answer: str) -> str:
    """The reason that the words of an answer give."""
    start = answer[:2000].lower()
    return next((reason for reason, words in REASONS.items() if re.search(words, start, re.MULTILINE)), "other")


def make_id(source: str, before: str | None, edit: tuple[StringEdit, ...] | str, call: str = "") -> str:
    """A name that is the same for the same edit to the same text of the same source."""
    if isinstance(edit, str):
        written = edit
    else:
        written = json.dumps([part for one in edit for part in (one.old, one.new, one.replace_all)])
    whole = "\0".join((source, before, written) if before is not None else (source, call, written))
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
