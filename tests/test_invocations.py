"""`apply_patch` inside argv and shell scripts: what is one, what is not, what is refused; and bash as the judge.

Every script that is accepted is also run, by each shell that is here, in a folder of its own with nothing in PATH but
programs that write down how they were called. What the shell hands over must be what we read.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from suture import AddFile, Patch, PatchInvalidError, PatchRejectedError, SutureError, Workspace, parse
from suture.core.problems import PEER_NAMES
from suture.format import Invocation, parse_invocation
from suture.workspace import MemoryFiles, verify_invocation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CWD = "/work space"
PATCH = "*** Begin Patch\n*** Add File: hi.txt\n+hi\n*** End Patch\n"
WANTED = Patch((AddFile("hi.txt", "hi\n"),))
#: What every shell would change if it could: all that is not quoted for it has to arrive as it is.
NASTY = r"""*** Begin Patch
*** Add File: $HOME/`x`.sh
+echo "$(date)" '${x:-`y`}' \\ \$ \` \" \n !! # ~ *
+	end \
+EOF EOF
*** End Patch
"""


def heredoc(opening: str, body: str = PATCH, closing: str = "EOF") -> str:
    return f"{opening}\n{body}{closing}"


def tabbed(text: str) -> str:
    return "".join("\t" + line for line in text.splitlines(keepends=True))


def quoted(text: str) -> str:
    """As `shlex.quote` does it: an apostrophe is four characters."""
    return "'" + text.replace("'", "'\\''") + "'"


def escaped(text: str, characters: str) -> str:
    return "".join("\\" + c if c in characters else c for c in text)


def added(lines: str) -> str:
    """The patch with other lines; only the first of them has no `+`."""
    return PATCH.replace("+hi\n", f"+{lines}\n")


IN_APOSTROPHES, IN_QUOTES = "apply_patch '{}'", 'apply_patch "{}"'
DOLLARS = "$ $/ $. $) $, $: $; $] $} $| $% $& $< $> $' $\"\ta$"


class Script(NamedTuple):
    """A script that is apply_patch: the text that it hands over, and the folder that it goes to."""

    script: str
    text: str = PATCH
    folder: str = ""


HERE = heredoc("apply_patch <<'EOF'")

#: Scripts that are apply_patch and nothing else, as each shell reads them.
ACCEPTED = {
    # Heredocs.
    "single quotes": Script(HERE),
    "single quotes, nasty": Script(heredoc("apply_patch <<'EOF'", NASTY), NASTY),
    "double quotes": Script(heredoc('apply_patch <<"EOF"', NASTY), NASTY),
    "escaped word": Script(heredoc(r"apply_patch <<\EOF", NASTY), NASTY),
    "word that is quoted in part": Script(heredoc("apply_patch <<E'O'F", NASTY), NASTY),
    "word with blanks": Script(heredoc("apply_patch <<'END OF IT'", NASTY, "END OF IT"), NASTY),
    "word with a dash": Script(heredoc("apply_patch << '-EOF'", NASTY, "-EOF"), NASTY),
    "word in another script": Script(heredoc("apply_patch <<'КОНЕЦ'", NASTY, "КОНЕЦ"), NASTY),
    "word with signs": Script(heredoc("apply_patch <<'*** !'", NASTY, "*** !"), NASTY),
    "bare word": Script(heredoc("apply_patch <<EOF")),
    "bare word with signs": Script(heredoc("apply_patch <<_E.O-F", closing="_E.O-F")),
    "bare word, escapes": Script(heredoc("apply_patch <<EOF", escaped(NASTY, "\\$`")), NASTY),
    "bare word, backslash and newline": Script(
        heredoc("apply_patch <<EOF", added("h\\\ni \\\\\n+j")), added("hi \\\n+j")
    ),
    "bare word, backslashes that stay": Script(
        heredoc("apply_patch <<EOF", added('\\n \\" \\a \\ ')), added('\\n \\" \\a \\ ')
    ),
    "bare word, dollars that stay": Script(heredoc("apply_patch <<EOF", added(DOLLARS)), added(DOLLARS)),
    "tabs stripped": Script(heredoc("apply_patch <<-'EOF'", tabbed(PATCH), "\tEOF")),
    "tabs stripped, bare word": Script(heredoc("apply_patch <<-EOF", tabbed(PATCH), "\t\tEOF")),
    "tabs stripped, word at the margin": Script(heredoc('apply_patch <<-"EOF"', tabbed(PATCH))),
    "tabs not stripped": Script(heredoc("apply_patch <<'EOF'", added("\thi\n+\tEOF")), added("\thi\n+\tEOF")),
    "blanks before the word": Script(heredoc("apply_patch   <<  'EOF'")),
    "blanks before the word, stripped": Script(heredoc("apply_patch <<- 'EOF'")),
    "blanks behind the word": Script(heredoc("apply_patch <<'EOF' \t ")),
    "no blanks": Script(heredoc("apply_patch<<'EOF'")),
    "the other name": Script(heredoc("applypatch <<'EOF'")),
    "newlines around": Script("\n\n" + HERE + "\n\n  \n"),
    "blanks around": Script(" \t" + HERE + "\n \t"),
    "line continued": Script(heredoc("apply_patch \\\n  <<'EOF'")),
    "line continued twice": Script(heredoc("apply_patch \\\n\\\n<<'EOF'")),
    "comments around": Script("# first\n  # apply_patch; rm x\n" + HERE + "\n# rm x\n#"),
    "comment behind the word": Script(heredoc("apply_patch <<'EOF' # EOF; rm x")),
    "word in the body": Script(heredoc("apply_patch <<'EOF'", added(" EOF \n+EOF")), added(" EOF \n+EOF")),
    "CRLF": Script(HERE.replace("\n", "\r\n") + "\r\n", PATCH.replace("\n", "\r\n")),
    # Arguments.
    "argument in single quotes": Script(f"apply_patch '{PATCH}'"),
    "argument in single quotes, nasty": Script(f"apply_patch {quoted(NASTY)}", NASTY),
    "argument in double quotes": Script(f'apply_patch "{PATCH}"'),
    "argument in double quotes, escapes": Script('apply_patch "' + escaped(NASTY, '"\\$`') + '"', NASTY),
    "argument in double quotes, backslash and newline": Script(
        'apply_patch "' + added("h\\\ni\\n $ \\'") + '"', added("hi\\n $ \\'")
    ),
    "argument in both quotes": Script("apply_patch '" + added("it'\"'\"'s") + "'", added("it's")),
    "argument in parts": Script(
        "apply_patch '*** Begin Patch'\"\n\"'*** Delete File: a'\\\n\\ x.b'\n''*** End Patch'\\\n",
        "*** Begin Patch\n*** Delete File: a x.b\n*** End Patch",
    ),
    "argument and newlines": Script(f"\napply_patch \t'{PATCH}'\n\n"),
    "argument and a comment": Script(f"apply_patch '{PATCH}' # done"),
    "argument on the next line": Script(f"apply_patch \\\n '{PATCH}'"),
    # Here-strings.
    "here-string in single quotes": Script(f"apply_patch <<<'{PATCH}'", PATCH + "\n"),
    "here-string with a blank": Script(f"apply_patch <<< '{PATCH.rstrip()}'"),
    "here-string in double quotes": Script(f'apply_patch <<<"{PATCH.rstrip()}"'),
    "here-string, nasty": Script(f"apply_patch <<<{quoted(NASTY)}", NASTY + "\n"),
    "here-string without blanks": Script(f"applypatch<<<'{PATCH.rstrip()}'\n"),
    # Folders.
    "folder": Script(f"cd sub && {HERE}", folder="sub"),
    "folder, no blanks": Script(f"cd sub&&{HERE}", folder="sub"),
    "folder in single quotes": Script(f"cd 'my $folder' && {HERE}", folder="my $folder"),
    "folder in double quotes": Script(f'cd "my folder" && {HERE}', folder="my folder"),
    "folder in double quotes, escapes": Script(f'cd "a\\"b\\$c" && {HERE}', folder='a"b$c'),
    "folder with an escape": Script(f"cd my\\ folder && {HERE}", folder="my folder"),
    "folder in parts": Script(f"cd a/'b c'/\"d\"e && {HERE}", folder="a/b c/de"),
    "folder with a slash": Script(f"cd sub/ && {HERE}", folder="sub"),
    "folder with dots": Script(f"cd ./sub/../sub/. && {HERE}", folder="sub"),
    "folder with signs": Script(f"cd a-b_c.d,e:f@g%h+i && {HERE}", folder="a-b_c.d,e:f@g%h+i"),
    "folder in another script": Script(f"cd größe/日本 && {HERE}", folder="größe/日本"),
    "folder here": Script(f"cd . && {HERE}"),
    "folder, next line": Script(f"cd sub &&\n\n  # now\n  {HERE}", folder="sub"),
    "folder, line continued": Script(f"cd sub \\\n && {HERE}", folder="sub"),
    "folder and argument": Script(f"cd sub && apply_patch '{PATCH}'", folder="sub"),
    "folder and here-string": Script(f"cd sub && apply_patch <<<'{PATCH.rstrip()}'", folder="sub"),
    "folder and bare word": Script("cd sub && " + heredoc("apply_patch <<EOF"), folder="sub"),
    "folder and tabs": Script("\tcd 'sub' &&\t" + heredoc("applypatch <<-'EOF'", tabbed(PATCH), "\tEOF"), folder="sub"),
}

