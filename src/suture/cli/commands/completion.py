"""`suture completion`: shell completion scripts, generated from the table of commands."""

from __future__ import annotations

from shlex import quote

from ..arguments import flags_with_values
from ..json_output import print_document
from ..table import COMMANDS, COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from ..command_values import Command, Option
    from ..screen import Screen


#: Prints the IDs of the last commits, in any shell.
COMMIT_IDS = "log --oneline 2>/dev/null | cut -d' ' -f1"

#: Finds the command on a line, after options and their values.
FISH_FUNCTIONS = """# fish completion for suture
function __suture_command
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        if contains -- $words[1] {valued}
            set -e words[1]
        else if not string match -q -- '-*' $words[1]
            echo $words[1]
            return
        end
        set -e words[1]
    end
end
function __suture_uses
    set -l command (__suture_command)
    test "$command" = "$argv[1]"
end"""


def run(options: Namespace, screen: Screen) -> int:
    """Print the script for a shell."""
    scripts = {"bash": bash, "zsh": zsh, "fish": fish}
    script = scripts[options.shell]()
    if screen.json:
        return print_document(screen, "completion", 0, {"shell": options.shell, "text": script})
    screen.write(script)
    return 0


def _all(command: Command) -> tuple[Option, ...]:
    return (*command.options, *COMMON)


def _kinds(command: Command) -> set[str]:
    """What the arguments of a command can be."""
    return {kind for argument in command.arguments for kind in argument.completes}


def _choices(command: Command) -> tuple[str, ...]:
    """What the first argument of a command can be, if that is known."""
    return command.arguments[0].choices if command.arguments else ()


def _flags_that_complete(options: Iterable[Option], kind: str) -> str:
    """The long flags of the options whose free value is of a kind, as a pattern of bash."""
    flags = [one.flags[-1] for one in options if one.value and not one.choices and one.completes == kind]
    return "|".join(sorted(set(flags)))


def bash() -> str:
    """The script for bash, used as `source <(suture completion bash)`."""
    names = " ".join(command.name for command in COMMANDS)
    common = " ".join([flag for option in COMMON for flag in option.flags] + ["--help", "--version"])
    before = "|".join(flags_with_values(COMMON))
    cases = []
    for command in COMMANDS:
        flags = " ".join([flag for option in _all(command) for flag in option.flags] + ["--help"])
        kinds = _kinds(command)
        rest = " ".join(_choices(command))
        # The options before the command say which workspace is meant.
        rest += f'$(suture "${{COMP_WORDS[@]:1:index-1}}" {COMMIT_IDS})' if "commit" in kinds else ""
        cases.append(f'        {command.name}) flags="{flags}" words="{rest}" files={int("file" in kinds)} ;;')
    values = []
    options = {option for command in COMMANDS for option in _all(command)}
    for flag, choices in sorted({(option.flags[-1], option.choices) for option in options if option.choices}):
        values.append(f'        {flag}) words="{" ".join(choices)}" flags="" files=0 ;;')
    texts, files = _flags_that_complete(options, ""), _flags_that_complete(options, "file")
    newline = "\n"
    return f"""# bash completion for suture
_suture() {{
    local IFS=$' \\t\\n' word="${{COMP_WORDS[COMP_CWORD]}}" command="" words="" flags="" files=0 index=1
    while [[ $index -lt $COMP_CWORD ]]; do
        case "${{COMP_WORDS[index]}}" in
            {before}) index=$((index + 1)) ;;
            -*) ;;
            *) command="${{COMP_WORDS[index]}}"; break ;;
        esac
        index=$((index + 1))
    done
    case "$command" in
        "") words="{names}" flags="{common}" ;;
        help) words="{names}" ;;
{newline.join(cases)}
    esac
    case "${{COMP_WORDS[COMP_CWORD-1]}}" in
{newline.join(values)}
        --root) IFS=$'\\n'; COMPREPLY=($(compgen -d -- "$word")); return ;;
        {files}) words="" flags="" files=1 ;;
        {texts}) words="" flags="" files=0 ;;
    esac
    if [[ $word == -* ]]; then words="$flags"; files=0; fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    if [[ $files == 1 ]]; then IFS=$'\\n'; COMPREPLY+=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _suture suture
complete -f apply_patch applypatch
"""


