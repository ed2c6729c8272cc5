"""Files that are not UTF-8: they get no second encoding, and one that was set is read and written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, Agent, code, edit
from tests.shared.programs import Place
from tests.shared.sites import envelope

from suture import Hunk, PatchInvalidError, PatchRejectedError, Workspace, apply_in_memory, multiedit, replace, update
from suture.agent import Answer, Decision, Request, approved_plan
from suture.agent.configuration import load
from suture.core.text_encodings import TEXT_ENCODINGS, text_encoding
from suture.workspace import MemoryFiles, Plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

LATIN = b"alpha\nbet\xe9\ngamma\n"
UNKNOWN = "is not UTF-8, and its encoding is not known, so nothing outside ASCII can be added: 'ä' (U+00E4)."


def problem_of(act: Callable[[], object]) -> tuple[str, str, str]:
    with pytest.raises(PatchRejectedError) as refused:
        act()
    (problem,) = refused.value.problems
    return problem.code, problem.message, problem.hint


class TestUnknown:
    """SPEC §14: "A file that is not UTF-8 is never given a second encoding: […] and so is any non-ASCII text where the
    encoding is unknown".
    """

    @pytest.mark.parametrize(
        "act",
        [
            lambda: replace(LATIN, "alpha", "älpha"),
            lambda: replace(LATIN + b"alpha\n", "alpha", "älpha", replace_all=True),
            lambda: multiedit(LATIN, [("gamma", "delta"), ("alpha", "älpha")]),
            lambda: multiedit(LATIN, [("gamma", "delta"), ("alpha", "älpha")], against="original"),
            lambda: update(LATIN, [Hunk(("-alpha", "+älpha"))]),
            lambda: update(LATIN, [Hunk(("-alpha", "+älpha", " bet\udce9"))], dialect="codex"),
            lambda: update(LATIN, [Hunk(("-  alpha", "+  älpha"))]),
            lambda: update(LATIN.rstrip(b"\n"), [Hunk((" gamma", "+älpha"))]),
        ],
    )
    def test_a_text_outside_of_ascii_is_refused(self, act: Callable[[], object]) -> None:
        code, message, hint = problem_of(act)
        assert code == "encoding_error"
        assert message.removeprefix("Edit 2 of 2: ") == f"The file {UNKNOWN}"
        assert hint.endswith(
            "To set the encoding of the file, pass encoding. A Workspace also takes encodings, by glob."
        )

    def test_an_edit_of_a_list_is_named(self) -> None:
        with pytest.raises(PatchRejectedError) as refused:
            multiedit(LATIN, [("gamma", "delta"), ("alpha", "älpha")])
        assert refused.value.problems[0].details["editIndex"] == 1

    def test_ascii_is_written_and_other_bytes_stay(self) -> None:
        assert replace(LATIN, "alpha", "beta").text == LATIN.replace(b"alpha", b"beta")
        assert update(LATIN, [Hunk(("-alpha", "+beta", " bet\udce9"))]).text == LATIN.replace(b"alpha", b"beta")

    def test_characters_that_the_file_has_can_stay_in_a_changed_line(self) -> None:
        """Such a file has two encodings already."""
        mixed = "ä = 1\n".encode() + LATIN
        assert replace(mixed, "ä = 1", "ä = 2").text == "ä = 2\n".encode() + LATIN
        assert problem_of(lambda: replace(mixed, "ä = 1", "ä = ä"))[0] == "encoding_error"

    @pytest.mark.parametrize("content", [b"alpha\n", "alpha é\n".encode(), b"\xef\xbb\xbfalpha \xe9\n"])
    def test_ascii_and_utf8_get_utf8(self, content: bytes) -> None:
        assert replace(content, "alpha", "älpha").text == content.replace(b"alpha", "älpha".encode())

    def test_a_text_that_came_as_str_has_no_encoding(self) -> None:
        assert replace("alpha\udce9\n", "alpha", "älpha").text == "älpha\udce9\n"

    def test_a_whole_file_is_not_written_in_another_encoding(self) -> None:
        workspace = Workspace(MemoryFiles({"l.txt": LATIN, "a.txt": "a\n"}))
        plan = workspace.plan_write("l.txt", "älpha\n")
        assert [(p.code, p.message) for p in plan.problems] == [("encoding_error", f"l.txt {UNKNOWN}")]
        assert workspace.plan_write("l.txt", "alpha\n").is_clean
        assert workspace.plan_write("a.txt", "älpha\n").files[0].content == "älpha\n".encode()

    def test_where_a_line_is_not_found_the_setting_is_named(self) -> None:
        workspace = Workspace(MemoryFiles({"l.txt": LATIN, "u.txt": "alpha\nbeté\n"}))
        hint = workspace.plan_edit("l.txt", "beté", "x").problems[0].hint
        way = "To set the encoding of the file, pass encoding. A Workspace also takes encodings, by glob."
        assert hint.endswith(f"l.txt has bytes that are not UTF-8. {way}")
        assert "UTF-8" not in workspace.plan_edit("u.txt", "betä", "x").problems[0].hint


class TestNamed:
    """SPEC §14: "text that its encoding (configured, or named by the caller) can't hold is refused"."""

    def test_lines_are_found_and_written_in_it(self) -> None:
        assert replace(LATIN, "beté", "bétä", encoding="latin-1").text == LATIN.replace(b"bet\xe9", b"b\xe9t\xe4")
        assert update(LATIN, [Hunk((" beté", "+ü"))], encoding="cp1252").text == LATIN.replace(
            b"\xe9\n", b"\xe9\n\xfc\n"
        )

    @pytest.mark.parametrize(
        ("content", "new", "encoding"),
        [
            (LATIN, "€", "latin-1"),
            (LATIN, "я", "cp1252"),
            (b"alpha\n", "é", "ascii"),
            # These codecs write another character instead.
            ("alpha あ\n".encode("shift_jis"), "¥", "shift_jis"),
            ("alpha あ\n".encode("cp932"), "¢", "cp932"),
        ],
    )
    def test_a_character_that_it_lacks_is_refused(self, content: bytes, new: str, encoding: str) -> None:
        code, message, _ = problem_of(lambda: replace(content, "alpha", new, encoding=encoding))
        assert code == "encoding_error"
        assert f"has a character that this encoding lacks: {new!r}" in message

    def test_bytes_that_are_no_characters_of_it_stay(self) -> None:
        assert replace(b"a\x81\nx\n", "x", "é", encoding="cp1252").text == b"a\x81\n\xe9\n"
        assert replace(b"a\x81\n\x82\xa0 x\n", "x", "い", encoding="shift_jis").text == b"a\x81\n\x82\xa0 \x82\xa2\n"

    def test_bytes_that_its_codec_would_change_stay_too(self) -> None:
        """In cp932 two pairs of bytes stand for the same character, and Python writes only one of them."""
        content = b"\x87\x90 one\n\x81\xe0 two\n"
        assert replace(content, "one", "1", encoding="cp932").text == b"\x87\x90 1\n\x81\xe0 two\n"
        assert replace(content, "≒ two", "≒ い", encoding="cp932").text == b"\x87\x90 one\n\x81\xe0 \x82\xa2\n"
        assert (
            "next to bytes that are not text" in problem_of(lambda: replace(content, "one", "い", encoding="cp932"))[1]
        )

    def test_a_byte_that_would_swallow_the_new_text_is_noticed(self) -> None:
        assert problem_of(lambda: replace(b"\x81 x\n", " x", "@", encoding="shift_jis"))[0] == "encoding_error"

    def test_a_file_that_is_utf8_after_all_gets_no_second_encoding(self) -> None:
        content = "alpha é\n".encode()
        code, message, _ = problem_of(lambda: replace(content, "alpha", "ä", encoding="latin-1"))
        assert code == "encoding_error"
        assert "is configured as latin-1, but is valid UTF-8" in message
        assert replace(content, "alpha", "beta", encoding="latin-1").text == "beta é\n".encode()
        for name in ("UTF-8", "utf8", "U8"):
            assert replace(content, "alpha é", "ä", encoding=name).text == "ä\n".encode()

    def test_utf8_can_be_named_for_a_file_with_damaged_bytes(self) -> None:
        assert replace(LATIN, "alpha", "älpha", encoding="utf-8").text == LATIN.replace(b"alpha", "älpha".encode())

    def test_a_bom_wins(self) -> None:
        content = b"\xff\xfe" + "alpha\n".encode("utf-16-le")
        assert replace(content, "alpha", "ä", encoding="latin-1").text == b"\xff\xfe" + "ä\n".encode("utf-16-le")

    def test_bytes_of_utf16_without_a_bom_that_are_no_characters_stay(self) -> None:
        content = "a\n".encode("utf-16-le") + b"\x00\xd8\n\x00x"
        assert replace(content, "a", "ä", encoding="utf-16-le").text == "ä\n".encode("utf-16-le") + b"\x00\xd8\n\x00x"


def test_every_encoding_that_can_be_set_keeps_ascii_and_every_character() -> None:
    for name in TEXT_ENCODINGS:
        plain = bytes(range(128))
        assert plain.decode(name) == "".join(map(chr, range(128))), name
        assert all(chr(point).encode(name) == bytes([point]) for point in range(128)), name
        characters = []
        for point in (*range(0x80, 0x500), *range(0x2000, 0x2100), *range(0x3040, 0x3100), *range(0x4E00, 0x4E80)):
            try:
                characters.append(chr(point).encode(name))
            except UnicodeEncodeError:
                continue
        joined = b"".join(characters)
        assert joined == joined.decode(name).encode(name) or name in ("shift_jis", "euc_jp"), name
        assert not {0, 10, 13} & set(joined), f"{name} has no line ending or NUL inside of a character"
        assert text_encoding(name) is not None


WRONG = [
    "rot13", "rot_13", "zip", "zlib", "bz2", "base64", "hex", "uu", "quopri", "utf-7", "unicode_escape",
    "raw_unicode_escape", "idna", "punycode", "mbcs", "oem", "undefined", "charmap", "hz", "iso2022_jp", "iso-2022-kr",
    "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp037", "cp500", "no-such-codec", "", " ", "../os", "os", "x" * 1000,
    "lätin", "latin-1\0", 1, None, ["latin-1"], True,
]  # fmt: skip


@pytest.mark.parametrize("name", WRONG, ids=lambda name: str(name)[:20])
def test_what_is_no_encoding_of_text_files_is_refused_when_it_is_read(tmp_path: Path, name: object) -> None:
    if name == "latin-1\0":
        pytest.skip("TOML has no such string")
    assert text_encoding(name) is None
    if name is not None:
        (tmp_path / ".suture.toml").write_text(f'[encodings]\n"*.txt" = {json.dumps(name)}\n', encoding="utf-8")
        with pytest.raises(PatchInvalidError) as refused:
            load(str(tmp_path), upward=False)
        (problem,) = refused.value.problems
        assert 'encodings."*.txt" must be the name of an encoding of text' in problem.message
    with pytest.raises(ValueError, match="expected the name of an encoding of text"):
        Workspace(MemoryFiles({}), encodings={"*.txt": name})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('encodings = "latin-1"', "encodings must be a table of at most 100 globs"),
        ('encodings = ["latin-1"]', "encodings must be a table of at most 100 globs"),
        ('encodings = {"" = "latin-1"}', 'encodings must have globs of paths; found ""'),
        ("[encodings]\n" + "".join(f'"{n}" = "ascii"\n' for n in range(101)), "at most 100 globs"),
    ],
)
def test_other_mistakes_in_the_table_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / ".suture.toml").write_text(text)
    with pytest.raises(PatchInvalidError) as refused:
        load(str(tmp_path), upward=False)
    assert message in refused.value.problems[0].message


class TestByGlob:
    ENCODINGS = (("**", "cp1252"), ("legacy", "latin-1"), ("legacy/*.ja", "Shift_JIS"), ("docs/**", "utf8"))

    def encoding(self, path: str, **settings: Any) -> str | None:
        workspace = Workspace(MemoryFiles({path: "a\n"}), **{"encodings": self.ENCODINGS, **settings})
        plan = workspace.plan_edit(path, "a", "b")
        return plan.files[0].encoding

    def test_the_last_glob_that_matches_counts(self) -> None:
        paths = ("a.txt", "legacy/deep/a.txt", "legacy/a.ja", "legacy/deep/a.ja", "docs/a.md", "LEGACY/a.txt")
        assert [self.encoding(path) for path in paths] == [
            "cp1252", "latin-1", "shift-jis", "latin-1", "utf-8", "latin-1",
        ]  # fmt: skip
        assert self.encoding("a.txt", encodings={"*.ini": "latin-1"}) == ""
        assert self.encoding("a.txt", encodings={"*.ini": "latin-1"}, encoding="cp1250") == "cp1250"

    def test_every_kind_of_change_is_made_in_it(self) -> None:
        files: dict[str, str | bytes] = {"l.ini": LATIN, "u.txt": "é\n"}
        patch = envelope(
            "*** Update File: l.ini", "@@", " beté", "+ü",
            "*** Add File: n.ini", "+ö",
            "*** Update File: u.txt", "@@", " é", "+ö",
        )  # fmt: skip
        done = apply_in_memory(patch, files, encodings={"*.ini": "latin-1"})
        assert done.texts["l.ini"] == LATIN.replace(b"\xe9\n", b"\xe9\n\xfc\n")
        assert done.texts["n.ini"] == b"\xf6\n"
        assert done.texts["u.txt"] == "é\nö\n"
        assert "+ü" in done.plan.diff
        workspace = Workspace(MemoryFiles(files), encodings={"*.ini": "latin-1"})
        assert workspace.read("l.ini").text == "alpha\nbeté\ngamma\n"
        assert workspace.plan_write("l.ini", "é\n").files[0].content == b"\xe9\n"
        assert workspace.plan_edit("x.ini", "", "é\n").files[0].content == b"\xe9\n"

    def test_control_characters_that_the_file_has_can_be_written_again(self) -> None:
        """In Latin-1, the byte 0x85 is one; in cp1252 it is an ellipsis."""
        workspace = Workspace(MemoryFiles({"l.ini": b"a\x85\n"}), encodings={"*.ini": "latin-1"})
        assert workspace.plan_write("l.ini", "b\x85\n").files[0].content == b"b\x85\n"
        workspace = Workspace(MemoryFiles({"l.ini": b"a\x85\n"}), encodings={"*.ini": "cp1252"})
        assert workspace.plan_edit("l.ini", "a…", "b…").files[0].content == b"b\x85\n"

    def test_an_undo_with_a_merge_reads_it(self) -> None:
        content = b"\xe9\n1\n2\n3\n4\n5\nlast\n"
        workspace = Workspace(MemoryFiles({"l.ini": content}), encodings={"*.ini": "latin-1"})
        receipt = workspace.edit("l.ini", "é", "ö")
        workspace.edit("l.ini", "last", "ü")
        workspace.undo(receipt, merge=True)
        assert workspace.read("l.ini").content == content.replace(b"last", b"\xfc")

    def test_a_moved_file_keeps_the_encoding_of_its_old_path_for_this_patch(self) -> None:
        patch = envelope("*** Update File: l.ini", "*** Move to: l.txt", "@@", " beté", "+ü")
        done = apply_in_memory(patch, {"l.ini": LATIN}, encodings={"*.ini": "latin-1"})
        assert done.texts == {"l.txt": LATIN.replace(b"\xe9\n", b"\xe9\n\xfc\n")}
        assert "+ü" in done.plan.diff
        assert done.plan.files[0].encoding == done.plan.files[1].encoding == "latin-1"

    def test_a_part_of_a_change_is_approved_in_it(self) -> None:
        content = b"\xe9\n" + b"x\n" * 10 + b"\xfc\n"
        workspace = Workspace(MemoryFiles({"l.ini": content}), encodings={"*.ini": "latin-1"})
        plan = Plan.from_json(workspace.plan_multiedit("l.ini", [("é", "ä"), ("ü", "ö")]).to_json())
        request = Request.from_plan(plan)
        assert request.files[0].encoding == "latin-1"
        part = approved_plan(plan, Decision(request, Answer.some({"l.ini": [2]})))
        workspace.commit(part)
        assert workspace.read("l.ini").content == content.replace(b"\xfc", b"\xf6")

    def test_the_users_own_settings_win(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
        (tmp_path / "home" / "suture").mkdir(parents=True)
        (tmp_path / "home" / "suture" / "config.toml").write_text('[encodings]\n"*.txt" = "cp1250"\n')
        (tmp_path / ".suture.toml").write_text('[encodings]\n"*.txt" = "latin-1"\n"*.ini" = "cp1252"\n')
        configuration = load(str(tmp_path), upward=False)
        assert configuration.encodings == (("*.txt", "latin-1"), ("*.ini", "cp1252"), ("*.txt", "cp1250"))
        with Workspace(tmp_path, **configuration.workspace_settings()) as workspace:
            assert workspace.encoding_of(f"{workspace.root}/a.txt") == "cp1250"
            assert workspace.encoding_of(f"{workspace.root}/a.ini") == "cp1252"
            assert workspace.encoding_of(f"{workspace.root}/a.py") is None


class TestSession:
    def agent(self, folder: Path, **settings: object) -> Agent:
        agent = Agent(folder, settings={"encodings": {"*.ini": "latin-1"}, **settings}, profile="all", rules=ALLOW)
        agent.put("l.ini", LATIN)
        agent.put("l.txt", LATIN)
        return agent

    def test_every_tool_reads_and_writes_in_it(self, tmp_path: Path) -> None:
        agent = self.agent(tmp_path)
        path = {"filePath": "l.ini"}
        patch = ("apply_patch", {"patchText": envelope("*** Update File: l.ini", "@@", " bétä", "+ß")})
        edits = ("multiedit", {**path, "edits": [{"oldString": "alpha", "newString": "älpha"}]})
        read, *done, found = agent.calls(
            ("read", path),
            edit("beté", "bétä", "l.ini"),
            edits,
            patch,
            ("read", path),
            ("insert", {**path, "line": 1, "content": "é"}),
            ("grep", {"pattern": "^é$"}),
        )
        assert read.output == "     1\talpha\n     2\tbeté\n     3\tgamma"
        assert not [result.output for result in done if result.is_error]
        assert (agent.root / "l.ini").read_bytes() == "älpha\né\nbétä\nß\ngamma\n".encode("latin-1")
        assert done[0].metadata["filediff"]["after"] == "alpha\nbétä\ngamma\n"
        assert "l.ini:2" in found.output
        assert not agent.call(("write", {**path, "content": "ö\n"})).is_error
        assert (agent.root / "l.ini").read_bytes() == b"\xf6\n"

    def test_a_refusal_names_the_setting_in_the_words_of_the_tool(self, tmp_path: Path) -> None:
        agent = self.agent(tmp_path)
        read, refused = agent.calls(("read", {"filePath": "l.txt"}), edit("alpha", "älpha", "l.txt"))
        way = "The user can set the file's encoding with encodings in the configuration."
        assert read.output.endswith(f"(bytes that are not UTF-8 are shown as \\udc80 to \\udcff. {way})")
        assert code(refused) == "encoding_error"
        assert refused.output.startswith(f"l.txt {UNKNOWN}\nUse only ASCII, or an escape of the file's language. {way}")
        assert (agent.root / "l.txt").read_bytes() == LATIN

    def test_what_has_changed_is_shown_in_it(self, tmp_path: Path) -> None:
        agent = self.agent(tmp_path)
        agent.call(("read", {"filePath": "l.ini"}))
        agent.put("l.ini", LATIN.replace(b"\xe9", b"\xe4"))
        output = agent.call(edit("alpha", "x", "l.ini")).output
        assert "They are now:\n     1\talpha\n     2\tbetä" in output
        assert "     2\tbeté" in output


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


class TestProgram:
    def test_a_refusal_names_the_option_and_the_setting(self, place: Place) -> None:
        place.write("l.txt", LATIN)
        done = place.suture("edit", "l.txt", "--old", "alpha", "--new", "älpha")
        assert f"l.txt {UNKNOWN}" in done.err
        assert "To set the encoding of the file, use --encoding, or encodings in the configuration." in done.err
        place.suture("edit", "l.txt", "--old", "beté", "--new", "ä", "--encoding", "latin1")
        assert (place.root / "l.txt").read_bytes() == LATIN.replace(b"bet\xe9", b"\xe4")

    @pytest.mark.parametrize("name", ["zip", "utf-16", "nonsense"])
    def test_an_option_that_names_none_is_a_mistake_of_usage(self, place: Place, name: str) -> None:
        place.write("l.txt", LATIN)
        done = place.suture("edit", "l.txt", "--old", "alpha", "--new", "x", "--encoding", name)
        assert done.status == 2
        assert "expected --encoding with the name of an encoding of text, such as utf-8, latin-1" in done.err

    def test_both_programs_use_the_configuration(self, place: Place) -> None:
        place.write("l.txt", LATIN)
        place.write(".suture.toml", '[encodings]\n"*.txt" = "latin-1"\n')
        place.suture("edit", "l.txt", "--old", "beté", "--new", "ä")
        patch = envelope("*** Update File: l.txt", "@@", " ä", "+ö", "*** Add File: n.txt", "+é")
        assert place.run("apply_patch", patch).status == 0
        assert (place.root / "l.txt").read_bytes() == LATIN.replace(b"bet\xe9", b"\xe4\n\xf6")
        assert (place.root / "n.txt").read_bytes() == b"\xe9\n"


def test_encodings_may_be_given_as_pairs() -> None:
    workspace = Workspace(MemoryFiles({"a.ini": b"\xe9\n"}), encodings=[("*.ini", "latin-1")])
    assert workspace.read("a.ini").text == "é\n"