#: What no shell reads so, and every model means so: seed 001, "Heredoc".
MEANT = {
    "seed 001": "apply_patch <<<'PATCH'\n{}PATCH",
    "double quotes": 'apply_patch <<<"PATCH"\n{}PATCH\n',
    "bare word": "apply_patch <<<PATCH\n{}PATCH",
    "folder": "cd sub && apply_patch <<< 'EOF'\n{}EOF\n\n",
}

#: Scripts that are something else, or more.
OTHER = {
    "nothing": "",
    "blank": " \n\t",
    "a comment": "# apply_patch",
    "another command": "ls -l",
    "the command alone": "apply_patch",
    "the command and a newline": "apply_patch\n" + PATCH,
    "bare argument": "apply_patch fix.patch",
    "an option": "apply_patch --help",
    "name with more": heredoc("apply_patch2 <<'EOF'"),
    "name with a dash": heredoc("apply_patch-x <<'EOF'"),
    "name in quotes": heredoc("'apply_patch' <<'EOF'"),
    "name with a backslash": heredoc("\\apply_patch <<'EOF'"),
    "name by its path": heredoc("/usr/bin/apply_patch <<'EOF'"),
    "name that goes on in the next line": heredoc("apply_patch\\\n_x <<'EOF'"),
    "name glued to its argument": f"apply_patch'{PATCH}'",
    "argument and heredoc": heredoc("apply_patch x <<'EOF'"),
    "argument behind the heredoc": heredoc("apply_patch <<'EOF' x"),
    "two arguments": f"apply_patch '{PATCH}' 'x'",
    "two heredocs": heredoc("apply_patch <<'A' <<'EOF'"),
    "heredoc in front": heredoc("<<'EOF' apply_patch"),
    "heredoc of another descriptor": heredoc("apply_patch 3<<'EOF'"),
    "heredoc of the same descriptor": heredoc("apply_patch 0<<'EOF'"),
    "heredoc without a word": heredoc("apply_patch <<"),
    "heredoc with an empty word": heredoc("apply_patch <<''", closing=""),
    "heredoc with a parameter for its word": heredoc("apply_patch <<$EOF", closing="$EOF"),
    "heredoc that never begins": "apply_patch <<'EOF'",
    "heredoc of a word in two lines": heredoc("apply_patch <<E\\\nOF"),
    "operator in two lines": heredoc("apply_patch <<\\\n-EOF"),
    "pipe in": heredoc("cat <<'EOF' | apply_patch"),
    "pipe in of a file": "cat fix.patch | apply_patch",
    "pipe out": heredoc("apply_patch <<'EOF' | tee log"),
    "pipe out of an argument": f"apply_patch '{PATCH}' | tee log",
    "redirect in": "apply_patch < fix.patch",
    "redirect out": heredoc("apply_patch <<'EOF' > log"),
    "redirect out in front": heredoc("apply_patch > log <<'EOF'"),
    "redirect of errors": heredoc("apply_patch <<'EOF' 2>&1"),
    "redirect of an argument": f"apply_patch '{PATCH}' >log",
    "second command behind &&": heredoc("apply_patch <<'EOF' && rm x"),
    "second command behind ||": heredoc("apply_patch <<'EOF' || rm x"),
    "second command behind ;": heredoc("apply_patch <<'EOF'; rm x"),
    "second command below": HERE + "\nrm x",
    "second command below && and below": HERE + "\n&& rm x",
    "second command glued to the end": HERE + "; rm x\nEOF\nrm x",
    "second command below an argument": f"apply_patch '{PATCH}'\nrm x",
    "second command below a comment": HERE + "\n# rm x\nrm x",
    "second apply_patch": HERE + "\n" + HERE,
    "semicolon": f"apply_patch '{PATCH}';",
    "semicolon behind the heredoc": heredoc("apply_patch <<'EOF';"),
    "background": f"apply_patch '{PATCH}' &",
    "background heredoc": heredoc("apply_patch <<'EOF' &"),
    "command in front": f"set -e\n{HERE}",
    "command in front and ;": f"echo a; {HERE}",
    "command in front and &&": f"git stash && {HERE}",
    "assignment": f"LD_PRELOAD=./x.so {HERE}",
    "assignment above": f"x=1\n{HERE}",
    "env": f"env {HERE}",
    "sudo": f"sudo {HERE}",
    "command": f"command {HERE}",
    "exec": f"exec {HERE}",
    "time": f"time {HERE}",
    "not": f"! {HERE}",
    "subshell": f"({HERE}\n)",
    "group": "{ " + HERE + "\n}",
    "if": f"if true; then {HERE}\nfi",
    "function": "f() { " + HERE + "\n}",
    "substitution as the argument": 'apply_patch "$(cat fix.patch)"',
    "parameter as the argument": 'apply_patch "$PATCH"',
    "bare parameter as the argument": "apply_patch $PATCH",
    "backquotes as the argument": "apply_patch `cat fix.patch`",
    "escapes of C": f"apply_patch $'{PATCH}'",
    "process substitution": "apply_patch <(cat fix.patch)",
    "substitution as the heredoc": heredoc("apply_patch <<EOF", "$(cat fix.patch)\n"),
    "parameter as the heredoc": heredoc("apply_patch <<EOF", "$PATCH\n"),
    "parameter as the here-string": 'apply_patch <<<"$PATCH"',
    "glob as the argument": "apply_patch *.patch",
    "quote that never closes": "apply_patch 'x",
    "double quote that never closes": 'apply_patch "x',
    "backslash at the end": "apply_patch x\\",
    "comment glued to a word": f"apply_patch '{PATCH}'#x",
    "folder and ;": f"cd sub; {HERE}",
    "folder and ||": f"cd sub || {HERE}",
    "folder and a pipe": f"cd sub | {HERE}",
    "folder and &": f"cd sub & {HERE}",
    "folder and newline": f"cd sub\n{HERE}",
    "two folders": f"cd a && cd b && {HERE}",
    "two words of a folder": f"cd a b && {HERE}",
    "no folder": f"cd && {HERE}",
    "empty folder": f"cd '' && {HERE}",
    "folder before": f"cd - && {HERE}",
    "option of cd": f"cd -P sub && {HERE}",
    "option of cd in quotes": f"cd '-P' && {HERE}",
    "options of cd ended": f"cd -- sub && {HERE}",
    "folder of the stack": f"cd +1 && {HERE}",
    "folder at home": f"cd ~/sub && {HERE}",
    "folder of a parameter": f"cd $HOME && {HERE}",
    "folder of a quoted parameter": f'cd "$HOME/x" && {HERE}',
    "folder of a substitution": f"cd $(git rev-parse --show-toplevel) && {HERE}",
    "folder of a quoted substitution": f'cd "`pwd`" && {HERE}',
    "folder by a glob": f"cd s* && {HERE}",
    "folder in braces": f"cd {{a,b}} && {HERE}",
    "folder of zsh": f"cd =ls && {HERE}",
    "folder and a redirect": f"cd sub >log && {HERE}",
    "folder and more behind": f"cd sub && {HERE}\nrm x",
    "pushd": f"pushd sub && {HERE}",
    "cd glued to its folder": f"cd'sub' && {HERE}",
    "NUL": HERE + "\0",
    "form feed": "\f" + HERE,
    "BOM": "\ufeff" + HERE,
    "heredoc with SOH in its word, which bash never closes": heredoc("apply_patch <<'E\x01F'", PATCH, "E\x01F"),
    "heredoc with DEL in its word": heredoc("apply_patch <<'E\x7fF'", PATCH, "E\x7fF"),
    "no-break space": heredoc("apply_patch\u00a0<<'EOF'"),
    "CRLF and more": heredoc("apply_patch <<'EOF'\r", PATCH, "EOF\r\n\r\n"),
    "here-string and commands": "apply_patch <<<'PATCH'\nrm x\nPATCH",
    "here-string, patch and commands": f"apply_patch <<<'PATCH'\n{PATCH}rm x\nPATCH",
    "here-string, patch, word and commands": f"apply_patch <<<'PATCH'\n{PATCH}PATCH\nrm x",
    "here-string, word in two parts, and commands": f"apply_patch <<<'PATCH' x\n{PATCH}PATCH",
}

