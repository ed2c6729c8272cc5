"""Shell scripts that are an invocation of `apply_patch`, and scripts that are not."""

from __future__ import annotations

from typing import NamedTuple

PATCH = "*** Begin Patch\n*** Add File: hi.txt\n+hi\n*** End Patch\n"

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
    "DEL behind a backslash, which bash loses": heredoc("apply_patch <<EOF", added("a\\\x7fb")),
    "DEL behind a backslash in a here-string": IN_QUOTES.format(added("a\\\x7f")).replace(' "', ' <<<"', 1),
    "SOH behind a backslash, which makes bash run what follows": IN_QUOTES.format(added("\\\x01\\$(touch pwned)")),
    "SOH behind a backslash in a heredoc": heredoc("apply_patch <<EOF", added("\\\x01\\$(touch pwned)")),
    "SOH behind a backslash in a folder": 'cd "\\\x01\\$(touch pwned)" && ' + HERE,
    "bytes that are not UTF-8": IN_APOSTROPHES.format(added("\udcff")),
    "half a character": IN_APOSTROPHES.format(added("\ud83d")),
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
    "line that dash loses a byte of": ("expansion", heredoc("apply_patch <<'+h'", added("hé"), "+h")),
    "line that dash loses a byte of, half the word": ("expansion", heredoc("apply_patch <<'+hi'", added("hé"), "+hi")),
    "line that dash loses half a character of": ("expansion", heredoc("apply_patch <<'+è'", added("é"), "+è")),
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
