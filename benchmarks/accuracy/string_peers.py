"""The tools that string edits are run on: Suture, plain `str.replace`, and aider's matcher.

aider has hundreds of pinned dependencies, and its matcher needs none of them. So one file of its source distribution is
run alone, with stand-ins for what it imports and does not use for matching.
"""

from __future__ import annotations

import sys
import tarfile
import types
from functools import cache
from typing import TYPE_CHECKING, Any

from .corpus import fetched
from .peers import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from .strings import StringCase

AIDER = ("aider-chat", "0.86.2")


class NoPlaceError(Exception):
    """The peer found no place, or more than one."""


def suture(case: StringCase) -> Answer:
    """Suture, on bytes."""
    from suture import replace

    done = replace(case.before.encode(), case.old, case.new, path=case.path)
    names = tuple(concession.name for concession in done.concessions)
    return Answer(done.text, names or (done.replacer,), done.replacer)


def str_replace(case: StringCase) -> Answer:
    """What many tools do: the old text must stand exactly once."""
    if case.before.count(case.old) != 1:
        raise NoPlaceError
    return Answer(case.before.replace(case.old, case.new).encode())


def aider(case: StringCase) -> Answer:
    """aider's matcher for search/replace blocks; like aider it gets LF, and its result the file's endings again."""
    lf = case.before.replace("\r\n", "\n")
    found = matcher()(lf, case.old, case.new)
    if not found:
        raise NoPlaceError
    text: str = found if lf == case.before else found.replace("\n", "\r\n")
    return Answer(text.encode())


@cache
def matcher() -> Callable[[str, str, str], Any]:
    """`replace_most_similar_chunk` of aider.

    Raises:
        OSError: The release is neither in the cache nor to be had from the index.
    """
    with tarfile.open(fetched(*AIDER)) as archive:
        member = next(name for name in archive.getnames() if name.endswith("aider/coders/editblock_coder.py"))
        stream = archive.extractfile(member)
        assert stream is not None, "BUG: a plain file has a stream"
        source = stream.read()
    packages = ("aider", "aider.coders")
    names = (*packages, "aider.utils", "aider.dump", "aider.coders.base_coder", "aider.coders.editblock_prompts")
    stands = {name: types.ModuleType(name) for name in names}
    for name in packages:
        stands[name].__path__ = []
    vars(stands["aider"]).update(utils=stands["aider.utils"])
    vars(stands["aider.dump"]).update(dump=None)
    vars(stands["aider.coders.base_coder"]).update(Coder=object)
    vars(stands["aider.coders.editblock_prompts"]).update(EditBlockPrompts=object)
    module: dict[str, Any] = {"__name__": "aider.coders.editblock_coder", "__package__": "aider.coders"}
    kept = {name: sys.modules[name] for name in names if name in sys.modules}
    sys.modules |= stands
    try:
        exec(compile(source, member, "exec"), module)  # noqa: S102  # a peer from the index is run, as those that are installed are
    finally:
        for name in names:
            del sys.modules[name]
        sys.modules |= kept
    found: Callable[[str, str, str], Any] = module["replace_most_similar_chunk"]
    return found


TOOLS: dict[str, Callable[[StringCase], Answer]] = {"suture": suture, "str.replace": str_replace, "aider-chat": aider}


def installed(*, with_peers: bool) -> list[str]:
    """The tools to run; aider's matcher where it is to be had."""
    if not with_peers:
        return ["suture"]
    try:
        matcher()
    except OSError as error:
        print(f"without aider-chat: {error}", file=sys.stderr)
        return ["suture", "str.replace"]
    return list(TOOLS)
