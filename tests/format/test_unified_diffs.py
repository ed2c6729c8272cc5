"""Unified diffs as git, `diff -u` and models write them, read as patches."""

from __future__ import annotations

import pytest

from suture import AddFile, DeleteFile, Hunk, Patch, PatchInvalidError, UpdateFile, Workspace, apply_in_memory, parse
from suture.workspace import MemoryFiles


def parse_diff(diff: str) -> Patch:
    patch = parse(diff)
    assert patch == parse(diff, form="unified")
    assert patch.form == "unified"
    return patch


def hunks_of(diff: str) -> tuple[Hunk, ...]:
    (operation,) = parse_diff(diff).operations
    assert isinstance(operation, UpdateFile)
    return operation.hunks


class TestUnifiedDiffs:
    def test_names_of_plain_diffs_have_a_time_behind_them(self) -> None:
        diff = "--- x.txt\t2026-01-01 00:00:00\n+++ x.txt\t2026-01-01 00:00:01\n@@ -1 +1 @@\n-a\n+b\n"
        assert parse_diff(diff).operations == (UpdateFile("x.txt", (Hunk(("-a", "+b"), line_hint=1),)),)

    def test_lines_that_look_like_names_are_lines(self) -> None:
        diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n-b\n+++ b/y\n+c\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n"
        assert [operation.path for operation in parse_diff(diff).operations] == ["x", "z"]

    @pytest.mark.parametrize("header", ["@@ -9,2 +9,2 @@", "@@ -9,2 +9,2 @@ def two():", "@@ def two():"])
    def test_a_diff_that_ends_with_the_header_of_a_hunk_may_have_been_cut_off(self, header: str) -> None:
        diff = f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n{header}\n"
        below = "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"
        deletion = f"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n{header}\n"
        for text in (diff, f"{diff}\nThat is all.\n", f"```diff\n{diff}```\n", diff + below, deletion):
            with pytest.raises(PatchInvalidError) as invalid:
                parse(text)
            assert "has no lines" in str(invalid.value)
        assert parse_diff(f"{diff} c\n-d\n+e\n").operations[0].path == "x"

    def test_a_second_header_above_the_lines_of_a_hunk_is_no_end(self) -> None:
        assert [hunk.lines for hunk in hunks_of("--- a/x\n+++ b/x\n@@ -1 +1 @@\n@@ def two():\n-a\n+b\n")] == [
            ("-a", "+b")
        ]

    def test_new_and_deleted_files_and_modes(self) -> None:
        diff = (
            "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"
            "diff --git a/empty b/empty\nnew file mode 100644\nindex 0..0\n"
            "diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
            "diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n"
        )
        mode = UpdateFile("mode", mode="100755")
        assert parse_diff(diff).operations == (AddFile("new", "x\n"), AddFile("empty", ""), DeleteFile("old"), mode)

    def test_a_file_without_hunks_ends_with_its_header(self) -> None:
        diff = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
        gone, update = parse_diff(diff).operations
        assert (gone, update.path) == (DeleteFile("gone"), "x")

    @pytest.mark.parametrize("end", ["\r\n", "\n"])
    def test_line_ends_of_the_file_or_of_the_whole_diff(self, end: str) -> None:
        """A file with CRLF has it in its hunks; a diff that was sent through Windows has it in every line."""
        file = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n" + " a\n-b\n+c\n".replace("\n", end)
        sent = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n".replace("\n", end)
        assert parse_diff(file).operations == (UpdateFile("x", (Hunk((" a", "-b", "+c"), line_hint=1),)),)
        assert parse_diff(sent).operations == (AddFile("x", "b\n"),)

    def test_a_name_in_quotes(self) -> None:
        diff = 'diff --git "a/\\303\\244\\t" "b/\\303\\244\\t"\ndeleted file mode 100644\n'
        assert parse_diff(diff).operations == (DeleteFile("ä\t"),)

    @pytest.mark.parametrize(
        "diff",
        [
            "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
            "diff --git what is this\n",
            "diff --git a/x b/x\nold mode 100644\nnew mode 100600\n",
            "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+target\n",
            "diff --git a/x b/x\nindex 12..34 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-target\n+other\n",
        ],
    )
    def test_what_is_no_edit_of_text_is_refused(self, diff: str) -> None:
        with pytest.raises(PatchInvalidError):
            parse_diff(diff)


