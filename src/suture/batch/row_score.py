"""One row: an edit, the text it is for, and what became of it. Pure, without state; the same row gives the same answer.

A row is a mapping. Its edit is `edit` (a text in any form that `suture.parse` reads), or `old` and `new` with
`replace_all`. What it is for is `files` (texts by path) or `text` with an optional `path`. A path is only a name here,
so that absolute ones, of which transcripts are full, are read too. `wanted` is the expected
result: a text, or texts by path (None for a file that must be gone). `dialect` and `form` are those of `parse`; `id` is
copied. Other columns are ignored.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import time
from collections.abc import Mapping

from ..core.dialect import ALL_TIERS
from ..core.patch import EditFile, Patch
from ..core.problems import PatchInvalidError, Problem, SutureError
from ..core.string_edits import StringEdit
from ..format.patch_parser import parse
from ..workspace.evaluation import apply_in_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..core.outcome import Change
    from ..core.patch import Concession
    from ..workspace.evaluation import InMemory

_OPTIONAL_TEXT = (str, type(None))
#: The path of a `text` whose edit names no file.
DEFAULT_PATH = "file.txt"

#: What a reward is by default, by what became of the edit.
REWARDS: Mapping[str, float] = {
    "equal": 1.0,  # the wanted result, without a concession
    "equal_with_concessions": 0.9,  # the same, but the edit was not written exactly
    "applied": 1.0,  # applied without a concession, and the row has no wanted result
    "applied_with_concessions": 0.9,  # the same, but the edit was not written exactly
    "different": 0.2,  # applied, and not the wanted result
    "refused": 0.1,  # an edit that can be read, with no certain place
    "unreadable": 0.0,  # no edit, or a row that can't be used
}


def score(row: object, *, texts: bool = False) -> dict[str, Any]:
    """What became of a row. `texts` adds the resulting files.

    Never raises for what a row holds: a row that can't be used has the problem `invalid_arguments`.
    """
    began = time.perf_counter()
    scored = blank_score()
    try:
        if not isinstance(row, Mapping):
            raise _invalid("A row must be an object.")
        scored["id"] = row.get("id")
        expected = _expected(row.get("wanted"))
        done, conceded = _apply(row)
    except SutureError as error:
        codes = list(dict.fromkeys(problem.code for problem in error.problems))
        scored |= {"codes": codes, "answer": error.for_model(), "readable": not isinstance(error, PatchInvalidError)}
    else:
        after, changes = done.texts, done.plan.changes
        tiers = [match.tier for change in changes for match in change.matches]
        edits = [edit for change in changes for edit in change.edits]
        scored |= {
            "applied": True,
            "equal": _is_expected(after, expected),
            "tier": max(tiers, key=ALL_TIERS.index, default=None),
            "replacer": edits[-1].replacer if edits else None,
            "concessions": _concessions(changes, conceded),
            "answer": "\n".join(map(str, changes)),
            "sha256": _hashes(done),
            "readable": True,
        }
        if texts:
            scored["files"] = {path: _text(text) for path, text in after.items()}
    scored["outcome"] = outcome(scored)
    scored["seconds"] = round(time.perf_counter() - began, 6)
    return scored


def blank_score() -> dict[str, Any]:
    """The answer to a row of which nothing is known yet."""
    return {
        "id": None,
        "applied": False,
        "equal": None,
        "tier": None,
        "replacer": None,
        "concessions": [],
        "codes": [],
        "answer": "",
        "sha256": {},
        "readable": False,
        "outcome": "unreadable",
        "seconds": None,
    }


def outcome(scored: Mapping[str, Any]) -> str:
    """The name in `REWARDS` of what became of a scored row."""
    if not scored["applied"]:
        return "refused" if scored.get("readable") else "unreadable"
    if scored["equal"] is False:
        return "different"
    name = "applied" if scored["equal"] is None else "equal"
    return f"{name}_with_concessions" if scored["concessions"] else name


def reward(row: object, rewards: Mapping[str, float] = REWARDS) -> float:
    """The value of a row's edit for a training loop, by `rewards`; without state, so any process may call it.

    An outcome that `rewards` does not name has the value that `REWARDS` gives it.
    """
    return {**REWARDS, **rewards}[score(row)["outcome"]]


def _apply(row: Mapping[str, Any]) -> tuple[InMemory, Iterable[Concession]]:
    if (row.get("edit") is None) == (row.get("old") is None):
        raise _invalid("A row needs either edit, or old and new.")
    files = _files(row)
    return _replace(row, files) if row.get("edit") is None else _patch(row, files)


def _files(row: Mapping[str, Any]) -> dict[str, str | bytes] | None:
    """The files of a row; None where there is a text whose path is not known yet."""
    files, text = row.get("files"), row.get("text")
    if isinstance(files, str):  # a column of plain types
        try:
            files = json.loads(files)
        except ValueError as error:
            message = f"files is not JSON: {error}"
            raise _invalid(message) from None
    if (files is None) == (text is None):
        raise _invalid("A row needs either files or text.")
    if files is not None:
        if not isinstance(files, Mapping) or not all(isinstance(name, str) for name in files):
            raise _invalid("files must map paths to texts.")
        known = {name: value for name, value in files.items() if value is not None}
        if not all(isinstance(value, str | bytes) for value in known.values()):
            raise _invalid("files must map paths to texts.")
        named = {_name(path): value for path, value in known.items()}
        if len(named) < len(known):
            raise _invalid("files has two paths that name the same file.")
        return named
    if not isinstance(text, str | bytes):
        raise _invalid("text must be a text.")
    path = row.get("path")
    if path is not None and not isinstance(path, str):
        raise _invalid("path must be a text.")
    return {_name(path): text} if path else None


def _name(path: str) -> str:
    """A path of a row, below the root of a tree that has nothing but the row's files."""
    name = posixpath.normpath(path).lstrip("/")
    if name in {"", ".", ".."} or name.startswith("../"):
        message = f"The row needs the path of a file; found {path!r}."
        raise _invalid(message)
    return name


