"""Invocations as properties: a patch comes back from every form, and no argv raises anything but our exceptions."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, strategies as st
from tests.property.strategies import DIALECT_NAMES, attempt, each_dialect, examples, patch_texts, patches

from suture import DIALECTS, PatchInvalidError, SutureError, Workspace, render
from suture.format import Invocation, parse_invocation
from suture.format.shell_grammar import read_script
from suture.workspace import MemoryFiles, verify_invocation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _escaped(text: str, characters: str) -> str:
    return "".join("\\" + c if c in characters else c for c in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _in_double_quotes(text: str) -> str:
    return '"' + _escaped(text, '\\$`"') + '"'


def _tabbed(text: str) -> str:
    return "".join("\t\t" + line + "\n" for line in text.split("\n")[:-1])


def _script(form: Callable[[str], str]) -> Callable[[str], list[str]]:
    return lambda text: ["bash", "-lc", form(text)]


#: Each accepted form, as a careful model would write it; none of the patches has the word that closes a heredoc.
FORMS: dict[str, Callable[[str], list[str]]] = {
    "argv": lambda text: ["apply_patch", text],
    "the other name": lambda text: ["applypatch", text],
    "heredoc": _script(lambda text: f"apply_patch <<'E-O-F'\n{text}E-O-F\n"),
    "heredoc in double quotes": _script(lambda text: f'apply_patch <<"E-O-F"\n{text}E-O-F'),
    "heredoc with a bare word": _script(lambda text: "apply_patch <<E-O-F\n" + _escaped(text, "\\$`") + "E-O-F\n"),
    "heredoc in a folder": _script(lambda text: f"cd 'a b' && apply_patch <<'E-O-F'\n{text}E-O-F\n"),
    "stripped heredoc": _script(lambda text: f"apply_patch <<-'E-O-F'\n{_tabbed(text)}\tE-O-F\n"),
    "meant as a heredoc": _script(lambda text: f"apply_patch <<<'E_O_F'\n{text}E_O_F"),
    "argument": _script(lambda text: f"apply_patch {_quoted(text)}"),
    "argument in double quotes": _script(lambda text: f"apply_patch {_in_double_quotes(text)}\n"),
    "here-string": _script(lambda text: f"apply_patch <<<{_quoted(text[:-1])}"),
    "here-string in double quotes": _script(lambda text: f"cd sub && apply_patch <<< {_in_double_quotes(text[:-1])}"),
}


@examples(200)
@given(st.data())
def test_a_patch_comes_back_from_every_form(data: st.DataObject) -> None:
    dialect = data.draw(each_dialect)
    patch = data.draw(patches(dialect))
    text = render(patch, dialect)
    assume("\0" not in text)  # nobody can hand it to a shell
    plain = not any((ord(c) < 32 and c not in "\n\t") or c == "\x7f" for c in text)
    for form, argv in FORMS.items():
        if not plain and ("bare" in form or "double quotes" in form) and form != "heredoc in double quotes":
            continue  # shells do not pass on every control character there
        folder = {"heredoc in a folder": "/w/a b", "here-string in double quotes": "/w/sub"}.get(form, "/w")
        assert parse_invocation(argv(text), "/w", dialect=dialect) == Invocation(
            patch, text, folder, DIALECTS[dialect]
        ), form


#: Pieces of scripts: what a shell does something with, and what it does nothing with.
_PIECES = (
    *(
        "apply_patch ",
        "applypatch",
        " ",
        "\t",
        "\n",
        "\\\n",
        "\\",
        "'",
        '"',
        "<<",
        "<<<",
        "<<-",
        "-",
        "EOF",
        "'EOF'",
        '"EOF"',
    ),
    *(
        "cd ",
        "cd sub && ",
        "sub",
        "&&",
        "&",
        "|",
        ";",
        "#",
        "$",
        "`",
        "$x",
        "$(x)",
        "*** Begin Patch\n",
        "*** End Patch\n",
    ),
    *(
        "+a b\n",
        "rm x",
        "~",
        "*",
        "{",
        "}",
        "(",
        ")",
        "=",
        "!",
        "\r",
        "\v",
        "0",
        "E\\\nOF",
        ">",
        "\\$",
        "$/",
        "$ ",
        "\nEOF\n",
    ),
)
_BASES = (
    "apply_patch <<'EOF'\n*** Begin Patch\n+a\n*** End Patch\nEOF\n",
    "apply_patch <<EOF\n*** Begin Patch\n+a\n*** End Patch\nEOF",
    "cd sub && apply_patch <<-EOF\n\t*** Begin Patch\n\t+a\n\tEOF",
    "apply_patch 'a b\nc'",
    'apply_patch "a b\nc"',
    "cd 'sub' && apply_patch <<< \"x y\"\n",
    '# c\napply_patch <<"EOF" # x\nbody\nEOF\n# c\n',
)


@st.composite
def scripts(draw: st.DrawFn) -> str:
    """A script that is apply_patch, or was before pieces were put into it, or was never."""
    script = draw(st.sampled_from(("", *_BASES)))
    for _ in range(draw(st.integers(0, 6))):
        at, end = (draw(st.integers(0, len(script))) for _ in range(2))
        if draw(st.booleans()):
            end = at
        script = script[:at] + draw(st.sampled_from(_PIECES)) + script[max(at, min(end, at + 3)) :]
    return script


argvs = st.one_of(
    st.lists(st.one_of(st.text(max_size=8), patch_texts, scripts()), max_size=4),
    st.tuples(st.sampled_from(["apply_patch", "applypatch"]), patch_texts).map(list),
    st.tuples(
        st.sampled_from(["bash", "zsh", "/bin/sh"]), st.sampled_from(["-c", "-lc"]), st.one_of(scripts(), patch_texts)
    ).map(list),
)


@examples(300)
@given(argvs, st.sampled_from(["/", "", "sub", "/nowhere", "..", "\0", "a\udc80"]), st.sampled_from(DIALECT_NAMES))
def test_nothing_but_our_exceptions_is_raised(argv: list[str], cwd: str, dialect: str) -> None:
    """SPEC §12: "No input hangs or crashes it." """
    parsed = attempt(lambda: parse_invocation(argv, cwd, dialect=dialect))
    workspace = Workspace(MemoryFiles({"c.txt": "a\n", "sub/x": "x\n"}))
    planned = attempt(lambda: verify_invocation(argv, cwd, workspace, dialect=dialect))
    if parsed is None or isinstance(parsed, PatchInvalidError):
        assert type(planned) is type(parsed)
    else:
        assert planned is not None
    if isinstance(parsed, SutureError):
        assert parsed.for_model()


_RECORDER = """#!{bash}
IFS= read -r -d '' input
printf '%s\\0' "$PWD" "$input" "$#" "$@" >>"$RECORD"
"""


@pytest.mark.slow
@given(scripts())
def test_a_shell_hands_over_what_we_read(tmp_path_factory: pytest.TempPathFactory, script: str) -> None:
    """What no shell reads so is refused, or is not apply_patch: bash and dash are asked about all that is accepted."""
    handed = attempt(lambda: read_script(script))
    assume(handed is not None and not isinstance(handed, SutureError))
    assert handed is not None
    assert not isinstance(handed, SutureError)
    bash = shutil.which("bash")
    if bash is None or (handed.text.startswith("*** Begin Patch") and "<<<" in script):
        return
    here = tmp_path_factory.mktemp("here", numbered=True)
    folder = os.path.normpath(here / "work" / handed.folder)
    assume(folder.startswith(str(here)))
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - the folder may be spelt in any way
    for name in ("apply_patch", "applypatch", "rm", "x"):
        (here / name).write_text(_RECORDER.format(bash=bash))
        (here / name).chmod(0o755)
    for shell in (bash, shutil.which("dash")):
        if shell is not None and (shell == bash or "<<<" not in script):
            expected = ([folder, handed.text, "0"], [folder, "", "1", handed.text])
            assert _calls(shell, script, here) in expected


def _calls(shell: str, script: str, here: Path) -> list[str]:
    record = here / "record"
    record.write_bytes(b"")
    done = subprocess.run(
        [shell, "-c", script],
        cwd=here / "work",
        env={"PATH": str(here), "RECORD": str(record), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return os.fsdecode(record.read_bytes()).split("\0")[:-1]
