"""State machine: "random sequences of operations, undo, recover, on disk and in memory, always equal".

Two workspaces, one on the disk and one in memory, get the same patches, edits, undoings, deaths and repairs, and the
same changes by somebody else. After each step both have the same tree and have given the same answer.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.shared.sites import SWIFT, Site

from suture import SutureError
from suture.workspace import Plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.workspace import Receipt

#: Few names, so that they meet; one of them is a folder for others, or a file, as it comes.
NAMES = ["a", "b", "x", "x/a", "x/y/c", "l", "m"]
TEXTS = [
    "",
    "one\n",
    "one\ntwo\n",
    "one\r\ntwo\r\n",
    "two\nthree\none",
    "\x00binary",
    "one\ntwo\nthree\nfour\nfive\nsix\n",
]
LINES = ["one", "two", "three", "six", "lost"]
TARGETS = ["a", "x/a", "x", "nowhere", "l", "../outside"]

names = st.sampled_from(NAMES)
words = st.sampled_from(LINES)
hunks = st.tuples(words, st.sampled_from([*LINES, "new"])).map(lambda pair: ("@@", f"-{pair[0]}", f"+{pair[1]}"))
sections = st.one_of(
    st.builds(lambda path, line: (f"*** Add File: {path}", f"+{line}"), names, words),
    st.builds(lambda path: (f"*** Delete File: {path}",), names),
    st.builds(lambda path, hunk: (f"*** Update File: {path}", *hunk), names, hunks),
    st.builds(lambda path, to: (f"*** Update File: {path}", f"*** Move to: {to}"), names, names),
    st.builds(lambda path, to, hunk: (f"*** Update File: {path}", f"*** Move to: {to}", *hunk), names, names, hunks),
)
patches = st.lists(sections, min_size=1, max_size=4).map(lambda parts: [line for part in parts for line in part])
dialects = st.sampled_from(["standard", "codex", "opencode"])


class Died(BaseException):
    """What stands for the end of a process: nothing after it is done."""


class Both(RuleBasedStateMachine):
    """The two workspaces."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=SWIFT))
        self.sites = [Site("disk", self.folder), Site("memory", self.folder)]
        #: The same commit in both, each with its own id.
        self.receipts: list[list[Receipt]] = []

    def teardown(self) -> None:
        for site in self.sites:
            site.workspace.close()
        shutil.rmtree(self.folder)

    def both(self, action: Callable[[Site], object]) -> list[object]:
        """Do the same in both; it is told in the same way, or fails in the same way."""
        answers: list[object] = []
        told: list[object] = []
        for site in self.sites:
            try:
                answer = action(site)
            except SutureError as error:
                answer = None
                problems = [(problem.code, problem.path, problem.details.get("reason")) for problem in error.problems]
                told.append((type(error).__name__, problems))
            except OSError as error:
                answer = None
                told.append(error.errno)
            else:
                changes = getattr(answer, "changes", None)
                told.append(answer if changes is None else [str(change) for change in changes])
            answers.append(answer)
        assert told[0] == told[1]
        return answers

    def commit(self, action: Callable[[Site], Receipt]) -> None:
        answers = self.both(action)
        if answers[0] is not None:
            self.receipts.append(answers)  # type: ignore[arg-type]

    @initialize(texts=st.lists(st.tuples(names, st.sampled_from(TEXTS)), max_size=5))
    def begin(self, texts: list[tuple[str, str]]) -> None:
        for path, text in texts:
            self.both(lambda site: site.put(path, text) is site)  # noqa: B023 - called at once

    # Somebody else.

    @rule(path=names, text=st.sampled_from(TEXTS), mode=st.sampled_from([0o644, 0o755, 0o600]))
    def somebody_writes(self, path: str, text: str, mode: int) -> None:
        self.both(lambda site: site.put(path, text, mode) is site)

    @rule(path=names)
    def somebody_removes(self, path: str) -> None:
        self.both(lambda site: site.remove(path))

    @rule(path=names, leads_to=st.sampled_from(TARGETS))
    def somebody_links(self, path: str, leads_to: str) -> None:
        self.both(lambda site: site.link(path, leads_to) is site)

    # The workspace.

    @rule(lines=patches, dialect=dialects)
    def a_patch_is_planned(self, lines: list[str], dialect: str) -> None:
        before = self.sites[0].tree()
        self.both(lambda site: site.plan(*lines, dialect=dialect))
        assert self.sites[0].tree() == before

    @rule(lines=patches, dialect=dialects, atomic=st.booleans())
    def a_patch_is_applied(self, lines: list[str], dialect: str, atomic: bool) -> None:
        self.commit(lambda site: site.apply(*lines, dialect=dialect, atomic=atomic))

    @rule(lines=patches)
    def a_plan_is_kept_and_committed(self, lines: list[str]) -> None:
        self.commit(lambda site: site.workspace.commit(Plan.from_json(site.plan(*lines).to_json())))

    @rule(path=names, old=words, new=words)
    def a_string_is_replaced(self, path: str, old: str, new: str) -> None:
        self.commit(lambda site: site.workspace.edit(path, old, new))

    @rule(path=names, text=st.sampled_from(TEXTS[:4]))
    def a_file_is_written(self, path: str, text: str) -> None:
        self.commit(lambda site: site.workspace.write(path, text))

    @precondition(lambda self: self.receipts)
    @rule(data=st.data(), merge=st.booleans())
    def a_commit_is_undone(self, data: st.DataObject, merge: bool) -> None:
        receipts = data.draw(st.sampled_from(self.receipts))
        self.commit(lambda site: site.workspace.undo(receipts[self.sites.index(site)], merge=merge))

    @rule(lines=patches, dialect=dialects, last=st.integers(1, 6))
    def a_process_dies_and_is_repaired(self, lines: list[str], dialect: str, last: int) -> None:
        before = self.sites[0].tree()

        def dying(site: Site) -> str:
            count = 0

            def die(name: str) -> None:
                nonlocal count
                count += name == "rename"
                if count >= last:
                    raise Died

            site.between = die
            try:
                site.apply(*lines, dialect=dialect)
            except (Died, SutureError) as error:
                return type(error).__name__
            finally:
                site.between = None
            return "done"

        outcome = self.both(dying)[0]
        self.both(lambda site: [(one.outcome, one.paths, one.left_alone) for one in site.workspace.recover()])
        assert outcome == "done" or self.sites[0].tree() == before

    @rule()
    def there_is_nothing_to_repair(self) -> None:
        assert self.both(lambda site: site.workspace.recover()) == [[], []]

    @invariant()
    def both_are_equal(self) -> None:
        trees = [site.tree() for site in self.sites]
        assert trees[0] == trees[1]
        assert not [path for path in trees[0] if "apply-patch" in path]
        files = [path for path, text in trees[0].items() if not path.endswith("/") and not text.startswith("-> ")]
        modes = [[site.mode(path) for path in files] for site in self.sites]
        assert modes[0] == modes[1]

    @invariant()
    def both_have_the_same_history(self) -> None:
        logs = [site.workspace.log(3) for site in self.sites]
        told = [[([str(change) for change in one.changes], bool(one.undone_by)) for one in log] for log in logs]
        assert told[0] == told[1]


TestBoth = Both.TestCase
TestBoth.settings = settings(max_examples=60, stateful_step_count=25)