#: Scripts that are apply_patch, but what it would get is not what is written, or can't be known. By their reason.
REFUSED = {
    "parameter in a heredoc": ("expansion", heredoc("apply_patch <<EOF", added("$HOME"))),
    "braced parameter in a heredoc": ("expansion", heredoc("apply_patch <<EOF", added("${x}"))),
    "substitution in a heredoc": ("expansion", heredoc("apply_patch <<EOF", added("$(rm x)"))),
    "arithmetic in a heredoc": ("expansion", heredoc("apply_patch <<EOF", added("$((1+1))"))),
    "old arithmetic in a heredoc": ("expansion", heredoc("apply_patch <<EOF", added("$[1+1]"))),
    "backquotes in a heredoc": ("expansion", heredoc("apply_patch <<EOF", added("`rm x`"))),
    "special parameter in a heredoc": ("expansion", heredoc("apply_patch <<EOF", added("$$ $? $# $@"))),
    "flag of zsh in a heredoc": ("expansion", heredoc("apply_patch <<EOF", added("$+x $^ $= $~"))),
    "parameter in a path": ("expansion", heredoc("apply_patch <<EOF", PATCH.replace("hi.txt", "$x.txt"))),
    "parameter behind an escaped backslash": ("expansion", heredoc("apply_patch <<EOF", added("\\\\$x"))),
    "parameter in a stripped heredoc": ("expansion", heredoc("apply_patch <<-EOF", added("$x"))),
    "backslash before the end": ("expansion", heredoc("apply_patch <<EOF", PATCH[:-1] + "\\\nEOF\n" + PATCH)),
    "backslash inside the end": ("expansion", heredoc("apply_patch <<EOF", PATCH + "EO\\\nF\n")),
    "backslash and tabs": ("expansion", heredoc("apply_patch <<-EOF", added("h\\\n\ti"))),
    "DEL behind a backslash, which bash loses": ("expansion", heredoc("apply_patch <<EOF", added("a\\\x7fb"))),
    "DEL behind a backslash in a here-string": (
        "expansion",
        IN_QUOTES.format(added("a\\\x7f")).replace(' "', ' <<<"', 1),
    ),
    "parameter in double quotes": ("expansion", IN_QUOTES.format(added("$x"))),
    "substitution in double quotes": ("expansion", IN_QUOTES.format(added("$(rm x)"))),
    "backquotes in double quotes": ("expansion", IN_QUOTES.format(added("`rm x`"))),
    "parameter between quotes": ("expansion", IN_APOSTROPHES.format(added("'$x'"))),
    "parameter in a here-string": ("expansion", IN_QUOTES.format(added("$x")).replace(' "', ' <<<"', 1)),
    "parameter in what is meant as a heredoc": ("expansion", f"apply_patch <<<EOF\n{added('$x')}EOF"),
    "parameter, in a folder": ("expansion", "cd sub && " + heredoc("apply_patch <<EOF", added("$x"))),
    "heredoc that never closes": ("unclosed", f"apply_patch <<'EOF'\n{PATCH}"),
    "heredoc that closes with blanks": ("unclosed", f"apply_patch <<'EOF'\n{PATCH}EOF \nrm x"),
    "heredoc that closes indented": ("unclosed", f"apply_patch <<'EOF'\n{PATCH}  EOF\n"),
    "heredoc that closes with tabs": ("unclosed", f"apply_patch <<'EOF'\n{PATCH}\tEOF\n"),
    "heredoc that is stripped of blanks": ("unclosed", f"apply_patch <<-'EOF'\n{PATCH}  EOF\n"),
    "heredoc that closes with LF, not CRLF": ("unclosed", f"apply_patch <<'EOF'\r\n{PATCH}EOF\n"),
    "heredoc that is meant and never closes": ("unclosed", f"apply_patch <<<'PATCH'\n{PATCH}"),
    "apostrophe in single quotes": ("quote", IN_APOSTROPHES.format(added("don't"))),
    "two apostrophes in single quotes": ("quote", IN_APOSTROPHES.format(added("don't\n+won't"))),
    "quotes in double quotes": ("quote", IN_QUOTES.format(added('say "hi there"'))),
    "apostrophe in a here-string": ("quote", IN_APOSTROPHES.format(added("don't")).replace(" '", " <<<'", 1)),
    "quote around a patch that never closes": ("quote", f"apply_patch '{PATCH}"),
    "double quote around a patch that never closes": ("quote", f'apply_patch "{PATCH}'),
}


