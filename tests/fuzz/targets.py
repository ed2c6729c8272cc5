"""What the fuzzers call, and what must hold after every call.

Each target makes one call from a `Random`. These hold for all of them: only Suture's own exceptions, in time that is
limited by the size of the input (`run.py`), all or nothing. Some promise more: undo restores every byte, and an exact,
unique edit goes exactly there.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.fuzz.form_targets import (
    change_notebooks,
    edit_notebooks,
    merge_settings,
    place_sketches,
    read_anchors,
    read_forms,
)
from tests.fuzz.inputs import (
    DIALECTS,
    PATCHES,
    PATHS,
    WORDS,
    dumps,
    make_patch,
    make_text,
    mutate,
    mutate_json,
)
from tests.fuzz.shown_requests import check_request
from tests.shared.glob_reference import make_path, make_pattern, matches as slow_match
from tests.shared.sites import SWIFT, Site

from suture import (
    PatchInvalidError,
    PatchRejectedError,
    Session,
    SutureError,
    Workspace,
    apply_in_memory,
    multiedit,
    parse,
    replace,
    update,
)
from suture.agent import Rule, Rules
from suture.agent.configuration import load
from suture.agent.ignore_files import IgnoreFile, IgnoreRules
from suture.agent.path_pattern import PathPattern
from suture.agent.shell_patterns import shell_tokens
from suture.core.patch import Hunk
from suture.core.string_edits import StringEdit
from suture.format import PatchParser, parse_invocation
from suture.workspace import MemoryFiles, Plan
from suture.workspace.glob_automaton import REST, GlobAutomaton
from suture.workspace.globs import Globs, fold, glob_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from suture.core.problems import Problem


class Call(NamedTuple):
    """One call: what to do, how large the input is, and the input itself, for a report."""

    run: Callable[[], None]
    size: int
    given: object


def parse_patch(pick: Random) -> Call:
    """The result doesn't depend on how the text is cut into pieces."""
    text, dialect = mutate(pick, pick.choice(PATCHES)), pick.choice(DIALECTS)
    cuts = sorted(pick.randint(0, len(text)) for _ in range(pick.randrange(6)))

    def run() -> None:
        parser = PatchParser(dialect)
        for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
            parser.feed(text[start:end])
            _ = parser.operations
        outcomes: list[object] = []
        for read in (parser.close, lambda: parse(text, dialect)):
            try:
                outcomes.append(read())
            except PatchInvalidError as error:
                outcomes.append(error.problems)
        assert outcomes[0] == outcomes[1], "a stream and a whole text differ"

    return Call(run, len(text), (dialect, text, cuts))


def apply_patch(pick: Random) -> Call:
    """The texts that were passed in are never changed."""
    texts = {path: make_text(pick) for path in pick.sample(PATHS[:8], 3)}
    patch = mutate(pick, make_patch(pick, texts) if pick.random() < 0.8 else pick.choice(PATCHES))
    given = {
        path: text.encode("utf-8", "surrogatepass") if pick.random() < 0.3 else text for path, text in texts.items()
    }
    if pick.random() < 0.1:
        given["a"] = pick.randbytes(pick.randrange(200))
    dialect = pick.choice(DIALECTS)

    def run() -> None:
        before = dict(given)
        with suppress(PatchInvalidError, PatchRejectedError):
            apply_in_memory(patch, given, dialect=dialect)
        assert given == before, "the input was changed"

    return Call(run, len(patch) + sum(map(len, given.values())), (dialect, patch, given))


def replace_string(pick: Random) -> Call:
    """Whatever the old text is, only Suture's own exceptions."""
    text = make_text(pick, 60)
    at = pick.randint(0, len(text))
    old, new = mutate(pick, text[at : at + pick.randrange(200)]), mutate(pick, make_text(pick, 5))
    every = pick.random() < 0.3

    def run() -> None:
        with suppress(PatchRejectedError):
            replace(text, old, new, replace_all=every)

    return Call(run, len(text) + len(old) + len(new), (text, old, new, every))


def replace_exactly(pick: Random) -> Call:
    """An old text that occurs once is replaced there, and nothing else is."""
    text = make_text(pick, 60)
    at = pick.randint(0, len(text))
    old = text[at : at + pick.randint(1, 80)]
    new = f"{pick.choice(WORDS)} fresh{pick.randrange(10**9)}"

    def run() -> None:
        if text.find(old) == text.rfind(old) and old.strip() and "\r" not in text:
            assert replace(text, old, new).text == text.replace(old, new), "an exact edit went elsewhere"

    return Call(run, len(text), (text, old, new))