HEAD = "--- a/app.py\n+++ b/app.py\n"
BODY = " def f():\n-    return 1\n+    return 2\n"
LINES = (" def f():", "-    return 1", "+    return 2")


class TestWhatModelsWrite:
    @pytest.mark.parametrize(
        "header",
        [
            "@@ -1,2 +1,2 @@",
            "@@ -1,2 +1,2 @@ class A:",
            "@@ -10,7 +10,7 @@",
            "@@ -1,1 +1,1 @@",
            "@@ -1 +1 @@",
            "@@ ... @@",
            "@@ … @@",
            "@@",
            "@@ @@",
            "@@ -,+ @@",
            "@@ -?,? +?,? @@",
            "@@ -X,Y +X,Y @@",
        ],
    )
    def test_the_numbers_of_a_hunk_may_be_wrong_or_missing(self, header: str) -> None:
        (hunk,) = hunks_of(f"{HEAD}{header}\n{BODY}")
        assert (hunk.lines, hunk.anchors) == (LINES, ())

    def test_text_without_numbers_is_an_anchor(self) -> None:
        (hunk,) = hunks_of(f"{HEAD}@@ class A: @@\n{BODY}")
        assert hunk.anchors == ("class A:",)

    @pytest.mark.parametrize(
        "names",
        [
            "--- a/app.py\n+++ b/app.py\n",
            "--- app.py\n+++ app.py\n",
            "--- app.py.orig\n+++ app.py\n",
            "--- original/app.py\n+++ modified/app.py\n",
            "--- a/app.py 2026-01-01 10:00:00.000 +0000\n+++ b/app.py 2026-01-01 10:00:00.000 +0000\n",
            "diff --git a/app.py b/app.py\nindex 1..2 100644\n--- a/app.py\n+++ b/app.py\n",
            "Index: app.py\n" + "=" * 67 + "\n--- app.py\t(revision 1)\n+++ app.py\t(working copy)\n",
            "+++ b/app.py\n",
        ],
    )
    def test_names_in_every_spelling(self, names: str) -> None:
        fenced = f"```diff\n{names}@@ -1,2 +1,2 @@\n{BODY}```\n"
        assert [one.path for one in parse(fenced).operations] == ["app.py"]

    def test_two_names_without_a_rename_are_refused(self) -> None:
        with pytest.raises(PatchInvalidError) as raised:
            parse(f"--- old.py\n+++ new.py\n@@ -1,2 +1,2 @@\n{BODY}")
        assert raised.value.problems[0].details["reason"] == "two_names"

    def test_a_rename_with_and_without_hunks(self) -> None:
        head = "diff --git a/a.py b/b.py\nsimilarity index 90%\nrename from a.py\nrename to b.py\n"
        assert parse(head).operations == (UpdateFile("a.py", (), "b.py"),)
        diff = f"{head}--- a/a.py\n+++ b/b.py\n@@ -1,2 +1,2 @@\n{BODY}"
        assert parse(diff).operations == (UpdateFile("a.py", (Hunk(LINES, line_hint=1),), "b.py"),)

    def test_a_hunk_below_a_path_in_prose_belongs_to_it(self) -> None:
        text = f"Change `src/app.py`:\n\n```diff\n@@ ... @@\n{BODY}```\n\nThat is all.\n"
        assert [one.path for one in parse(text).operations] == ["src/app.py"]

    def test_a_fenced_diff_without_any_header(self) -> None:
        text = f"**src/app.py**\n```diff\n{BODY}```\n"
        assert parse(text).operations == (UpdateFile("src/app.py", (Hunk(LINES),)),)

    def test_prose_after_an_unfenced_diff_is_no_line_of_it(self) -> None:
        text = f"Here it is:\n\n{HEAD}@@ -1,2 +1,2 @@\n{BODY}\n- It returns 2 now.\n\nBye.\n"
        assert hunks_of(text)[0].lines == LINES

    def test_the_signature_of_a_mail_is_no_line(self) -> None:
        assert hunks_of(f"{HEAD}@@ -1,2 +1,2 @@\n{BODY}-- \n2.43.0\n")[0].lines == LINES

    def test_counts_that_are_too_large_do_not_swallow_the_next_file(self) -> None:
        diff = f"{HEAD}@@ -1,9 +1,9 @@\n{BODY}--- a/b.py\n+++ b/b.py\n@@ -1,9 +1,9 @@\n{BODY}"
        updates = [UpdateFile(path, (Hunk(LINES, line_hint=1),)) for path in ("app.py", "b.py")]
        assert list(parse_diff(diff).operations) == updates

    def test_counts_that_are_too_small_do_not_cut_a_hunk(self) -> None:
        assert hunks_of(f"{HEAD}@@ -1,1 +1,1 @@\n{BODY} x\n-y\n")[0].lines == (*LINES, " x", "-y")

    def test_an_empty_line_is_blank_context(self) -> None:
        assert hunks_of(f"{HEAD}@@ -1,4 +1,4 @@\n{BODY}\n end\n")[0].lines == (*LINES, " ", " end")
        assert hunks_of(f"```diff\n{HEAD}@@\n{BODY}\n end\n\n```\n")[0].lines == (*LINES, " ", " end")

    def test_a_new_file_without_dev_null(self) -> None:
        patch = parse(f"{HEAD}@@ -0,0 +1,2 @@\n+a\n+b\n")
        assert patch.operations == (AddFile("app.py", "a\nb\n", onto_empty=True),)
        (change,) = Workspace(MemoryFiles()).plan(patch).changes
        assert (change.kind, [one.name for one in change.concessions]) == ("add", ["new_file_header"])

    def test_a_final_newline_that_goes_or_comes(self) -> None:
        none = "\\ No newline at end of file\n"
        assert hunks_of(f"{HEAD}@@ -1 +1 @@\n-a\n{none}+a\n")[0].no_newline == "old"
        assert hunks_of(f"{HEAD}@@ -1 +1 @@\n-a\n+b\n{none}")[0].no_newline == "new"

    @pytest.mark.parametrize(
        "text",
        [
            "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 10\nRcmZQz\n\n",
            "diff --cc a.py\nindex 1,2..3\n--- a/a.py\n+++ b/a.py\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n",
            "@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
            "```diff\n-b\n+c\n```\n",
        ],
        ids=["binary", "merge", "no file", "no file in a fence"],
    )
    def test_what_can_not_be_read_is_a_clear_error(self, text: str) -> None:
        with pytest.raises(PatchInvalidError) as raised:
            parse(text)
        assert raised.value.problems[0].code == "patch_parse_error"

    def test_an_unreadable_file_of_a_diff_spoils_all_of_it(self) -> None:
        with pytest.raises(PatchInvalidError):
            parse(f"{HEAD}@@ -1,2 +1,2 @@\n{BODY}diff --git a/x b/x\nBinary files a/x and b/x differ\n")


