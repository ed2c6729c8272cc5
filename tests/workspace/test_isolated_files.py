"""State machine: an isolated session sees what the same operations do to the files, and the files stay as they are."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.shared.places import Place

from suture.state.overlay_store import OverlayStore
from suture.workspace.files.memory import MemoryFiles
from suture.workspace.isolated_files import IsolatedFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.workspace.files.file_system import Files

PATHS = st.sampled_from(["a", "b", "c", "c/a", "c/b", "c/d", "c/d/a", "a/b"])


def a_tree() -> MemoryFiles:
    files = MemoryFiles({"a": "1", "c/a": "2", "c/d/a": "3"})
    files.make_link("/b", "a")
    files.set_mode("/c/a", 0o755)
    return files


class IsolatedAndDirect(RuleBasedStateMachine):
    """The same operations in isolation and on a copy of the files: the same trees and the same errors."""

    def __init__(self) -> None:
        super().__init__()
        self.below = a_tree()
        self.files = IsolatedFiles(self.below, OverlayStore(None, "s"))
        self.both = (Place(a_tree()), Place(self.files))

    def do(self, call: Callable[[Files, Callable[[str], str]], object]) -> None:
        answers: list[object] = []
        for place in self.both:
            try:
                answer = call(place.files, place.at)
            except OSError as error:
                answer = errno.errorcode[error.errno or 0].removeprefix("WSA")
            answers.append(answer)
        assert answers[0] == answers[1]

    def is_folder(self, path: str) -> bool:
        place = self.both[0]
        try:
            stat = place.files.stat(place.at(path))
        except OSError:
            return False
        return stat is not None and stat.kind == "folder"

    @rule(path=PATHS, data=st.binary(max_size=3), mode=st.none() | st.sampled_from([0o600, 0o755]))
    def stage(self, path: str, data: bytes, mode: int | None) -> None:
        self.do(lambda f, at: f.stage(at(path), data, mode=mode, flush=False))

    @rule(path=PATHS)
    def make_folder(self, path: str) -> None:
        self.do(lambda f, at: f.make_folder(at(path)))

    @rule(path=PATHS, says=PATHS)
    def make_link(self, path: str, says: str) -> None:
        self.do(lambda f, at: f.make_link(at(path), says))

    @rule(old=PATHS, new=PATHS, replace=st.booleans())
    def rename(self, old: str, new: str, replace: bool) -> None:
        # No commit moves a directory.
        if not self.is_folder(old):
            self.do(lambda f, at: f.rename(at(old), at(new), replace=replace))

    @rule(path=PATHS)
    def remove(self, path: str) -> None:
        self.do(lambda f, at: f.remove(at(path)))

    @rule(path=PATHS)
    def remove_folder(self, path: str) -> None:
        self.do(lambda f, at: f.remove_folder(at(path)))

    @rule(path=PATHS)
    def read(self, path: str) -> None:
        self.do(lambda f, at: f.read(at(path), 2)[0])
        self.do(lambda f, at: (stat := f.stat(at(path))) and (stat.kind, stat.mode, stat.kind == "file" and stat.size))
        self.do(lambda f, at: f.names(at(path)))
        self.do(lambda f, at: f.link(at(path)))

    @rule(path=PATHS, mode=st.sampled_from([0o600, 0o755]))
    def set_mode(self, path: str, mode: int) -> None:
        if not self.is_folder(path):
            self.do(lambda f, at: f.set_mode(at(path), mode))

    @invariant()
    def same_tree(self) -> None:
        assert self.both[0].tree() == self.both[1].tree()

    @invariant()
    def the_files_below_are_as_they_were(self) -> None:
        assert Place(self.below).tree() == Place(a_tree()).tree()


TestIsolatedAndDirect = IsolatedAndDirect.TestCase
TestIsolatedAndDirect.settings = settings(max_examples=max(40, settings().max_examples // 3), stateful_step_count=30)


def test_a_file_does_not_come_back_with_the_directory_that_took_its_name() -> None:
    below = MemoryFiles({"a": "1"})
    files = IsolatedFiles(below, OverlayStore(None, "s"))
    files.remove("/a")
    files.make_folder("/a")
    files.remove_folder("/a")
    assert files.stat("/a") is None
    assert below.texts() == {"a": "1"}