def update_exactly(pick: Random) -> Call:
    """A removed line that occurs once, whatever whitespace is ignored, is replaced there in every dialect."""
    lines = make_text(pick, 60).replace("\r\n", "\n").replace("\r", "\n").split("\n")[:-1]
    at = pick.randrange(len(lines) or 1)
    new, dialect = f"fresh{pick.randrange(10**9)}", pick.choice(DIALECTS)

    def run() -> None:
        # A line without letters and digits may not be distinctive enough.
        if lines and any(map(str.isalnum, lines[at])) and lines.count(lines[at]) == 1:
            hunk = Hunk((f"-{lines[at]}", f"+{new}"))
            text = "".join(line + "\n" for line in lines)
            after = "".join(line + "\n" for line in [*lines[:at], new, *lines[at + 1 :]])
            assert update(text, [hunk], dialect=dialect).text == after, "an exact hunk went elsewhere"

    return Call(run, sum(map(len, lines)), (dialect, lines, at, new))


def edit_several(pick: Random) -> Call:
    """All edits of a list or none, and no other exceptions."""
    text = make_text(pick, 40)
    edits = []
    for _ in range(pick.randint(0, 6)):
        at = pick.randint(0, len(text))
        old = mutate(pick, text[at : at + pick.randrange(60)])
        edits.append(
            StringEdit(old, mutate(pick, pick.choice((old, old + old, pick.choice(WORDS)))), pick.random() < 0.3)
        )

    def run() -> None:
        with suppress(PatchRejectedError):
            multiedit(text, edits)

    return Call(run, len(text) + sum(len(edit.old) + len(edit.new) for edit in edits), (text, edits))


def read_command(pick: Random) -> Call:
    """A command is a call of apply_patch, something else, or an error with our exception."""
    patch = pick.choice(PATCHES)
    script = mutate(
        pick, pick.choice(("{}", "cd d && apply_patch <<'EOF'\n{}\nEOF\n", "apply_patch '{}'")).format(patch)
    )
    argv = pick.choice((["apply_patch", script], ["bash", "-lc", script], [script], ["sh", "-c", script], []))

    def run() -> None:
        with suppress(PatchInvalidError):
            parse_invocation(argv, "/here")

    return Call(run, len(script), argv)


def _fill(pick: Random, site: Site) -> dict[str, str]:
    texts = {}
    for path in pick.sample(("a", "b", "d/e", "d/f/g", "x.py"), 3):
        texts[path] = make_text(pick)
        site.put(path, texts[path].encode("utf-8", "surrogatepass"))
    if pick.random() < 0.3:
        site.put("bin", pick.randbytes(50))
    if pick.random() < 0.3:
        site.link("c", pick.choice(("a", "d", "nowhere", "../out")))
    return texts


_TOOLS: dict[str, dict[str, object]] = {
    "read": {"filePath": "a", "offset": 0, "limit": 10},
    "write": {"filePath": "a", "content": "x\n"},
    "edit": {"filePath": "a", "oldString": "x", "newString": "y", "replaceAll": False},
    "multiedit": {"filePath": "a", "edits": [{"oldString": "x", "newString": "y"}]},
    "apply_patch": {"patchText": "", "expectedSha256ByPath": {"a": ""}, "atomic": True, "dryRun": False},
    "delete": {"filePath": "a"},
    "move": {"filePath": "a", "toPath": "b"},
    "insert": {"filePath": "a", "content": "x\n", "line": 1},
    "glob": {"pattern": "**/*", "path": "d"},
    "undo": {},
    "history": {"filePath": "a", "limit": 3},
}