def _patch(row: Mapping[str, Any], files: dict[str, str | bytes] | None) -> tuple[InMemory, Iterable[Concession]]:
    for name in ("edit", "dialect", "form"):
        if not isinstance(row.get(name, ""), _OPTIONAL_TEXT):
            message = f"{name} must be a text."
            raise _invalid(message)
    dialect = row.get("dialect") or "standard"
    patch: str | Patch = row["edit"]
    try:
        # Parsing and applying in one step is faster.
        if files is None or row.get("form"):
            patch = parse(row["edit"], dialect, form=row.get("form") or None, path=_only_name(files))
            files = {_only_path(patch): row["text"]} if files is None else files
        done = apply_in_memory(patch, files, dialect=dialect, lift=("**",))
    except ValueError as error:  # an unknown dialect or form
        if isinstance(error, SutureError):
            raise
        raise _invalid(str(error)) from None
    return done, done.plan.concessions


def _only_path(patch: Patch) -> str:
    paths = list(dict.fromkeys(operation.path for operation in patch.operations))
    return _name(paths[0]) if len(paths) == 1 else DEFAULT_PATH


def _replace(row: Mapping[str, Any], files: dict[str, str | bytes] | None) -> tuple[InMemory, Iterable[Concession]]:
    old, new, every = row["old"], row.get("new"), row.get("replace_all") or False
    if not isinstance(old, str) or not isinstance(new, str) or not isinstance(every, bool):
        raise _invalid("old and new must be texts, and replace_all must be true or false.")
    files = {DEFAULT_PATH: row["text"]} if files is None else files
    path = _name(row["path"]) if row.get("path") else next(iter(files), DEFAULT_PATH)
    done = apply_in_memory(Patch((EditFile(path, (StringEdit(old, new, every),)),)), files, lift=("**",))
    return done, ()


def _invalid(message: str) -> PatchInvalidError:
    return PatchInvalidError((Problem("invalid_arguments", message),))


def _only_name(files: Mapping[str, str | bytes] | None) -> str:
    """The path of the only file of a row, which edits without a path are for; empty if there are several."""
    if files is None:
        return DEFAULT_PATH
    return next(iter(files)) if len(files) == 1 else ""


def _expected(result: object) -> object:
    """The expected result; its paths are written as those of the row's files."""
    if not isinstance(result, Mapping):
        return result
    if not all(isinstance(path, str) for path in result):
        raise _invalid("wanted must be a text, or map paths to texts.")
    return {_name(path): text for path, text in result.items()}


def _is_expected(after: Mapping[str, str | bytes], expected: object) -> bool | None:
    if expected is None:
        return None
    if isinstance(expected, Mapping):
        return all(
            (path in after) == (text is not None) and _is_same(after.get(path), text) for path, text in expected.items()
        )
    return len(after) == 1 and _is_same(next(iter(after.values())), expected)


def _is_same(one: str | bytes | None, other: object) -> bool:
    if type(one) is type(other):
        return one == other
    same = [_data(text) if isinstance(text, str | bytes) else text for text in (one, other)]
    return same[0] == same[1]


def _concessions(changes: Sequence[Change], conceded: Iterable[Concession]) -> list[str]:
    names = [one.name for one in conceded]
    for change in changes:
        names += [one.name for one in change.concessions]
        names += [one.name for match in change.matches for one in match.concessions]
        names += [one.name for edit in change.edits for one in edit.concessions]
    return list(dict.fromkeys(names))


def _hashes(done: InMemory) -> dict[str, str]:
    """The hash of each file; the plan has those of the files that changed."""
    known = {file.shown: file.after.sha256 for file in done.plan.files}
    return {path: known.get(path) or hashlib.sha256(_data(text)).hexdigest() for path, text in done.texts.items()}


def _data(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _text(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")