def read(script: str, shell: str = "bash", *options: str) -> Invocation | None:
    return parse_invocation([shell, *(options or ("-lc",)), script], CWD)


# The table.


def test_the_table_is_large_enough() -> None:
    assert len(ACCEPTED) + len(MEANT) + len(OTHER) + len(REFUSED) >= 200


def test_the_seeds_direct_form_is_read() -> None:
    """Seed 001, entry point 3: 'Direct: `["apply_patch", "<patch>"]`'."""
    assert parse_invocation(["apply_patch", PATCH], CWD) == Invocation(WANTED, PATCH, CWD)


def test_the_programs_other_name_is_read() -> None:
    """SPEC §10: "also `applypatch`"."""
    assert parse_invocation(("applypatch", PATCH), CWD) == Invocation(WANTED, PATCH, CWD)


@pytest.mark.parametrize("script", MEANT.values(), ids=MEANT)
def test_the_seeds_heredoc_is_read_as_it_is_meant(script: str) -> None:
    """Seed 001, entry point 3: 'Heredoc: `["bash", "-lc", "apply_patch <<<'PATCH'\\n...\\nPATCH"]`'."""
    invocation = read(script.format(PATCH))
    assert invocation == Invocation(WANTED, PATCH, CWD + "/sub" * script.startswith("cd"))


