"""What models wrap around an envelope: JSON, escaped newlines, heredocs, fences."""

from __future__ import annotations

import json

import pytest

from suture import Concession, DeleteFile, Hunk, Patch, PatchInvalidError, UpdateFile, parse

INNER = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"
WANTED = Patch((DeleteFile("a"),))


@pytest.mark.parametrize(
    "value",
    [
        INNER,
        {"patch": INNER},
        {"input": INNER, "other": "text", "n": 1, "none": None, "list": [1, True]},
        ["apply_patch", INNER],
        {"command": ["apply_patch", INNER]},
        {"arguments": {"patchText": INNER}},
    ],
    ids=repr,
)
@pytest.mark.parametrize("indent", [None, 2])
def test_the_one_string_of_a_json_value_that_has_an_envelope_is_read(value: object, indent: int | None) -> None:
    """SPEC §3: "a JSON object or argv with the envelope as its string"."""
    patch = parse(json.dumps(value, indent=indent))
    assert patch == WANTED
    assert patch.concessions == (Concession("json", 1),)


def test_a_json_string_with_real_newlines_is_read() -> None:
    assert parse('{"patch": "' + INNER + '"}') == WANTED


def test_two_envelopes_in_a_json_value_are_refused() -> None:
    with pytest.raises(PatchInvalidError):
        parse(json.dumps([INNER, INNER]))


def test_a_tool_call_as_a_json_string_inside_json_is_read() -> None:
    assert parse(json.dumps({"arguments": json.dumps({"input": INNER})})) == WANTED


@pytest.mark.parametrize("around", ["", '"', "'"])
def test_newlines_that_arrived_as_escapes_are_read(around: str) -> None:
    """SPEC §3: "text whose newlines arrived as `\\n`"."""
    patch = parse(around + INNER.replace("\n", "\\n") + around)
    assert patch == WANTED
    assert [concession.name for concession in patch.concessions] in (["escaped_newlines"], ["json"])


def test_escapes_that_are_no_json_string_are_newlines_alone() -> None:
    text = r'*** Begin Patch\n*** Update File: a\n@@\n-say "hi"\n+say "ho"\n*** End Patch'
    assert parse(text) == Patch((UpdateFile("a", (Hunk(('-say "hi"', '+say "ho"')),)),))


@pytest.mark.parametrize(
    "text",
    [
        "{" + INNER.replace("\n", "\\n"),
        '{"patch": 1, "note": "*** Begin Patch"',
        '{"patch": "none"}',
        "[1, 2]",
        '"*** Begin Patch"',
        '{"a": ' * 2000 + json.dumps(INNER) + "}" * 2000,
        "[" * 100_000 + "*** Begin Patch",
        '{"n": ' + "9" * 5000 + ', "p": "*** Begin Patch"}',
        '{"n": 1e999999, "p": "*** Begin Patch"}',
        "*** Begin Patch\\u12",
    ],
    ids=lambda text: text[:20],
)
def test_what_hides_no_envelope_is_no_patch(text: str) -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse(text)
    assert {problem.code for problem in raised.value.problems} == {"patch_parse_error"}


def test_a_number_of_any_length_beside_the_envelope_is_no_crash() -> None:
    text = '{"n": ' + "9" * 5000 + f', "p": {json.dumps(INNER)}' + "}"
    try:
        patch = parse(text)
    except PatchInvalidError:
        return
    assert patch == WANTED


@pytest.mark.parametrize("dialect", ["codex", "opencode", "strict"])
@pytest.mark.parametrize("text", [json.dumps({"patch": INNER}), INNER.replace("\n", "\\n")])
def test_only_standard_looks_for_a_hidden_envelope(dialect: str, text: str) -> None:
    with pytest.raises(PatchInvalidError):
        parse(text, dialect)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("apply_patch <<'EOF'", "EOF"),
        ('apply_patch <<"EOF"', "EOF"),
        ("apply_patch <<EOF", "EOF"),
        ("apply_patch <<-EOF", "EOF"),
        ("apply_patch << 'PATCH'", "PATCH"),
        ("applypatch <<'EOF'", "EOF"),
        ("apply_patch <<<'PATCH'", "PATCH"),
        ("cd src && apply_patch <<'EOF'", "EOF"),
        ("$ apply_patch <<'EOF'", "EOF"),
        ("<<'EOF'", "EOF"),
    ],
)
def test_a_heredoc_around_the_envelope_is_one_concession(opening: str, closing: str) -> None:
    patch = parse(f"{opening}\n{INNER}{closing}\n")
    assert patch == WANTED
    assert patch.concessions == (Concession("heredoc", 1),)


@pytest.mark.parametrize("opening", ["cat <<'EOF'", "apply_patch << a b", "x << 2"])
def test_another_command_or_no_word_is_no_heredoc_of_ours(opening: str) -> None:
    with pytest.raises(PatchInvalidError):
        parse(f"{opening}\n{INNER}", "codex")


def test_the_word_that_closes_another_heredoc_is_other_text() -> None:
    assert parse(f"<<'EOF'\n{INNER}PATCH\n").concessions == (Concession("heredoc", 1), Concession("prose", 5))


def test_json_inside_a_fence_is_read() -> None:
    patch = parse("```json\n" + json.dumps({"patch": INNER}) + "\n```\n")
    assert patch == WANTED
    assert [concession.name for concession in patch.concessions] == ["fence", "json"]


@pytest.mark.parametrize("text", ["```json\n" + json.dumps({"patch": INNER}), "```\n{}\n```\n*** Begin Patch x"])
def test_a_fence_that_never_closes_or_hides_nothing(text: str) -> None:
    try:
        patch = parse(text)
    except PatchInvalidError:
        return
    assert patch == WANTED


@pytest.mark.parametrize(
    ("written", "path"),
    [("`a b`", "a b"), ("` a `", "a"), ("./ a", "a"), ("\"'`a`'\"", "a"), ("./`./a`", "a"), ("''", "''"), ("'", "'")],
)
def test_quotes_and_dots_are_taken_off_however_often_they_are_there(written: str, path: str) -> None:
    assert parse(f"*** Begin Patch\n*** Delete File: {written}\n*** End Patch\n") == Patch((DeleteFile(path),))