TWICE = "def f():\n    return 1\n\n\ndef f():\n    return 1\n"


class TestPlaces:
    def test_a_line_number_chooses_between_equal_places(self) -> None:
        result = apply_in_memory(f"{HEAD}@@ -5,2 +5,2 @@\n{BODY}", {"app.py": TWICE})
        assert result.texts["app.py"] == TWICE[: len(TWICE) // 2 + 1] + "def f():\n    return 2\n"

    def test_a_line_number_never_overrides_context(self) -> None:
        result = apply_in_memory(f"{HEAD}@@ -90,2 +1,2 @@\n{BODY}", {"app.py": "x\ndef f():\n    return 1\n"})
        assert result.texts["app.py"] == "x\ndef f():\n    return 2\n"

    @pytest.mark.parametrize(
        ("written", "path"),
        [("src/app.py", "app.py"), ("repo/src/app.py", "src/app.py"), ("x/y/z/app.py", "app.py"), ("app.py", "app.py")],
    )
    def test_leading_directories_go_by_what_exists(self, written: str, path: str) -> None:
        diff = f"--- a/{written}\n+++ b/{written}\n@@ -1,2 +1,2 @@\n{BODY}"
        result = apply_in_memory(diff, {path: "def f():\n    return 1\n"})
        assert result.texts == {path: "def f():\n    return 2\n"}

    def test_a_new_file_goes_where_its_neighbours_are(self) -> None:
        diff = f"--- old/src/a.py\n+++ new/src/a.py\n@@ -1,2 +1,2 @@\n{BODY}"
        diff += "--- /dev/null\n+++ b/src/new.py\n@@ -0,0 +1 @@\n+x\n"
        result = apply_in_memory(diff, {"a.py": "def f():\n    return 1\n"})
        assert result.texts == {"a.py": "def f():\n    return 2\n", "new.py": "x\n"}

    def test_the_number_of_directories_can_be_given(self) -> None:
        diff = f"--- x/y/app.py\n+++ x/y/app.py\n@@ -1,2 +1,2 @@\n{BODY}"
        assert [parse(diff, strip=count).operations[0].path for count in (0, 1, 2, 3)] == [
            "x/y/app.py",
            "y/app.py",
            "app.py",
            "app.py",
        ]

    @pytest.mark.parametrize("path", ["../x.py", "/etc/passwd", "a/../../x.py", ".git/config"])
    def test_a_hostile_path_is_refused(self, path: str) -> None:
        plan = Workspace(MemoryFiles({"x.py": "def f():\n    return 1\n"})).plan(
            f"--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n{BODY}"
        )
        assert plan.problems


MARKDOWN = "# T\n\nintro\n\n```js\nrun()\n```\n\nSecond\n\nmore\n\nThird\n"
MARKDOWN_DIFF = (
    "--- a/README.md\n+++ b/README.md\n"
    "@@ -3,7 +3,7 @@\n-intro\n+Intro!\n \n ```js\n run()\n ```\n \n-Second\n+2nd\n"
    "@@ -11,3 +11,3 @@\n more\n \n-Third\n+3rd\n"
)


class TestFencesOfTheFile:
    """ "Edits are never left out silently" (forms): a fence in a hunk is no end of the fence around the diff."""

    @pytest.mark.parametrize("header", ["@@ -3,7 +3,7 @@", "@@ -3,3 +3,3 @@", "@@ ... @@"])
    @pytest.mark.parametrize("language", ["diff", ""])
    def test_a_fence_in_context_belongs_to_the_hunk(self, header: str, language: str) -> None:
        diff = MARKDOWN_DIFF.replace("@@ -3,7 +3,7 @@", header)
        done = apply_in_memory(f"Here:\n```{language}\n{diff}```\n", {"README.md": MARKDOWN})
        expected = MARKDOWN.replace("intro", "Intro!").replace("Second", "2nd").replace("Third", "3rd")
        assert done.texts == {"README.md": expected}

    @pytest.mark.parametrize("header", ["@@ -3,7 +3,7 @@", "@@ -3,3 +3,3 @@", "@@ ... @@"])
    def test_a_fence_in_context_without_its_space_does_not_drop_what_is_below_it(self, header: str) -> None:
        diff = MARKDOWN_DIFF.replace(" ```\n", "```\n").replace("@@ -3,7 +3,7 @@", header)
        for text in (diff, diff.replace("\n \n", "\n\n")):
            with pytest.raises(PatchInvalidError) as refused:
                parse(f"Here:\n```diff\n{text}```\n")
            assert {problem.code for problem in refused.value.problems} == {"patch_parse_error"}

    @pytest.mark.parametrize(("minus", "plus"), [("-d", "+D"), ("- d", "+ D"), ("-    d", "+    D"), ("", "+D")])
    def test_a_hunk_that_goes_on_below_a_line_without_its_space_is_not_cut(self, minus: str, plus: str) -> None:
        below = "\n".join(filter(None, (minus, plus)))
        with pytest.raises(PatchInvalidError, match="looks like a part of its hunk"):
            parse(f"--- a/x\n+++ b/x\n@@ ... @@\n a\n-b\n+B\nc\n{below}\n")

    @pytest.mark.parametrize(
        "prose", ["That is:\n- item\n", "\n- item\n+ item\n", "\nDone.\n-x is a flag\n", "---\nDone\n", "\n-- \n2.4\n"]
    )
    def test_prose_below_a_diff_is_prose(self, prose: str) -> None:
        text = f"```diff\n--- a/x\n+++ b/x\n@@\n a\n-b\n+B\n```\n{prose}"
        assert hunks_of(text) == (Hunk((" a", "-b", "+B")),)

    @pytest.mark.parametrize("line", ["+item", "-item", "item"])
    def test_a_diff_that_is_not_indented_with_its_fence_keeps_its_signs(self, line: str) -> None:
        done = apply_in_memory(
            f"  ```diff\n--- a/x\n+++ b/x\n@@ ... @@\n a\n-b\n+B\n {line}\n  ```\n", {"x": f"a\nb\n{line}\n"}
        )
        assert done.texts == {"x": f"a\nB\n{line}\n"}