@pytest.mark.parametrize("case", ACCEPTED.values(), ids=ACCEPTED)
def test_a_script_that_is_only_apply_patch_is_read(case: Script) -> None:
    invocation = read(case.script)
    assert invocation is not None
    assert invocation.folder == (f"{CWD}/{case.folder}" if case.folder else CWD)
    assert invocation.text == case.text
    assert invocation.patch == parse(case.text, "codex")


@pytest.mark.parametrize("script", OTHER.values(), ids=OTHER)
def test_a_script_that_does_anything_else_is_not_apply_patch(script: str) -> None:
    """SPEC §10: "A script that does anything else is not apply_patch." """
    assert read(script) is None


@pytest.mark.parametrize(("reason", "script"), REFUSED.values(), ids=REFUSED)
def test_a_patch_that_would_not_arrive_as_it_is_written_is_refused(reason: str, script: str) -> None:
    with pytest.raises(PatchInvalidError) as raised:
        read(script)
    assert [(p.code, p.details["reason"]) for p in raised.value.problems] == [("patch_parse_error", reason)]
    assert raised.value.problems[0].hint


@pytest.mark.parametrize("shell", ["bash", "zsh", "sh", "/bin/bash", "/usr/local/bin/zsh", "./sh"])
@pytest.mark.parametrize("options", [["-c"], ["-lc"], ["-l", "-c"]], ids=" ".join)
def test_a_shell_is_known_by_its_name_and_its_options(shell: str, options: list[str]) -> None:
    assert read(HERE, shell, *options) == Invocation(WANTED, PATCH, CWD)


