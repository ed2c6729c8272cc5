"""State machine: random operations on files give the same answers on the disk and in memory."""

from __future__ import annotations

import errno
import tempfile
from typing import TYPE_CHECKING

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.shared.places import Place

from suture.workspace.files.memory import MemoryFiles
from suture.workspace.files.open_files import DiskFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.workspace.files.file_system import Files

PATHS = st.sampled_from(["a", "b", "c", "c/a", "c/b", "c/d", "c/d/a", "a/b"])


class DiskAndMemory(RuleBasedStateMachine):
    """The same operations on both: the same trees and the same errors."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.both = (Place(DiskFiles([self.folder.name])), Place(MemoryFiles()))

    def teardown(self) -> None:
        self.folder.cleanup()

    def do(self, call: Callable[[Files, Callable[[str], str]], object]) -> None:
        answers: list[object] = []
        for place in self.both:
            try:
                answer = call(place.files, place.at)
            except OSError as error:
                answer = errno.errorcode[error.errno or 0].removeprefix("WSA")
            answers.append(answer)
        assert answers[0] == answers[1]

    @rule(path=PATHS, data=st.binary(max_size=3), mode=st.none() | st.sampled_from([0o600, 0o755]))
    def stage(self, path: str, data: bytes, mode: int | None) -> None:
        self.do(lambda f, at: f.stage(at(path), data, mode=mode, flush=False))

    @rule(path=PATHS, like=PATHS)
    def stage_like(self, path: str, like: str) -> None:
        self.do(lambda f, at: f.stage(at(path), b"like", like=at(like), flush=False))

    @rule(path=PATHS)
    def make_folder(self, path: str) -> None:
        self.do(lambda f, at: f.make_folder(at(path)))

    @rule(path=PATHS, says=PATHS)
    def make_link(self, path: str, says: str) -> None:
        self.do(lambda f, at: f.make_link(at(path), says))

    @rule(old=PATHS, new=PATHS, replace=st.booleans())
    def rename(self, old: str, new: str, replace: bool) -> None:
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
        self.do(lambda f, at: f.set_mode(at(path), mode))

    @invariant()
    def same_tree(self) -> None:
        assert self.both[0].tree() == self.both[1].tree()


TestDiskAndMemory = DiskAndMemory.TestCase
TestDiskAndMemory.settings = settings(max_examples=max(40, settings().max_examples // 3), stateful_step_count=30)