def call_tools(pick: Random) -> Call:
    """A tool always answers with text and data that JSON can hold, and a refused call changes nothing."""
    site = Site("memory", Path("/"))
    texts = _fill(pick, site)
    calls: list[tuple[str, object]] = []
    for _ in range(pick.randint(1, 4)):
        name = pick.choice((*_TOOLS, *_TOOLS, mutate(pick, "edit")))
        path = pick.choice(list(texts))
        arguments = {key: path if key == "filePath" else value for key, value in _TOOLS.get(name, {}).items()}
        if name == "apply_patch":
            arguments = {"patchText": mutate(pick, make_patch(pick, texts))}
        if name == "edit":
            arguments["oldString"] = pick.choice((texts[path].split("\n")[0], texts[path], "x"))
        mutated = mutate_json(pick, arguments) if pick.random() < 0.7 else arguments
        calls.append((name, mutated if pick.random() < 0.8 else dumps(pick, mutated)))

    async def work() -> None:
        session = Session(
            site.workspace,
            profile="all",
            rules=[Rule("*", "*", "allow")],
            reads={name: "off" for name in _TOOLS if name not in {"read", "glob", "history"}},
        )
        for name, arguments in calls:
            before = site.tree()
            result = await session.call(name, arguments)  # type: ignore[arg-type] # what a model sends can be anything
            json.dumps(result.metadata)
            result.output.encode()
            result.title.encode()
            whole = not (isinstance(arguments, dict) and "atomic" in arguments) and not isinstance(arguments, str)
            if result.is_error and whole:
                assert site.tree() == before, "a refused call changed something"
        await session.close()

    return Call(lambda: asyncio.run(work()), len(repr(calls)) + sum(map(len, texts.values())), (calls, site.tree()))


def commit_stored_plan(pick: Random) -> Call:
    """A plan that was changed on its way is refused, or is committed as a whole and can be undone."""
    site = Site("memory", Path("/"))
    texts = _fill(pick, site)
    try:
        plan = site.workspace.plan(make_patch(pick, texts), dialect=pick.choice(DIALECTS))
    except PatchInvalidError:
        plan = site.workspace.plan(f"*** Begin Patch\n*** Delete File: {next(iter(texts))}\n*** End Patch\n")
    text = dumps(pick, mutate_json(pick, json.loads(plan.to_json())))

    def run() -> None:
        before = site.tree()
        try:
            stored = Plan.from_json(text)
        except ValueError:
            return
        try:
            receipt = site.workspace.commit(stored)
        except SutureError:
            assert site.tree() == before, "a refused plan changed something"
            return
        site.workspace.undo(receipt.id)
        assert site.tree() == before, "undo did not restore the tree"

    return Call(run, len(text), (text, site.tree()))


def change_tree(pick: Random) -> Call:
    """A patch is applied as planned or changes nothing, and undo restores every byte; on a real disk."""
    folder = Path(tempfile.mkdtemp(dir=SWIFT))
    site = Site("disk", folder)
    texts = _fill(pick, site)
    patches = [make_patch(pick, texts) for _ in range(pick.randint(1, 3))]
    patches = [mutate(pick, patch) if pick.random() < 0.4 else patch for patch in patches]
    dialect = pick.choice(DIALECTS[:3])
    start = site.tree()

    def run() -> None:
        try:
            done = []
            for patch in patches:
                before = site.tree()
                try:
                    plan = site.workspace.plan(patch, dialect=dialect)
                    receipt = site.workspace.commit(plan)
                except SutureError:
                    assert site.tree() == before, "a refused patch changed something"
                    continue
                done.append((receipt.id, before))
                after = site.tree()
                for file in plan.files:
                    text = (file.content_after or b"").decode("latin-1")
                    kept = file.after.kind != "file" or after.get(site_path(site, file.path)) == text
                    assert kept, f"{file.path} is not as planned"
            for commit, before in reversed(done):
                site.workspace.undo(commit)
                assert site.tree() == before, "undo did not restore the tree"
        finally:
            site.workspace.close()
            shutil.rmtree(folder)

    return Call(run, sum(map(len, patches)) + sum(map(len, texts.values())), (dialect, patches, start))