@pytest.mark.parametrize(
    "argv",
    [
        [],
        [""],
        ["apply_patch"],
        ["apply_patch", PATCH, "x"],
        ["apply_patch", "-", PATCH],
        ["/usr/bin/apply_patch", PATCH],
        ["apply_patch ", PATCH],
        ["Apply_Patch", PATCH],
        [PATCH, "apply_patch"],
        ["echo", PATCH],
        ["sudo", "apply_patch", PATCH],
        ["bash", HERE],
        ["bash", "-c"],
        ["bash", "-l", HERE],
        ["bash", "-x", HERE],
        ["bash", "-ic", HERE],
        ["bash", "-cl", HERE],
        ["bash", "-c", "-l", HERE],
        ["bash", "-lc", HERE, "name"],
        ["bash", "-l", "-c", HERE, "name"],
        ["bash", "--login", "-c", HERE],
        ["BASH", "-c", HERE],
        ["bash.sh", "-c", HERE],
        ["bash/", "-c", HERE],
        ["rbash", "-c", HERE],
        ["fish", "-c", HERE],
        ["dash", "-c", HERE],
        ["pwsh", "-Command", HERE],
        ["cmd.exe", "/c", HERE],
        ["env", "bash", "-c", HERE],
        ["ssh", "host", HERE],
        [HERE],
    ],
    ids=lambda argv: " ".join(word[:16] for word in argv).replace("\n", " "),
)
def test_any_other_argv_is_not_apply_patch(argv: list[str]) -> None:
    assert parse_invocation(argv, CWD) is None


@pytest.mark.parametrize(
    "argv",
    [[PATCH], ["\n " + PATCH.rstrip()], ["bash", "-lc", PATCH], ["sh", "-c", "\n" + PATCH], ["zsh", "-l", "-c", PATCH]],
    ids=["argv", "padded", "bash", "sh", "zsh"],
)
def test_a_bare_patch_is_an_implicit_invocation(argv: list[str]) -> None:
    """Seed 001, error type ImplicitInvocation: "Raw patch without command"."""
    with pytest.raises(PatchInvalidError) as raised:
        parse_invocation(argv, CWD)
    (problem,) = raised.value.problems
    assert problem.code in PEER_NAMES["ImplicitInvocation"]
    assert problem.message.startswith("Raw patch without command")


def test_a_bare_patch_that_cannot_be_read_says_that_too() -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse_invocation(["bash", "-lc", "*** Begin Patch\n*** Delete File: a\n"], CWD)
    assert [problem.code for problem in raised.value.problems] == ["implicit_invocation", "patch_parse_error"]


@pytest.mark.parametrize("argv", [["apply_patch", "no patch"], ["bash", "-lc", heredoc("apply_patch <<'EOF'", "no\n")]])
def test_what_is_no_patch_is_refused(argv: list[str]) -> None:
    """Seed 001, error type ParseError: "Malformed patch syntax"."""
    with pytest.raises(PatchInvalidError) as raised:
        parse_invocation(argv, CWD)
    assert {problem.code for problem in raised.value.problems} <= PEER_NAMES["ParseError"]


def test_the_dialect_is_codex_unless_another_is_asked_for() -> None:
    moved = "*** Begin Patch\n*** Move File: a -> b\n*** End Patch\n"
    with pytest.raises(PatchInvalidError):
        parse_invocation(["apply_patch", moved], CWD)
    assert parse_invocation(["apply_patch", moved], CWD, dialect="standard") is not None


def test_a_wrong_call_is_pythons_own_error() -> None:
    with pytest.raises(TypeError, match="argv"):
        parse_invocation("apply_patch", CWD)
    with pytest.raises(ValueError, match="dialect"):
        parse_invocation(["ls"], CWD, dialect="klingon")


@pytest.mark.parametrize(
    "script",
    [
        "apply_patch " + '""' * 100_000 + "x",
        "apply_patch '" + PATCH + "'" + "\\\n" * 100_000,
        "#\n" * 100_000,
        " \\\n" * 100_000,
        heredoc("apply_patch <<EOF", "\\\n" * 100_000),
        heredoc("apply_patch <<EOF", "\\\\" * 100_000 + "\n"),
        'apply_patch "' + "\\$" * 100_000,
        "cd " + "../" * 100_000 + " && " + HERE,
    ],
    ids=["quotes", "continued", "comments", "blanks", "joined", "backslashes", "escapes", "folder"],
)
def test_a_hostile_script_takes_no_longer_than_its_length(script: str) -> None:
    """SPEC §12: "No input hangs or crashes it." A quadratic reading of these would take minutes."""
    with contextlib.suppress(SutureError):
        read(script)


# The shells as judges.

SHELLS = [path for name in ("bash", "dash", "zsh") if (path := shutil.which(name))]
BASH = shutil.which("bash")
#: What a script could run by mistake; everything else would be "not found", and seen on standard error.
FAKES = ["apply_patch", "applypatch", "cat", "date", "git", "ls", "rm", "tee", "x", "y"]
RECORDER = """#!{bash}
IFS= read -r -d '' input
printf '%s\\0' "${{0##*/}}" "$PWD" "$input" "$#" "$@" >>"$RECORD"
"""


class Call(NamedTuple):
    """How a program was called."""

    name: str
    folder: str
    text: str
    arguments: list[str]


