"""The same `edit` call twice in a session. After a success, the second one must not change anything.

The edits are string edits from real commits. The ways:

- `again_alone`: the old text is gone after the first call;
- `again_grown`: the new text contains the old text, as for an insertion;
- `again_twin`: lines that differ from the old text in indentation alone are elsewhere in the file;
- `again_all`: with `replaceAll`, a name that becomes a longer one;
- `after_failure`: the first call fails, because the file lacks the old lines; they come back, and the second one must
  be applied;
- `after_read`: somebody undoes the first call and the session reads the file; the second one must be applied.

A case whose first call has another outcome than expected is not counted.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.accuracy import repositories
from benchmarks.accuracy.ambiguity import places, spoken
from benchmarks.accuracy.cases import Case
from benchmarks.accuracy.change import applied
from benchmarks.accuracy.line_parts import code_words
from benchmarks.accuracy.peers import Answer, NotAskedError
from benchmarks.accuracy.spoil_lines import trimmed
from benchmarks.accuracy.spoil_strings import pair_of

from .family import Family, Quota

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from benchmarks.accuracy.change import Draft, Piece
    from benchmarks.accuracy.corpus import Change
    from suture import Session

WAYS = (
    "again_alone",
    "again_grown",
    "again_twin",
    "again_all",
    "after_failure",
    "after_read",
)
MOST_OLD_LINES = 6
#: Of longer files, `read` shows a part, and a session would ask for the rest first.
MOST_LINES = 1_000
MOST_CHARACTERS = 40_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCase(Case):
    """An `edit` call that is sent twice; `first` is the file before the first one, `before` that before the second."""

    first: str
    old: str
    new: str
    replace_all: bool = False

    def shown(self) -> str:
        """Both texts."""
        return f"<<<<<<< oldString\n{self.old}\n======= newString\n{self.new}\n>>>>>>>"


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A text, a string edit of it, and the text afterwards."""

    name: str
    path: str
    before: str
    old: str
    new: str
    after: str


def cases_of(change: Change, quota: Quota) -> Iterator[SessionCase]:
    """The cases of the hunks of a change, and of a name in its file."""
    if len(change.draft.before) > MOST_LINES or sum(map(len, change.draft.before)) > MOST_CHARACTERS:
        return
    for number, piece in enumerate(change.draft.truth):
        name = f"{change.name}.{number}"
        chance = random.Random(f"{name}/resent")
        narrow = trimmed(piece, chance.randint(0, 1), chance.randint(0, 1))
        edit = _lines_edit(name, change.draft, narrow)
        if edit is not None:
            yield _again(edit, _way(edit, change.draft, narrow))
            yield from _allowed(edit, change.draft, narrow)
    renaming = _renaming(change) if quota.is_open("again_all") else None
    if renaming is not None:
        yield renaming


def _lines_edit(name: str, draft: Draft, piece: Piece) -> TextEdit | None:
    """A hunk as a string edit of whole lines; nothing where the old text does not occur exactly once."""
    pair = pair_of(piece, ends=True)
    before = draft.text(draft.before)
    is_short = 0 < len(piece.old) <= MOST_OLD_LINES
    if draft.eol != "\n" or not is_short or not pair.old.strip() or spoken(before, pair.old) != 1:
        return None
    after = before.replace(pair.old, pair.new)
    return TextEdit(name, draft.path, before, pair.old, pair.new, after) if after != before else None


def _way(edit: TextEdit, draft: Draft, piece: Piece) -> str:
    if edit.old in edit.after:
        return "again_grown"
    after = [line.strip() for line in applied(draft.before, [piece])]
    return "again_twin" if places(after, [line.strip() for line in piece.old]) else "again_alone"


def _again(edit: TextEdit, way: str) -> SessionCase:
    """The call after a success."""
    return SessionCase(
        name=edit.name,
        way=way,
        detail="",
        path=edit.path,
        before=edit.after,
        after=edit.after,
        expectation="refuse",
        safety=True,
        first=edit.before,
        old=edit.old,
        new=edit.new,
    )


def _allowed(edit: TextEdit, draft: Draft, piece: Piece) -> Iterator[SessionCase]:
    """The call after a failure, and after a change of somebody else that was read."""
    lines = [*draft.before[: piece.start], *draft.before[piece.start + len(piece.old) :]]
    for way, first in (("after_failure", draft.text(lines)), ("after_read", edit.before)):
        yield SessionCase(
            name=edit.name,
            way=way,
            detail="",
            path=edit.path,
            before=edit.before,
            after=edit.after,
            expectation="after",
            first=first,
            old=edit.old,
            new=edit.new,
        )


def _renaming(change: Change) -> SessionCase | None:
    """A name of the file that becomes a longer one, everywhere."""
    draft = change.draft
    text = draft.text(draft.before)
    counts = Counter(word[0] for line in draft.before for word in code_words(line, draft.path) if len(word[0]) > 4)
    names = sorted(name for name, count in counts.items() if count > 1)
    if not names or draft.eol != "\n":
        return None
    name = random.Random(f"{change.name}/all").choice(names)
    after = text.replace(name, f"{name}_value")
    return SessionCase(
        name=change.name,
        way="again_all",
        detail="",
        path=draft.path,
        before=after,
        after=after,
        expectation="refuse",
        safety=True,
        first=text,
        old=name,
        new=f"{name}_value",
        replace_all=True,
    )


def ask(case: SessionCase) -> Answer:
    """A session that gets the call twice."""
    return asyncio.run(_ask(case))


async def _ask(case: SessionCase) -> Answer:
    from suture import Session, Workspace
    from suture.agent import Rule, Rules
    from suture.workspace import MemoryFiles

    files = MemoryFiles({case.path: case.first.encode()})
    allowed = Rules([Rule("edit", "*", "allow")])
    with Workspace(files) as workspace:
        async with Session(workspace, rules=allowed) as session, Session(workspace, rules=allowed) as other:
            await session.read(case.path)
            await _send_first(case, session, other)
            if files.texts()[case.path] != case.before:
                raise NotAskedError
            result = await session.edit(case.path, case.old, case.new, case.replace_all)
            text = files.texts()[case.path]
            assert isinstance(text, str), "BUG: every case is a text"
            replacers = [edit["replacer"] for edit in result.metadata["filediff"]["edits"]]
            return Answer(text.encode(), tuple(replacers), ", ".join(replacers))


async def _send_first(case: SessionCase, session: Session, other: Session) -> None:
    """Send the call for the first time, and bring about what the second one finds."""
    from suture import SutureError

    try:
        await session.edit(case.path, case.old, case.new, case.replace_all)
        is_done = True
    except SutureError:
        is_done = False
    if is_done == (case.way == "after_failure"):
        raise NotAskedError
    if case.way == "after_failure":
        await session.write(case.path, case.before)
    if case.way == "after_read":
        await other.read(case.path)
        await other.write(case.path, case.before)
        await session.read(case.path)


def make(paths: Iterable[Path], each: int, only: Collection[str]) -> Iterator[SessionCase]:
    """At most so many cases of each way."""
    quota = Quota(each, only or WAYS)
    return quota.take(case for change in repositories.load(paths) for case in cases_of(change, quota))


FAMILY = Family(
    "the same call twice in a session",
    WAYS,
    make,
    {"suture": ask},
    cases_of_each=300,
)
