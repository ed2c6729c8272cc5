"""Reading: what is shown of a file, and how a session knows what it has read."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, code, edit
from tests.shared.sites import envelope, updated

from suture.agent import agent_limits, read_checks, reads

if TYPE_CHECKING:
    from pathlib import Path

    from suture.agent import Result
    from suture.agent.read_checks import Mode

PATCH = ("apply_patch", {"patchText": envelope(*updated("src/app.py", "    print('Hi ' + name)", "    greet(name)"))})
LOOSE = ("apply_patch", {"patchText": envelope(*updated("src/app.py", "  print('Hi ' + name)", "  greet(name)"))})
#: The file with a change elsewhere than at the place of the edits.
DRIFTED = APP.replace("'Bye '", "'See you '")


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """An agent whose stale edits are refused; `test_stale_calls` is about those that are merged."""
    return Agent(
        tmp_path, reads={"edit": "require", "write": "require", "multiedit": "require", "apply_patch": "exact"}
    )


class TestShowing:
    def shown(self, agent: Agent, content: str | bytes, **arguments: object) -> Result:
        agent.put("file.txt", content)
        return agent.call(("read", {"filePath": "file.txt", **arguments}))

    def test_lines_are_numbered(self, agent: Agent) -> None:
        result = self.shown(agent, "one\ntwo\n")
        assert result.output == "     1\tone\n     2\ttwo"
        assert result.metadata == {"first": 1, "last": 2, "of": 2, "whole": True}

    @pytest.mark.parametrize("content", ["one\r\ntwo\r\n", "\ufeffone\ntwo", "one\ntwo"])
    def test_endings_and_a_bom_are_not_shown(self, agent: Agent, content: str) -> None:
        assert self.shown(agent, content).output == "     1\tone\n     2\ttwo"

    def test_offset_and_limit(self, agent: Agent) -> None:
        content = "".join(f"line {n}\n" for n in range(1, 11))
        result = self.shown(agent, content, offset=3, limit=2)
        assert result.output == "     3\tline 3\n     4\tline 4\n(lines 3-4 of 10 are shown; continue with offset=5)"
        assert self.shown(agent, content, offset=9).output.endswith("    10\tline 10\n(lines 9-10 of 10 are shown)")

    def test_an_offset_behind_the_end(self, agent: Agent) -> None:
        result = self.shown(agent, "one\n", offset=5)
        assert code(result) == "invalid_arguments"
        assert result.output.startswith("file.txt has 1 line, so there is no line 5.")

    def test_a_long_line_is_cut(self, agent: Agent) -> None:
        result = self.shown(agent, "x" * 5000 + "\nend\n")
        notice = "(cut: this line has 5000 characters; read it alone with offset=1 and limit=1)"
        assert f"{'x' * agent_limits.LONGEST_READ_LINE}… {notice}\n     2\tend" in result.output
        assert not result.metadata["whole"]

    def test_a_long_line_that_is_read_alone_is_shown_as_a_whole(self, agent: Agent) -> None:
        result = self.shown(agent, "one\n" + "x" * agent_limits.MOST_READ_CHARACTERS + "\nend\n", offset=2, limit=1)
        assert f"{'x' * agent_limits.MOST_READ_CHARACTERS}\n(lines 2-2 of 3 are shown" in result.output
        assert result.metadata["whole"]
        longer = self.shown(agent, "x" * (agent_limits.MOST_READ_CHARACTERS + 1), limit=1)
        assert longer.output.endswith(f"x… (cut: this line has {agent_limits.MOST_READ_CHARACTERS + 1} characters)")
        assert not longer.metadata["whole"]

    def test_many_lines_are_cut_with_a_notice_of_how_to_go_on(self, agent: Agent) -> None:
        result = self.shown(agent, "x\n" * 5000)
        most = agent_limits.MOST_READ_LINES
        assert result.output.endswith(f"(lines 1-{most} of 5000 are shown; continue with offset={most + 1})")

    def test_a_large_file_is_cut_by_its_characters(self, agent: Agent) -> None:
        result = self.shown(agent, f"{'x' * 999}\n" * 1000)
        assert len(result.output) < agent_limits.MOST_READ_CHARACTERS + 100
        assert "continue with offset=50)" in result.output

    def test_an_empty_file(self, agent: Agent) -> None:
        assert self.shown(agent, "").output == "file.txt is empty."

    def test_a_binary_file_is_refused(self, agent: Agent) -> None:
        assert code(self.shown(agent, b"\x7fELF\0\0")) == "binary_file"

    def test_a_byte_that_is_no_text_is_shown_as_an_escape(self, agent: Agent) -> None:
        first, second = self.shown(agent, b"caf\xe9\n").output.split("\n")
        assert first == "     1\tcaf\\udce9"
        assert second.startswith("(bytes that are not UTF-8 are shown as")

    def test_a_folder_is_listed(self, agent: Agent) -> None:
        agent.put("src/deep/a.py", "")
        result = agent.call(("read", {"filePath": "src"}))
        assert (result.title, result.output) == ("src", "src is a directory:\napp.py\ndeep/")
        assert agent.call(("read", {"filePath": "."})).output == ". is a directory:\nsrc/"

    def test_an_empty_folder(self, agent: Agent) -> None:
        (agent.root / "void").mkdir()
        assert agent.call(("read", {"filePath": "void"})).output == "void is an empty directory."

    def test_a_large_folder_is_cut(self, agent: Agent) -> None:
        (agent.root / "many").mkdir()
        for number in range(agent_limits.MOST_READ_NAMES + 5):
            (agent.root / "many" / f"{number:04}").touch()
        notice = f"(names 1-1000 of 1005 are shown; continue with offset={agent_limits.MOST_READ_NAMES + 1})"
        assert agent.call(("read", {"filePath": "many"})).output.endswith(f"0999\n{notice}")
        rest = agent.call(("read", {"filePath": "many", "offset": agent_limits.MOST_READ_NAMES + 1, "limit": 2}))
        assert (
            rest.output
            == "many is a directory:\n1000\n1001\n(names 1001-1002 of 1005 are shown; continue with offset=1003)"
        )
        beyond = agent.call(("read", {"filePath": "many", "offset": 2000}))
        assert code(beyond) == "invalid_arguments"
        assert beyond.output.startswith("many has 1005 names, so there is no name 2000.")

    def test_a_folder_may_be_named_as_a_list_shows_it(self, agent: Agent) -> None:
        assert agent.call(("read", {"filePath": "src/"})).output == "src is a directory:\napp.py"

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes but read-only")
    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_a_folder_that_cannot_be_read(self, agent: Agent) -> None:
        (agent.root / "shut").mkdir(mode=0o300)
        assert code(agent.call(("read", {"filePath": "shut"}))) == "permission_denied"

    def test_a_folder_that_the_system_refuses(self, agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
        def names(_: str) -> list[str]:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(agent.workspace.files, "names", names)
        assert code(agent.call(("read", {"filePath": "src"}))) == "permission_denied"

    def test_a_near_path_is_proposed(self, agent: Agent) -> None:
        result = agent.call(("read", {"filePath": "src/ap.py"}))
        assert result.output.startswith("File src/ap.py not found.\nDid you mean src/app.py?")
        result = agent.call(("read", {"filePath": "src/APP.PY"}))
        assert result.output.startswith("File src/APP.PY not found.\nDid you mean src/app.py?")


class TestRequire:
    def test_a_file_that_was_not_read_is_refused(self, agent: Agent) -> None:
        result = agent.call(edit())
        assert code(result) == "not_read"
        assert agent.text("src/app.py") == APP

    @pytest.mark.parametrize(
        "call",
        [
            edit(),
            ("write", {"filePath": "src/app.py", "content": "x"}),
            ("multiedit", {"filePath": "src/app.py", "edits": [{"oldString": "'Hi '", "newString": "x"}]}),
            ("delete", {"filePath": "src/app.py"}),
            ("move", {"filePath": "src/app.py", "toPath": "b.py"}),
        ],
        ids=lambda call: call[0],
    )
    def test_it_is_the_default_of_all_tools_but_apply_patch(self, agent: Agent, call: tuple[str, object]) -> None:
        assert code(agent.call(call)) == "not_read"
        assert not Agent(agent.folder).call(READ, call).is_error

    def test_without_a_memory_of_reads_an_exact_edit_is_the_way(self, tmp_path: Path) -> None:
        """A server without sessions forgets each read: to read the file and send the same edit again does not help."""
        loose = envelope("*** Update File: src/app.py", "-    print('Hi ' + name)  ", "+    print('Hello ' + name)")
        exact = loose.replace("  \n", "\n")
        refused = Agent(tmp_path, reads={"apply_patch": "exact"}).call(("apply_patch", {"patchText": loose}))
        assert code(refused) == "not_read"
        assert "with the lines exactly as the file has them" in refused.output
        assert "fits only one place" in refused.output
        assert not Agent(tmp_path, reads={"apply_patch": "exact"}).call(("apply_patch", {"patchText": exact})).is_error

    def test_a_file_that_was_not_read_is_no_place_to_explain(self, agent: Agent) -> None:
        """The read is asserted before the place is looked for: the answer says what is the reason."""
        assert code(agent.call(edit("lost()", "x"))) == "not_read"
        assert code(agent.call(READ, edit("lost()", "x"))) == "old_text_not_found"

    def test_a_new_file_needs_no_read(self, agent: Agent) -> None:
        assert not agent.call(("write", {"filePath": "new.txt", "content": "x\n"})).is_error

    def test_an_empty_file_needs_no_read(self, agent: Agent) -> None:
        agent.put("empty.txt", "")
        assert not agent.call(("write", {"filePath": "empty.txt", "content": "x\n"})).is_error

    def test_a_write_counts_as_a_read(self, agent: Agent) -> None:
        write = ("write", {"filePath": "new.txt", "content": "x = 1\n"})
        assert not agent.call(write, edit("1", "2", "new.txt"), edit("2", "3", "new.txt")).is_error

    def test_a_file_that_has_changed_is_refused_with_a_short_diff(self, agent: Agent) -> None:
        agent.call(READ)
        agent.put("src/app.py", DRIFTED)
        result = agent.call(edit())
        assert code(result) == "stale_file"
        assert "-    print('Bye ' + name)\n+    print('See you ' + name)" in result.output
        assert agent.text("src/app.py") == DRIFTED

    def test_what_was_shown_in_the_refusal_is_as_good_as_a_read(self, agent: Agent) -> None:
        agent.call(READ)
        agent.put("src/app.py", DRIFTED)
        first, second = agent.calls(edit(), edit())
        assert first.is_error
        assert not second.is_error

    def test_a_diff_that_was_cut_is_no_read(self, agent: Agent) -> None:
        agent.call(READ)
        agent.put("src/app.py", APP + "".join(f"new line {n} of many\n" for n in range(500)))
        first, second = agent.calls(edit(), edit())
        assert code(first) == code(second) == "stale_file"
        assert "Read it again" in first.output
        assert len(first.output) < agent_limits.MOST_STALE_DIFF + 500

    def test_of_a_file_that_is_no_text_any_more_there_is_no_diff(self, agent: Agent) -> None:
        agent.call(READ)
        agent.put("src/app.py", b"\0\1")
        result = agent.call(("delete", {"filePath": "src/app.py"}))
        assert result.output.startswith("src/app.py has changed since it was read.\nRead it again")

    def test_a_touched_file_has_not_changed(self, agent: Agent) -> None:
        agent.call(READ)
        os.utime(agent.root / "src" / "app.py", (1, 1))
        assert not agent.call(edit()).is_error

    def test_the_same_content_written_again_has_not_changed(self, agent: Agent) -> None:
        agent.call(READ)
        agent.put("src/app.py", "something else")
        agent.put("src/app.py", APP)
        assert not agent.call(edit()).is_error

    def test_it_survives_a_restart_with_the_same_id(self, tmp_path: Path) -> None:
        first = Agent(tmp_path, id="s1")
        first.call(READ)
        first.workspace.close()
        assert not Agent(tmp_path, id="s1").call(edit()).is_error
        assert code(Agent(tmp_path, id="s2").call(edit("'Hello '", "x"))) == "not_read"

    def test_after_a_restart_the_change_is_shown_too(self, tmp_path: Path) -> None:
        Agent(tmp_path, id="s1").call(READ)
        agent = Agent(tmp_path, id="s1", reads={"edit": "require"})
        agent.put("src/app.py", DRIFTED)
        first, second = agent.calls(edit(), edit())
        assert first.output.startswith("src/app.py has changed since it was read. The change:\n")
        assert not second.is_error

    def test_the_same_is_never_refused_twice_in_the_same_words(self, agent: Agent) -> None:
        first, second, third = agent.calls(edit(), edit(), edit())
        assert code(first) == code(second) == "not_read"
        assert first.output != second.output
        assert "Its content:\n     1\tdef greet(name):" in second.output
        assert not third.is_error

    @pytest.mark.parametrize(
        ("line", "notice", "hint"),
        [
            ("x", "(lines 1-60 of 500 are shown; continue with offset=61)", "Send the edit again, for this content."),
            (
                "x" * 1900,
                "(lines 1-1 of 500 are shown; continue with offset=2)",
                "Send the edit again, for this content.",
            ),
            (
                "語" * 1900,
                "(read the file to see the rest)",
                "Read it first with the tool read, then send the edit again.",
            ),
        ],
        ids=["short lines", "long lines", "a line that does not fit"],
    )
    def test_of_a_long_file_the_beginning_is_shown_and_that_there_is_more(
        self, agent: Agent, line: str, notice: str, hint: str
    ) -> None:
        agent.put("long.txt", f"{line}\n" * 500)
        second = agent.calls(edit(path="long.txt"), edit(path="long.txt"))[1]
        assert notice in second.output
        assert f"{hint}\n\nNo file was changed." in second.output
        assert len(second.output.encode()) <= 4000

    def test_what_may_not_be_read_is_not_shown_either(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=[("edit", "*", "allow"), ("read", "src", "deny")])
        for result in agent.calls(edit(), edit(), edit("lost()", "x"), edit()):
            assert code(result) == "rejected"
            assert "greet" not in result.output

    def test_a_binary_file_is_known_when_a_read_has_said_that_it_is_one(self, agent: Agent) -> None:
        agent.put("a.bin", b"\0")
        first, read, second = agent.calls(
            ("delete", {"filePath": "a.bin"}), ("read", {"filePath": "a.bin"}), ("delete", {"filePath": "a.bin"})
        )
        assert (code(first), code(read)) == ("not_read", "binary_file")
        assert not second.is_error

    def test_a_binary_file_that_was_not_read_is_told_of_by_its_size(self, agent: Agent) -> None:
        """No call can show it: without this it could never be deleted or moved."""
        agent.put("a.bin", b"\0" * 1234)
        move = ("move", {"filePath": "a.bin", "toPath": "b.bin"})
        first, second, third = agent.calls(move, move, move)
        assert code(first) == code(second) == "not_read"
        assert "Its content:\n1,234 bytes of binary data" in second.output
        assert not third.is_error

    def test_a_file_that_has_become_binary_can_be_written_over_in_the_end(self, agent: Agent) -> None:
        agent.call(READ)
        agent.put("src/app.py", b"\0\1")
        write = ("write", {"filePath": "src/app.py", "content": "x = 1\n"})
        first, second, third = agent.calls(write, write, write)
        assert code(first) == code(second) == "stale_file"
        assert "permission" not in second.output
        assert not third.is_error

    def test_somebody_elses_change_after_our_own_write_is_noticed(self, agent: Agent) -> None:
        agent.call(READ, edit())
        agent.put("src/app.py", DRIFTED)
        assert code(agent.call(edit("'Hi '", "x"))) == "stale_file"


class TestOtherModes:
    def agent(self, folder: Path, mode: Mode) -> Agent:
        return Agent(folder, reads={"edit": mode, "apply_patch": mode, "delete": mode})

    def test_exact_applies_what_has_one_exact_place(self, tmp_path: Path) -> None:
        result = self.agent(tmp_path, "exact").call(PATCH)
        assert result.output == "Patch applied successfully. 1 file changed:\nM src/app.py +1 -1"

    def test_exact_is_the_default_of_apply_patch(self, agent: Agent) -> None:
        assert code(agent.call(LOOSE)) == "not_read"
        assert not agent.call(PATCH).is_error

    def test_exact_wants_a_read_for_what_has_no_hunk(self, agent: Agent) -> None:
        patch = ("apply_patch", {"patchText": envelope("*** Delete File: src/app.py")})
        assert code(agent.call(patch)) == "not_read"

    def test_exact_holds_behind_a_link(self, agent: Agent) -> None:
        (agent.root / "link.py").symlink_to("src/app.py")
        loose = LOOSE[1]["patchText"].replace("src/app.py", "link.py")
        assert code(agent.call(("apply_patch", {"patchText": loose}))) == "not_read"

    @pytest.mark.parametrize("mode", ["exact", "warn"])
    def test_what_has_changed_elsewhere_is_shown(self, tmp_path: Path, mode: Mode) -> None:
        agent = self.agent(tmp_path, mode)
        agent.call(READ)
        agent.put("src/app.py", DRIFTED)
        result = agent.call(PATCH)
        assert not result.is_error
        assert (
            "src/app.py had changed since it was read; the edit was applied on top. The earlier change:"
            in result.output
        )
        assert "+    print('See you ' + name)" in result.output
        assert agent.text("src/app.py") == DRIFTED.replace("print('Hi ' + name)", "greet(name)")

    def test_exact_refuses_a_loose_place_in_a_file_that_has_changed(self, agent: Agent) -> None:
        agent.call(READ)
        agent.put("src/app.py", DRIFTED)
        assert code(agent.call(LOOSE)) == "stale_file"

    @pytest.mark.parametrize(
        ("before", "now", "why"),
        [
            ("a\nx = 1\nb\nc\n", "a\nb\nc\nx = 1\n", "it is another line now"),
            ("a\nx = 1\nb\nx = 1\n", "a\nb\nx = 1\n", "there were two of them, and one is gone"),
            ("a\nx = 1\nx = 1\n", "a\nx = 1\n", "there were two of them, side by side"),
            ("a\nb\n", "a\nx = 1\nb\n", "it was not there"),
        ],
    )
    @pytest.mark.parametrize("tool", ["edit", "apply_patch"])
    def test_exact_refuses_a_place_that_the_change_has_touched(
        self, tmp_path: Path, before: str, now: str, why: str, tool: str
    ) -> None:
        calls = {
            "edit": edit("x = 1", "x = 2", "n.txt"),
            "apply_patch": ("apply_patch", {"patchText": envelope(*updated("n.txt", "x = 1", "x = 2"))}),
        }
        agent = self.agent(tmp_path, "exact")
        agent.put("n.txt", before)
        agent.call(("read", {"filePath": "n.txt"}))
        agent.put("n.txt", now)
        first, second = agent.calls(calls[tool], calls[tool])
        assert code(first) == "stale_file", why
        assert "The change:" in first.output
        assert not second.is_error, "what has changed was shown, and that counts as a read"
        assert agent.text("n.txt") == now.replace("x = 1", "x = 2")

    def test_exact_refuses_an_insertion_where_lines_have_come_or_gone(self, tmp_path: Path) -> None:
        agent = self.agent(tmp_path, "exact")
        agent.put("n.txt", "top\na\nb\nend\n")
        agent.call(("read", {"filePath": "n.txt"}))
        agent.put("n.txt", "top\na\nnew\nb\nend\n")
        insert = ("apply_patch", {"patchText": envelope("*** Update File: n.txt", "@@ a", "+between a and b")})
        assert code(agent.call(insert)) == "stale_file"

    def test_exact_refuses_to_replace_all_where_there_is_one_more_now(self, tmp_path: Path) -> None:
        agent = self.agent(tmp_path, "exact")
        agent.put("n.txt", "x\na\nb\nx\n")
        agent.call(("read", {"filePath": "n.txt"}))
        agent.put("n.txt", "x\na\nx\nb\nx\n")
        assert code(agent.call(edit("x", "y", "n.txt", replaceAll=True))) == "stale_file"

    def test_exact_applies_an_anchored_place_that_has_its_like_elsewhere(self, tmp_path: Path) -> None:
        agent = self.agent(tmp_path, "exact")
        agent.put("n.txt", "one\n x\n\ntwo\n x\n\nend\n")
        agent.call(("read", {"filePath": "n.txt"}))
        agent.put("n.txt", "one\n x\n\ntwo\n x\n\nthe end\n")
        patch = envelope("*** Update File: n.txt", "@@ two", "- x", "+ y")
        assert not agent.call(("apply_patch", {"patchText": patch})).is_error
        assert agent.text("n.txt") == "one\n x\n\ntwo\n y\n\nthe end\n"

    def test_exact_refuses_what_would_take_too_long_to_tell(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(read_checks, "MOST_SEARCHED_CHARACTERS", 10)
        agent = self.agent(tmp_path, "exact")
        agent.call(READ)
        agent.put("src/app.py", DRIFTED)
        first, second = agent.calls(PATCH, PATCH)
        assert code(first) == "stale_file"
        assert not second.is_error

    def test_exact_refuses_two_sections_of_a_file_that_has_changed(self, tmp_path: Path) -> None:
        """The places of the second are counted in the text that the first has made: nobody knows what was touched."""
        agent = self.agent(tmp_path, "exact")
        agent.call(READ)
        agent.put("src/app.py", DRIFTED + "\n\nend\n")
        sections = [*updated("src/app.py", "end", "END"), *updated("src/app.py", "def greet(name):", "def greet(who):")]
        assert code(agent.call(("apply_patch", {"patchText": envelope(*sections)}))) == "stale_file"

    def test_warn_tells_that_the_file_was_not_read(self, tmp_path: Path) -> None:
        result = self.agent(tmp_path, "warn").call(LOOSE)
        assert result.output.endswith("src/app.py was not read before it was edited.")

    def test_off_tells_nothing(self, tmp_path: Path) -> None:
        agent = self.agent(tmp_path, "off")
        assert agent.call(LOOSE).output.count("\n") == 1
        assert not agent.call(("delete", {"filePath": "src/app.py"})).is_error


def test_only_so_much_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "MOST_READ_CONTENTS", 2)
    monkeypatch.setattr(reads, "MOST_READ_BYTES", 10)
    agent = Agent(tmp_path)
    kept = agent.session.reads
    for name, content in [("a", b"12345"), ("b", b"1234"), ("c", b"1"), ("a", b"123456789"), ("d", b"x" * 11)]:
        kept.note(f"/{name}", content)
        assert kept._size == sum(map(len, kept._contents.values())) <= 10
        assert len(kept._contents) <= 2
    assert list(kept._contents) == []