class Judge:
    """Runs scripts in a folder, with nothing in PATH but programs that write down how they were called."""

    def __init__(self, folder: Path) -> None:
        self.programs, self.here, self.record = folder / "bin", folder / "here", folder / "record"
        self.programs.mkdir()
        for name in FAKES:
            program = self.programs / name
            program.write_text(RECORDER.format(bash=BASH))
            program.chmod(0o755)

    def run(self, shell: str, script: str, folder: str = "") -> list[Call]:
        """All that a script ran; it must have said nothing, made nothing, and ended well."""
        (self.here / folder).mkdir(parents=True, exist_ok=True)
        self.record.write_bytes(b"")
        before = sorted(self.here.rglob("*"))
        environment = {"PATH": str(self.programs), "RECORD": str(self.record), "LC_ALL": "C.UTF-8"}
        argv = [shell, "-c", script]
        done = subprocess.run(
            argv, cwd=self.here, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert sorted(self.here.rglob("*")) == before
        return list(self._calls())

    def _calls(self) -> Sequence[Call]:
        words = os.fsdecode(self.record.read_bytes()).split("\0")[:-1]
        calls = []
        while words:
            name, folder, text, count = words[:4]
            end = 4 + int(count)
            calls.append(Call(name, folder, text, words[4:end]))
            words = words[end:]
        return calls

    def hold(self, script: str) -> None:
        """What each shell hands over for an accepted script is what we read, and there is nothing else that it does."""
        invocation = parse_invocation(["bash", "-c", script], str(self.here))
        assert invocation is not None
        folder = os.path.relpath(invocation.folder, self.here)
        for shell in SHELLS:
            if shell.endswith("dash") and "<<<" in script:
                continue  # it has no here-strings
            (call,) = self.run(shell, script, folder)
            assert call.name in ("apply_patch", "applypatch")
            assert call.folder == invocation.folder
            assert (call.text, call.arguments) in ((invocation.text, []), ("", [invocation.text]))


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    if BASH is None:
        pytest.skip("there is no bash")
    return Judge(tmp_path_factory.mktemp("judge"))


@pytest.mark.parametrize("case", ACCEPTED.values(), ids=ACCEPTED)
def test_a_shell_hands_over_what_we_read_and_runs_nothing_else(case: Script, judge: Judge) -> None:
    judge.hold(case.script)


@pytest.mark.parametrize("name", ["pipe out", "second command below", "env", "command in front and &&"])
def test_the_judge_sees_what_else_a_script_runs(name: str, judge: Judge) -> None:
    try:
        calls = judge.run(SHELLS[0], OTHER[name])
    except AssertionError:
        return  # a program was not found
    assert len(calls) != 1


# With a workspace.

APP = "def greet():\n    print('hi')\n"
FILES = {"app.py": APP, "sub/app.py": APP, "sub/deep/x.txt": "x\n", "file": "text\n"}


def envelope(*lines: str) -> str:
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))


EDIT = envelope("*** Update File: app.py", "@@", "-    print('hi')", "+    print('ho')")


def in_memory() -> Workspace:
    return Workspace(MemoryFiles(FILES))


def test_the_verified_form_has_the_diffs_and_writes_nothing() -> None:
    """Seed 001, entry point 4: "Parses, validates file existence, and computes diffs before application." """
    workspace = in_memory()
    plan = verify_invocation(["apply_patch", EDIT], "/", workspace)
    assert plan is not None
    assert plan.is_clean
    assert [(c.kind, c.path, c.additions, c.deletions) for c in plan.changes] == [("update", "app.py", 1, 1)]
    assert "+    print('ho')\n" in plan.changes[0].diff
    assert workspace.files.read("/app.py", 1000)[0] == APP.encode()
    workspace.commit(plan)
    assert workspace.files.read("/app.py", 1000)[0] == APP.replace("hi", "ho").encode()


def test_another_command_has_no_plan() -> None:
    assert verify_invocation(["ls"], "/", in_memory()) is None


@pytest.mark.parametrize("cwd", ["/sub", "sub", "./sub/", "sub/deep/.."])
def test_paths_start_from_where_the_command_would_run(cwd: str) -> None:
    plan = verify_invocation(["apply_patch", EDIT], cwd, in_memory())
    assert plan is not None
    assert [change.path for change in plan.changes] == ["sub/app.py"]


@pytest.mark.parametrize("cwd", ["/", "", "."])
@pytest.mark.parametrize("folder", ["sub", "./sub", "'sub/'", "sub/deep/..", "sub/../sub", "/sub"])
def test_paths_start_from_the_folder_that_the_script_goes_to(cwd: str, folder: str) -> None:
    """SPEC §10: "optionally after `cd DIR &&`"."""
    script = heredoc(f"cd {folder} && apply_patch <<'EOF'", EDIT)
    plan = verify_invocation(["bash", "-lc", script], cwd, in_memory())
    assert plan is not None
    assert [str(change) for change in plan.changes] == ["M sub/app.py +1 -1"]