def match_patterns(pick: Random) -> Call:
    """Globs, patterns of models and lines of `.gitignore` match what a slow matcher says; long ones take no time."""
    patterns = [make_pattern(pick) for _ in range(pick.randint(1, 4))]
    path = make_path(pick)
    is_long = pick.random() < 0.2
    if is_long:
        patterns = [
            (pattern + pick.choice(("*a", "a*?", "**/", "[a-b]*"))) * pick.randint(10, 60) for pattern in patterns
        ]
        path = "/".join(["a" * pick.randint(1, 200)] * pick.randint(1, 20))

    def run() -> None:
        numbers = Globs(patterns, below=True).matching_numbers(path)
        ignored = IgnoreRules().and_also(IgnoreFile("\n".join(patterns).encode("utf-8", "surrogatepass")))
        ignored.ignores(path.rpartition("/")[2], is_folder=False)
        for number, pattern in enumerate(patterns):
            with suppress(PatchRejectedError):
                PathPattern(pattern).matches(path)
            tokens = shell_tokens(pattern)
            if is_long:
                continue
            globs = [glob_tokens(pattern), [*glob_tokens(pattern), "/", REST]]
            expected = any(slow_match(glob, fold(path)) for glob in globs)
            assert (number in numbers) == expected, f"the glob {pattern!r} is matched wrongly"
            if tokens is not None:
                found = GlobAutomaton([tokens]).matches(path)
                assert bool(found) == slow_match(tokens, path), f"the pattern {pattern!r} is matched wrongly"

    return Call(run, len(path) + sum(map(len, patterns)), (patterns, path))


_SETTINGS = (
    'dialect = "codex"\nallow = ["src/**"]\ndeny = ["*.pem", "a/**/b"]\ndurability = "process"\n',
    '[[rules]]\npermission = "edit"\nglob = "src/**"\naction = "deny"\n',
    '[[rules]]\npermission = "edit"\nglob = "~/src"\naction = "deny"\n',
    '[encodings]\n"*.txt" = "latin-1"\n[limits]\nmax_size = 100\nlock_timeout = 1.5\n',
    '[[formatters]]\nglob = "*.py"\ncommand = ["black", "-"]\ntimeout = 2\n[diagnostics]\nlanguage_servers = true\n',
    '[tool.suture]\ndeny = ["x"]\n[project]\nname = "suture"\n',
)
_SETTING_PIECES = (
    "deny = [", "[" * 50, "a." * 3000, "9" * 5000, "0x" + "f" * 5000, "{a = " * 60, "]" * 9, '"', "'''", "= inf",
    "= nan", '"~/x"', "[[rules]]\n", "[limits]\n", "1979-05-27", "\\u0000", "\0", "\ud800", "= -1", "= true",
    '"*" = 1', "#", "\n" * 500,
)  # fmt: skip


def read_settings(pick: Random) -> Call:
    """A file with settings is read, or refused with problems that say where; then what was read can be used."""
    text = "".join(pick.sample(_SETTINGS, pick.randint(1, 3)))
    for _ in range(pick.randrange(4)):
        at = pick.randint(0, len(text))
        text = text[:at] + pick.choice(_SETTING_PIECES) + text[at + pick.choice((0, 0, 1, 5)) :]
    text = mutate(pick, text) if pick.random() < 0.3 else text
    content = text.encode("utf-8", "surrogatepass")
    name = pick.choice((".suture.toml", "pyproject.toml"))

    def run() -> None:
        folder = Path(tempfile.mkdtemp(dir=SWIFT))
        problems: Sequence[Problem] = ()
        try:
            (folder / name).write_bytes(content)
            read = load(str(folder), upward=False, trusted=True)
            Workspace(MemoryFiles({"a": ""}), **read.workspace_settings()).guard()
            Rules(read.rules).verdict("edit", "src/a")
        except PatchInvalidError as error:
            problems = error.problems
        finally:
            shutil.rmtree(folder)
        assert all(problem.path and len(problem.message) < 2000 for problem in problems), problems

    return Call(run, len(content), (name, content))


def site_path(site: Site, path: str) -> str:
    return path.removeprefix(site.root).lstrip("/")


def show_request(pick: Random) -> Call:
    """No surface hides a character from a person, and none approves what it has not shown."""
    run, request = check_request(pick)
    return Call(run, len(request.to_json()), request)


def _as_call(target: Callable[[Random], tuple[Callable[[], None], int, object]]) -> Callable[[Random], Call]:
    """A target of the forms, which knows nothing of `Call`."""

    @wraps(target)
    def make(pick: Random) -> Call:
        return Call(*target(pick))

    return make


TARGETS: dict[str, Callable[[Random], Call]] = {
    target.__name__: target
    for target in (
        parse_patch,
        apply_patch,
        replace_string,
        replace_exactly,
        update_exactly,
        edit_several,
        read_command,
        call_tools,
        commit_stored_plan,
        change_tree,
        match_patterns,
        read_settings,
        show_request,
        *(
            _as_call(target)
            for target in (read_forms, read_anchors, place_sketches, change_notebooks, edit_notebooks, merge_settings)
        ),
    )
}
