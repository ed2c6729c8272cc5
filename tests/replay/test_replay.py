"""`suture replay`: an edit is scored only if its file is certain, and the report says what became of it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from benchmarks.real import transcripts as public_transcripts
from benchmarks.real.cases import load
from benchmarks.real.tools import ask
from tests.shared import transcripts as made

from suture import StringEdit
from suture.core.line_hunks import LineHunk
from suture.core.problems import PatchInvalidError
from suture.core.write_diff import FileSection
from suture.replay import git_history
from suture.replay.case_export import CaseExport
from suture.replay.git_history import GitHistory, Histories
from suture.replay.html_page import render_page
from suture.replay.new_file import NewFile
from suture.replay.outcomes import ReplayedEdit, replay
from suture.replay.rebuild import Rebuilder, read_edits
from suture.replay.recorded_diff import apply_recorded, explains
from suture.replay.recorded_edit import RecordedEdit, find_reason
from suture.replay.recording import FileChange, RecordedCall
from suture.replay.replay_report import ReplayReport
from suture.replay.sources import Source, given_places, usual_places
from suture.replay.transcript_limits import MOST_ENTRIES, MOST_ON_PAGE

if TYPE_CHECKING:
    from pathlib import Path

BAD = (StringEdit(*made.BAD),)


@pytest.mark.parametrize(
    ("text", "diff", "after"),
    [
        (made.BEFORE, made.DIFF, made.AFTER),
        ("\n" + made.BEFORE, made.DIFF, None),
        (made.BEFORE.replace("2", "3"), made.LAST_DIFF, None),
        ("    a\n    b\n", "@@ -1,2 +1,3 @@\n a\n+c\n b", "    a\n    c\n    b\n"),
        ("    a\n  b\n", "@@ -1,2 +1,3 @@\n a\n+c\n b", None),
        ("a\n", "@@ -1,0 +2 @@\n+b", "a\nb\n"),
        ("", "@@ -0,0 +1 @@\n+b", "b\n"),
        ("a\n", "", None),
        ("a\n", "@@ -99999999999999 +1 @@\n-a", None),
        ("a\nb\n", "@@ -2 +2 @@\n-b\n@@ -1 +1 @@\n-a", None),
    ],
)
def test_a_recorded_difference_fits_at_its_line_numbers_or_not_at_all(text: str, diff: str, after: str | None) -> None:
    assert apply_recorded(text, diff) == after


def test_a_result_is_explained_by_the_lines_that_an_edit_changes() -> None:
    for edit in (made.envelope("a.py", " def f(x):", "-    return x", "+    return x+1"), made.block(*made.GOOD)):
        assert explains(made.BEFORE, made.AFTER, edit)
        assert not explains(made.BEFORE, made.LAST, edit)
        assert not explains(made.BEFORE, made.AFTER + "more\n", edit)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("<tool_use_error>File has not been read yet. Read it first before writing to it.", "file not read"),
        ("File has been modified since read, either by the user or by a linter.", "file changed since"),
        ("Found 3 matches of the string to replace, but replace_all is false.", "several matches"),
        ("Failed to find expected lines in /a.py:\nx", "not found"),
        ("Failed to edit, expected 1 occurrence but found 2.", "several matches"),
        ("The user doesn't want to proceed with this tool use.", "declined"),
        ("Error: ENOENT: no such file", "file missing"),
        ("File path must be within one of the workspace directories: /work", "path not allowed"),
        ("No changes to apply: oldString and newString are identical.", "no change"),
        ("something else", "other"),
    ],
)
def test_the_reason_is_in_the_words_of_the_tool(answer: str, reason: str) -> None:
    assert find_reason(answer) == reason


def everything(folder: Path) -> None:
    """Transcripts of all agents, each in a folder of its own."""
    for name, file, data in (
        ("claude", "1.jsonl", made.claude_code()),
        ("codex", "rollout-1.jsonl", made.codex()),
        ("opencode", "session.json", made.opencode()),
        ("gemini", "session-1.json", made.gemini_cli()),
        ("copilot", "events.jsonl", made.copilot_cli()),
        ("cline", "api_conversation_history.json", made.cline()),
    ):
        (folder / name).mkdir(parents=True)
        (folder / name / file).write_bytes(data)
    made.aider(folder / "aider")


def test_every_agents_edits_are_scored(tmp_path: Path) -> None:
    """The accepted edit has the same result; the rejected one is placed, except where a name is wrong."""
    everything(tmp_path)
    outcomes: dict[str, list[str]] = {}
    for replayed in replay(read_edits(Source(tmp_path)), processes=1):
        outcomes.setdefault(replayed.edit.agent, []).append(replayed.outcome)
        if replayed.outcome == "placed":
            assert "+    return 3 * x" in replayed.diff
    longer = {agent: ["same", "placed", "same"] for agent in ("aider", "gemini-cli", "opencode")}
    shorter = {agent: ["same", "placed"] for agent in ("claude-code", "cline", "copilot-cli")}
    assert outcomes == longer | shorter | {"codex": ["same", "refused", "same"]}


class TestGit:
    """Transcripts and files in the history of a repository."""

    def test_copies_of_a_session_on_a_branch_count_once(self, tmp_path: Path) -> None:
        made.repository(tmp_path, made.BEFORE)
        whole = made.claude_code()
        half = whole[: whole.find(b"toolu_01234567893")]
        made.checkpoints(tmp_path, half, whole)
        assert [edit.verdict for edit in read_edits(Source(tmp_path, is_repository=True))] == ["accepted", "rejected"]

    def test_a_file_that_is_not_recorded_comes_from_the_version_that_fits(self, tmp_path: Path) -> None:
        made.repository(tmp_path, "something else\n", made.BEFORE, made.LAST, name="a.py")
        change = FileChange("/elsewhere/a.py", "string", (StringEdit(*made.GOOD),), diff=made.DIFF)
        call = RecordedCall("1", "edit", changes=(change,), accepted=True)
        with GitHistory(str(tmp_path)) as history:
            [edit] = Rebuilder("x", "", [call], Histories(history)).edits(set())
            other = call.replace(changes=(change.replace(diff=made.DIFF.replace("f(x)", "f(y)")),))
            [unknown] = Rebuilder("x", "", [other], Histories(history)).edits(set())
        assert (edit.before, edit.origin) == (made.BEFORE, "git: fits the recorded difference")
        assert (unknown.before, unknown.origin) == (None, "no version fits the recorded difference")

    def test_a_file_on_this_machine_comes_from_its_own_repository(self, tmp_path: Path) -> None:
        made.repository(tmp_path / "project", made.BEFORE, made.AFTER)
        text = made.claude_code(str(tmp_path / "project" / "a.py"), recorded=False)
        without_read = b"\n".join(line for line in text.splitlines() if b"toolu_01234567891" not in line)
        (tmp_path / "1.jsonl").write_bytes(without_read)
        first, _ = read_edits(Source(tmp_path / "1.jsonl"))
        assert (first.before, first.origin) == (made.BEFORE, "git: fits the recorded difference")

    def test_a_chat_that_was_tracked_once_is_read(self, tmp_path: Path) -> None:
        made.aider(tmp_path)
        made.git(tmp_path, "add", "-A")
        made.git(tmp_path, "commit", "-q", "-m", "chat")
        (tmp_path / ".aider.chat.history.md").unlink()
        made.git(tmp_path, "commit", "-q", "-a", "-m", "no chat")
        verdicts = [edit.verdict for edit in read_edits(Source(tmp_path, is_repository=True))]
        assert verdicts == ["accepted", "rejected", "accepted"]

    def test_a_commit_with_other_changes_proves_nothing(self, tmp_path: Path) -> None:
        made.aider(tmp_path)
        chat = tmp_path / ".aider.chat.history.md"
        chat.write_text(chat.read_text().replace("return x + 1\n", "return x + 2\n"))
        first = next(iter(read_edits(Source(chat))))
        assert (first.before, first.origin) == (None, "the commit is not there, or has other changes")

    def test_what_git_says_is_reported_if_it_fails(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / ".git").mkdir()
        report = ReplayReport()
        assert list(read_edits(Source(tmp_path, is_repository=True), report.add_recording)) == []
        assert [name for name in report.unknown if name.startswith("git: ")]
        monkeypatch.setenv("PATH", str(tmp_path))
        report = ReplayReport()
        assert list(read_edits(Source(tmp_path, is_repository=True), report.add_recording)) == []
        assert [name for name in report.unknown if "git" in name]

    def test_a_transcript_that_a_clone_lacks_is_counted(self, tmp_path: Path) -> None:
        made.repository(tmp_path, made.BEFORE)
        made.checkpoints(tmp_path, made.claude_code(), made.codex())
        blob = made.git(tmp_path, "rev-parse", "entire/checkpoints/v1:1/full.jsonl")
        (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        report = ReplayReport()
        edits = list(read_edits(Source(tmp_path, is_repository=True), report.add_recording))
        assert {edit.agent for edit in edits} == {"claude-code"}
        assert report.unknown["git: a transcript is absent or too large"] == 1

    def test_git_is_started_without_any_transport(self) -> None:
        environment = git_history._environment()
        assert (environment["GIT_ALLOW_PROTOCOL"], environment["GIT_NO_LAZY_FETCH"]) == ("no_protocol", "1")
        assert not [name for name in environment if name in ("GIT_DIR", "GIT_EXTERNAL_DIFF")]


def an_edit(number: int = 0, **fields: Any) -> RecordedEdit:
    values: dict[str, Any] = {
        "id": f"{number:016x}", "agent": "x", "model": "m", "tool": "edit", "form": "string", "path": "/secret/a.py",
        "edit": BAD, "verdict": "rejected", "reason": "not found", "answer": "no <b>", "before": made.AFTER,
    }  # fmt: skip
    return RecordedEdit(**(values | fields))


class Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        self.text += data


class TestPage:
    """`--html`"""

    HOSTILE = '</pre><script>alert(1)</script><img src="http://x/" onerror=x> &amp; \x1b[31m \u202e'

    def test_no_text_from_outside_becomes_markup(self) -> None:
        report = ReplayReport()
        names = ("path", "model", "agent", "tool", "reason", "answer", "origin")
        fields: dict[str, Any] = dict.fromkeys(names, self.HOSTILE)
        hunk = LineHunk(0, 0, (f"-{self.HOSTILE}\n", f"+{self.HOSTILE}\n", f" {self.HOSTILE}"), self.HOSTILE)
        report.add(ReplayedEdit(an_edit(**fields), "placed", FileSection("a", "b", hunks=(hunk,)), self.HOSTILE))
        report.unknown[self.HOSTILE] += 1
        page = Page(render_page(report))
        assert {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe", "a", "b"} == set()
        attributes = {name for _, values in page.tags for name in values}
        assert not attributes & {"src", "href", "style", "onerror"}
        assert "<script>alert(1)</script>" in page.text
        assert "\x1b" not in page.text
        assert "\u202e" not in page.text

    def test_the_policy_allows_its_own_style_and_nothing_else(self) -> None:
        page = Page(render_page(ReplayReport()))
        [policy] = [
            str(values["content"]) for _, values in page.tags if values.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in policy
        assert "prefers-color-scheme" in render_page(ReplayReport()) or "light dark" in render_page(ReplayReport())

    def test_the_page_is_bounded(self) -> None:
        report = ReplayReport()
        long = FileSection("a", "a", hunks=(LineHunk(0, 0, ("+x\n",) * 6000),))
        for number in range(MOST_ENTRIES + 10):
            report.add(ReplayedEdit(an_edit(number, answer="a" * 2000), "placed", long, "y" * 20_000))
        assert (len(report.entries), report.entries_left_off) == (MOST_ENTRIES, 10)
        page = render_page(report)
        assert (page.count("<details>"), len(page) < MOST_ON_PAGE * 60_000) == (MOST_ON_PAGE, True)


def test_a_redacted_report_has_no_contents() -> None:
    report = ReplayReport(redact=True)
    report.add(ReplayedEdit(an_edit(), "placed", FileSection("private", "x"), "private"))
    whole = json.dumps(report.to_json()) + render_page(report) + "\n".join(report.lines())
    assert report.entries[0]["path"] == "….py"
    assert not [word for word in ("secret", "private", "no <b>", "no &lt;b&gt;") if word in whole]


class TestExport:
    """`--export`"""

    def test_a_file_that_somebody_else_makes_meanwhile_is_kept(self, tmp_path: Path) -> None:
        target = tmp_path / "cases.jsonl"

        def export() -> None:
            with NewFile(str(target)) as new:
                new.file.write(b"ours")
                target.write_text("theirs")

        with pytest.raises(PatchInvalidError, match="exists"):
            export()
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("cases.jsonl", "theirs")]

    def test_cases_are_those_of_the_benchmark(self, tmp_path: Path) -> None:
        everything(tmp_path / "transcripts")
        edits = list(read_edits(Source(tmp_path / "transcripts")))
        target = tmp_path / "cases.jsonl"
        with CaseExport(str(target)) as export:
            for edit in (*edits, *edits):
                export.add(edit)
        cases = list(load(target, None))
        assert len(cases) == len({edit.id for edit in edits if edit.before is not None}) == export.count
        outcomes = [case.judge(*answer) for case in cases if (answer := ask("suture", case)) is not None]
        assert set(outcomes) == {"exact", "undecided", "unknown"}

    def test_several_string_edits_of_one_call_are_a_case_too(self, tmp_path: Path) -> None:
        both = (StringEdit(*made.GOOD), StringEdit(*made.FIXED))
        edit = an_edit(
            form="strings", edit=both, verdict="accepted", before=made.BEFORE, results=(made.LAST,), reason=""
        )
        with CaseExport(str(tmp_path / "cases.jsonl")) as export:
            export.add(edit)
        [case] = load(tmp_path / "cases.jsonl", None)
        answer = ask("suture", case)
        assert answer is not None
        assert case.judge(*answer) == "exact"

    def test_the_same_as_parquet(self, tmp_path: Path) -> None:
        pytest.importorskip("pyarrow")
        target = tmp_path / "cases.parquet"
        with CaseExport(str(target)) as export:
            export.add(an_edit())
            export.add(an_edit(1, edit=made.envelope("a.py", "-x", "+y"), form="envelope", before="x\n"))
            export.add(an_edit(2, before=None))
        assert [case.is_patch for case in load(target, None)] == [False, True]

    def test_a_file_that_exists_is_kept(self, tmp_path: Path) -> None:
        (tmp_path / "cases.jsonl").write_text("mine")
        with pytest.raises(PatchInvalidError, match="exists"):
            CaseExport(str(tmp_path / "cases.jsonl"))

    def test_an_error_leaves_nothing(self, tmp_path: Path) -> None:
        def fail() -> None:
            with CaseExport(str(tmp_path / "cases.jsonl")) as export:
                export.add(an_edit())
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fail()
        assert list(tmp_path.iterdir()) == []


def test_clones_of_public_repositories_are_counted_without_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`python -m benchmarks.real.transcripts`"""
    made.repository(tmp_path / "owner+name", made.BEFORE)
    made.checkpoints(tmp_path / "owner+name", made.claude_code())
    (tmp_path / "owner+name" / ".git").rename(tmp_path / "owner+name" / "repo")
    monkeypatch.setattr(public_transcripts, "repositories", lambda: ["owner/name", "owner/gone"])
    reports = dict(public_transcripts.replay_all(tmp_path, None))
    assert capsys.readouterr().out == "missing: owner/gone\n"
    kept = public_transcripts.summary(reports)
    assert list(kept["owner/name"]["verdicts"].values()) == ["rejected: placed"]
    assert "return" not in json.dumps(kept)
    assert "| owner/name | claude-code | 2 | 1 | 1 |" in next(iter(public_transcripts.tables(reports)))


def test_the_public_repositories_have_figures() -> None:
    figures = json.loads((public_transcripts.HERE / "replay.json").read_text("utf-8"))
    assert list(figures) == public_transcripts.repositories()


def test_the_usual_places_are_those_that_exist(tmp_path: Path) -> None:
    places = [".claude/projects", ".codex/sessions", ".local/share/opencode", ".gemini/tmp", ".copilot"]
    for place in places:
        (tmp_path / "home" / place).mkdir(parents=True)
    (tmp_path / "work").mkdir()
    assert [source.path for source in usual_places(tmp_path / "home", tmp_path / "work")] == [
        tmp_path / "home" / place for place in places
    ]
    made.aider(tmp_path / "project")
    found = usual_places(tmp_path / "nobody", tmp_path / "project")
    assert [(source.path.name, source.is_repository) for source in found] == [
        ("project", True),
        (".aider.chat.history.md", False),
    ]


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PatchInvalidError, match="does not exist"):
        list(given_places([str(tmp_path / "nowhere")]))