def test_every_path_of_a_patch_starts_from_the_folder_but_those_that_are_absolute() -> None:
    patch = envelope(
        "*** Add File: new.txt",
        "+new",
        "*** Delete File: ../file",
        "*** Update File: app.py",
        "*** Move to: deep/app.py",
        "*** Update File: /app.py",
        "@@",
        "-def greet():",
        "+def meet():",
    )
    plan = verify_invocation(["apply_patch", patch], "sub", in_memory())
    assert plan is not None
    assert plan.problems == ()
    assert [(change.path, change.move_to) for change in plan.changes] == [
        ("sub/new.txt", ""),
        ("file", ""),
        ("sub/app.py", "sub/deep/app.py"),
        ("app.py", ""),
    ]


def test_the_plans_text_is_the_patch_that_was_sent() -> None:
    plan = verify_invocation(["bash", "-c", heredoc("cd sub && apply_patch <<'EOF'", EDIT)], "/", in_memory())
    assert plan is not None
    assert plan.patch == EDIT


@pytest.mark.parametrize(
    ("folder", "code"),
    [
        ("..", "outside_workspace"),
        ("../other", "outside_workspace"),
        ("/etc", "outside_workspace"),
        ("sub/../..", "outside_workspace"),
        ("out", "outside_workspace"),
        ("missing", "not_found"),
        ("missing/../sub", "not_found"),
        ("file", "not_found"),
        ("file/..", "not_found"),
        ("link/..", "command_failed"),
        (".git", "permission_denied"),
    ],
)
def test_a_folder_that_may_not_be_touched_is_refused(folder: str, code: str, tmp_path: Path) -> None:
    """ "A folder outside of the workspace is refused", and so is one that is not sure to be where it seems."""
    root = tmp_path / "root"
    for name in ("sub/deep", ".git"):
        (root / name).mkdir(parents=True)
    (root / "file").write_text("text\n")
    (root / "link").symlink_to("sub/deep")
    (root / "out").symlink_to(tmp_path)
    script = heredoc(f"cd {folder} && apply_patch <<'EOF'")
    with Workspace(root) as workspace, pytest.raises(PatchRejectedError) as raised:
        verify_invocation(["bash", "-lc", script], str(root), workspace)
    assert [problem.code for problem in raised.value.problems] == [code]
    assert sorted(path.name for path in root.iterdir()) == [".git", "file", "link", "out", "sub"]


@pytest.mark.parametrize("cwd", ["/", "/etc"])
def test_a_command_that_would_run_outside_is_refused(cwd: str, tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace, pytest.raises(PatchRejectedError) as raised:
        verify_invocation(["apply_patch", PATCH], cwd, workspace)
    assert [problem.code for problem in raised.value.problems] == ["outside_workspace"]


def test_a_link_to_a_folder_of_the_workspace_is_followed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to("sub")
    with Workspace(tmp_path) as workspace:
        script = heredoc("cd link && apply_patch <<'EOF'")
        plan = verify_invocation(["bash", "-lc", script], str(tmp_path), workspace)
    assert plan is not None
    assert [str(change) for change in plan.changes] == ["A sub/hi.txt +1 -0"]


def test_a_folder_of_another_root_is_taken(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with Workspace(tmp_path / "one", extra_roots=[tmp_path / "two"]) as workspace:
        plan = verify_invocation(["apply_patch", PATCH], str(tmp_path / "two"), workspace)
    assert plan is not None
    assert [change.path for change in plan.changes] == [str(tmp_path / "two" / "hi.txt")]


def test_a_file_that_is_not_there_is_a_problem_of_the_plan() -> None:
    """Seed 001, error type IoError: "File read/write failure"."""
    plan = verify_invocation(["apply_patch", EDIT], "sub/deep", in_memory())
    assert plan is not None
    assert {problem.code for problem in plan.problems} <= PEER_NAMES["IoError"]
    assert plan.problems[0].path == "sub/deep/app.py"


def test_lines_that_are_not_there_are_a_problem_of_the_plan() -> None:
    """Seed 001, error type ComputeReplacements: "Line matching failure"."""
    plan = verify_invocation(["apply_patch", EDIT.replace("print", "write")], "/", in_memory())
    assert plan is not None
    assert [problem.code for problem in plan.problems] == ["patch_apply_error"]
    assert plan.problems[0].code in PEER_NAMES["ComputeReplacements"]


@pytest.mark.parametrize("argv", [[PATCH], ["bash", "-lc", PATCH]], ids=["argv", "script"])
def test_a_bare_patch_is_refused_by_the_verified_form_too(argv: list[str]) -> None:
    """Seed 001, error type ImplicitInvocation: "Raw patch without command"."""
    with pytest.raises(PatchInvalidError) as raised:
        verify_invocation(argv, "/", in_memory())
    assert raised.value.problems[0].code in PEER_NAMES["ImplicitInvocation"]


def test_a_patch_that_only_codex_can_say_is_planned() -> None:
    """What would be a unified header elsewhere is an anchor there; a plan keeps the text as it was sent."""
    patch = envelope("*** Update File: app.py", "@@ -1,2 +1,2 @@", "-    print('hi')", "+    print('ho')")
    plan = verify_invocation(["apply_patch", patch], "/", in_memory())
    assert plan is not None
    assert [problem.details["reason"] for problem in plan.problems] == ["anchor_not_found"]