def zsh() -> str:
    """The script for zsh, used as a file `_suture` in `$fpath` or as `source <(suture completion zsh)`."""
    common = " ".join([*_zsh_options(COMMON), "'--help[Show help]'", "'--version[Show the version]'"])
    lines = ["#compdef suture", "_suture() {", '    local curcontext="$curcontext" state line', "    local -a commands"]
    lines += ["    commands=(", *[f"        {quote(f'{command.name}:{command.summary}')}" for command in COMMANDS]]
    lines += ["    )", f"    _arguments -C -s {common} '1:command:->command' '*::argument:->argument'"]
    lines += ["    case $state in", "    command) _describe command commands ;;", "    argument)"]
    lines += ["        case $words[1] in"]
    for command in COMMANDS:
        specs = " ".join([*_zsh_options(_all(command)), _zsh_rest(command)]).rstrip()
        lines.append(f"        {command.name}) _arguments -s {specs} ;;")
    lines += ["        help) _describe command commands ;;", "        esac ;;", "    esac", "}"]
    lines += ['if [ "$funcstack[1]" = _suture ]; then _suture "$@"; else compdef _suture suture; fi']
    return "\n".join([*lines, ""])


def _zsh_options(options: Iterable[Option]) -> list[str]:
    """The options of a command as arguments of zsh's `_arguments`, one for each flag."""
    specs = []
    for option in options:
        text = option.help.replace("[", "(").replace("]", ")").replace(":", ";")
        value = f":{option.value}:{_zsh_action(option)}" if option.value else ""
        repeat = "*" if option.is_repeatable else ""
        specs += [quote(f"{repeat}{flag}[{text}]{value}") for flag in option.flags]
    return specs


def _zsh_action(option: Option) -> str:
    """How zsh completes the value of an option: with files, directories, its choices, or nothing."""
    if option.completes == "file":
        return "_files"
    if option.completes == "folder":
        return "_files -/"
    return f"({' '.join(option.choices)})" if option.choices else ""


def _zsh_rest(command: Command) -> str:
    kinds = _kinds(command)
    if _choices(command):
        return quote(f"1:{command.arguments[0].name.lower()}:({' '.join(_choices(command))})")
    if "commit" in kinds:
        files = "; _files" if "file" in kinds else ""
        return quote(f'*:commit:{{compadd -- ${{(f)"$(suture {COMMIT_IDS})"}}{files}}}')
    return quote("*:file:_files") if "file" in kinds else ""


def fish() -> str:
    """The script for fish, used as a file `suture.fish` in `~/.config/fish/completions`."""
    valued = " ".join(flags_with_values(COMMON))
    lines = [FISH_FUNCTIONS.format(valued=valued), "complete -c suture -f"]
    for command in COMMANDS:
        summary = quote(command.summary)
        lines.append(f"complete -c suture -n '__suture_uses \"\"' -a {command.name} -d {summary}")
    lines += _fish_options("", COMMON)
    for command in COMMANDS:
        lines += _fish_options(command.name, _all(command))
        kinds = _kinds(command)
        condition = f"complete -c suture -n '__suture_uses {command.name}'"
        lines += [f"{condition} -F"] if "file" in kinds else []
        lines += [f"{condition} -a {quote(' '.join(_choices(command)))}"] if _choices(command) else []
        lines += [f"{condition} -a {quote(f'(suture {COMMIT_IDS})')}"] if "commit" in kinds else []
    return "\n".join([*lines, ""])


def _fish_options(command: str, options: Iterable[Option]) -> list[str]:
    """The lines that tell fish the options of a command, or without a command those of all."""
    name = command or '""'
    lines = []
    for option in options:
        flags = " ".join([_fish_flag(flag) for flag in option.flags])
        value = _fish_value(option) if option.value else ""
        if option.choices:
            value += f" -a {quote(' '.join(option.choices))}"
        lines.append(f"complete -c suture -n '__suture_uses {name}' {flags}{value} -d {quote(option.help)}")
    return lines


def _fish_flag(flag: str) -> str:
    """A flag as an argument of fish's `complete`."""
    return f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"


def _fish_value(option: Option) -> str:
    """How the value of an option is completed: with directories, with files, or with nothing."""
    if not option.completes:
        return " -x"
    return " -x -a '(__fish_complete_directories)'" if option.completes == "folder" else " -r -F"
