"""A part of a removed line that the added line repeats is not meant to change: the file's own text stays there."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, update

TEXT = """\
def report(items):
    print("Items:", len(items))
    log.info("report was written")
"""


@pytest.mark.parametrize(
    ("line", "old", "new", "after"),
    [
        pytest.param(
            'help = "Skills are in `.agent/skills/<name>/`.";',
            'help = "Skills are in `.agent/skills/<name>/";',
            'help = "Skills are in `.claude/skills/<name>/";',
            'help = "Skills are in `.claude/skills/<name>/`.";',
            id="signs that are missing at the end",
        ),
        pytest.param(
            "> = ({ isOpen, onClose, contextFiles, filterType }) => {",
            "} = ({ isOpen, onClose, contextFiles, filterType }) => {",
            "} = ({ isOpen, onClose, contextFiles, filterType, path }) => {",
            "> = ({ isOpen, onClose, contextFiles, filterType, path }) => {",
            id="another bracket at the start",
        ),
        pytest.param(
            "    total = compute_subtotal(items, rates)",
            "total = compute_subtotl(items, rates)",
            "total = compute_subtotl(items, rates, currency)",
            "    total = compute_subtotal(items, rates, currency)",
            id="a letter, at another depth",
        ),
    ],
)
def test_the_files_text_is_kept(line: str, old: str, new: str, after: str) -> None:
    text = f"{TEXT}\n{line}\n"
    done = update(text, [Hunk(("-" + old, "+" + new))])
    assert done.text == f"{TEXT}\n{after}\n"
    assert "mistake_carried" in [one.name for one in done.matches[0].concessions]


@pytest.mark.parametrize(
    ("line", "old", "new"),
    [
        pytest.param("f(first, third, 10)", "f(first, third, 11)", "g(first, third, 11)", id="number"),
        pytest.param("if one == two or both:", "if one != two or both:", "if one != two and both:", id="operator"),
        pytest.param("f(r'{}', first, third)", "f(r'x{}', first, third)", "f(r'x{}', first)", id="a whole word"),
        pytest.param(
            '"[info]  Processing with Phoenix.Router.SomePlug"',
            "[info]  Processing with Phoenix.Router.SomePlug",
            "[info] Processing with Phoenix.Router.SomePlug",
            id="quotes around the line",
        ),
        pytest.param("run(first, third)", "run(first, thirds)", "run(first, thirdx)", id="the part that changes"),
    ],
)
def test_what_is_no_typo_or_changes_is_refused(line: str, old: str, new: str) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update(f"{TEXT}\n{line}\n", [Hunk(("-" + old, "+" + new))])
    assert [problem.details["reason"] for problem in raised.value.problems] == ["context_not_found"]
