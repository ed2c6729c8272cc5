"""`suture convert`: writes edits in another form, from the text alone or by placing them in the files."""

from __future__ import annotations

from ...core.dialect import BEGIN
from ...core.paths import escape_glob
from ...core.problems import PatchRejectedError, Problem, SutureError
from ...core.write_diff import join_sections
from ...format.patch_parser import parse
from ...place.compare_trees import compare_trees
from ...words.conversion import convert, unified_sections
from ...workspace.evaluation import apply_in_memory
from ...workspace.globs import excluder
from ..inputs import open_workspace, read_patch
from ..json_output import print_document
from ..progress import ProgressBar, count_files
from ..render import show_diff, show_patch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...core.outcome import Plan
    from ...core.patch import Patch
    from ...core.write_diff import FileSection
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Print the patch in the other form."""
    text = read_patch(options.patch)
    # The dialect is that of an envelope, read or written.
    dialect = options.dialect if BEGIN in text else "standard"
    patch = parse(text, dialect, form=options.format, exclude=excluder(options.exclude))
    to = options.to or ("envelope" if patch.form == "unified" else "unified")
    is_unified = to == "unified"
    sections = _sections(patch, options, screen) if is_unified else []
    converted = join_sections(sections) if is_unified else _convert(patch, to, options, screen)
    if screen.json:
        return print_document(
            screen, "convert", 0, {"text": converted, "unified": is_unified, "from": patch.form, "to": to}
        )
    screen.start_paging()
    if is_unified:
        show_diff(screen, sections)
    else:
        show_patch(screen, converted)
    return 0


def _sections(patch: Patch, options: Namespace, screen: Screen) -> list[FileSection]:
    """The patch as the files of a unified diff."""
    if not options.with_files:
        try:
            return unified_sections(patch)
        except ValueError:
            pass  # it takes the files
    return [change.section for change in _plan(patch, options, screen).changes]


def _convert(patch: Patch, to: str, options: Namespace, screen: Screen) -> str:
    """The patch in another form: from its text alone if that is enough, otherwise by what it does to the files."""
    if not options.with_files:
        try:
            return convert(patch, to, options.dialect)
        except ValueError:
            pass  # it takes the files
    plan = _plan(patch, options, screen)
    _refuse_modes(plan, to)
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    for file in plan.files:
        if file.was is not None and file.before.kind == "file":
            before[file.shown] = file.was
        content_after = file.content_after
        if content_after is not None:
            after[file.shown] = content_after
    placed = compare_trees(before, after, options.dialect if to == "envelope" else "standard")
    try:
        converted = convert(placed, to, options.dialect, is_checked=True)
    except ValueError as error:
        message = f"The form {to} cannot express these edits: {error}."
        raise PatchRejectedError([Problem("patch_parse_error", message, hint="Choose another form.")]) from error
    _check(converted, before, after, to, options.dialect)
    return converted


def _plan(patch: Patch, options: Namespace, screen: Screen) -> Plan:
    """What the patch does to the files.

    Raises:
        PatchRejectedError: it can't be applied.
    """
    with open_workspace(options) as workspace, ProgressBar(screen, workspace, count_files(patch)):
        plan = workspace.plan(patch)
    if plan.problems:
        raise PatchRejectedError(plan.problems, plan)
    return plan


def _refuse_modes(plan: Plan, to: str) -> None:
    """Refuse a form that can't say that a file becomes executable, or no longer is.

    Raises:
        PatchRejectedError: with a problem for each file.
    """
    problems: list[Problem] = []
    for change in plan.changes:
        if change.mode:
            path = change.content_name
            message = f"The form {to} cannot express these edits: {path} gets the mode {change.mode}."
            hint = "Only a unified diff can: use --to unified, or leave the file out with "
            hint += f"--exclude '{escape_glob(path)}'."
            problems.append(Problem("patch_parse_error", message, path, hint=hint))
    if problems:
        raise PatchRejectedError(problems)


def _check(text: str, before: dict[str, bytes], after: dict[str, bytes], to: str, dialect: str) -> None:
    """Check that the converted text does what the original does.

    Raises:
        PatchRejectedError: it does not.
    """
    try:
        result = apply_in_memory(
            parse(text, dialect, form=to), before, dialect=dialect, allow_control=True, allow_placeholders=True
        ).texts
    except SutureError as error:
        raise PatchRejectedError(error.problems) from error
    if {name: text.encode() if isinstance(text, str) else text for name, text in result.items()} != after:
        message = f"The form {to} cannot express these edits: read again, they would change other text."
        raise PatchRejectedError([Problem("patch_parse_error", message, hint="Choose another form.")])
