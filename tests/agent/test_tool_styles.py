"""The tools as the APIs of models take them.

The definitions are golden files, `tests/golden/tools-<style>.json`. To write them anew::

    SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/agent/test_tool_styles.py
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema
import pytest
from tests.shared.agents import APP, READ, Agent, code
from tests.shared.goldens import compare

from suture import Session, Workspace
from suture.agent import PROFILES
from suture.agent.profiles import profile_named
from suture.agent.tool_arguments import check_arguments
from suture.agent.tool_styles import STYLES, definitions
from suture.agent.tools import TOOLS
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

#: The keywords that OpenAI's strict mode knows, among those that we could use.
STRICT_KEYWORDS = {"type", "properties", "required", "additionalProperties", "description", "items"}


def session(**given: Any) -> Session:
    return Session(Workspace(MemoryFiles()), **given)


def schemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and all schemas inside of it."""
    yield schema
    for inner in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        yield from schemas(inner)


@pytest.mark.parametrize("style", STYLES)
def test_the_definitions_are_as_in_their_golden_file(style: str) -> None:
    found = definitions(PROFILES["all"], style, hidden=style == "json")
    compare(f"tools-{style}.json", json.dumps(found, indent=2, ensure_ascii=False) + "\n")


class TestStyles:
    def test_openai_chat_nests_the_function(self) -> None:
        for tool in session().tools("openai"):
            assert set(tool) == {"type", "function"}
            assert set(tool["function"]) == {"name", "description", "parameters", "strict"}

    def test_openai_responses_is_flat(self) -> None:
        for tool in session().tools("openai-responses"):
            assert set(tool) == {"type", "name", "description", "parameters", "strict"}

    @pytest.mark.parametrize("profile", PROFILES)
    def test_strict_schemas_require_everything_and_close_every_object(self, profile: str) -> None:
        for tool in session().tools("openai-responses", profile=profile, hidden=True):
            for schema in schemas(tool["parameters"]):
                assert set(schema) <= STRICT_KEYWORDS
                if schema["type"] == "object":
                    assert schema["additionalProperties"] is False
                    assert schema["required"] == list(schema["properties"])

    def test_an_optional_argument_of_a_strict_schema_may_be_null(self) -> None:
        (tool,) = session().tools("openai-responses", only=["read"])
        given = {"filePath": "a", "offset": None, "limit": None}
        jsonschema.validate(given, tool["parameters"])
        assert check_arguments("read", given) == {"filePath": "a"}

    def test_freeform_is_a_grammar_for_the_patch_alone(self) -> None:
        patch, read = session().tools("openai-freeform", only=["apply_patch", "read"])[::-1]
        assert (patch["type"], patch["format"]["type"], patch["format"]["syntax"]) == ("custom", "grammar", "lark")
        assert read["type"] == "function"

    def test_gemini_has_no_keyword_that_it_rejects(self) -> None:
        for tool in session().tools("gemini", profile="all", hidden=True):
            for schema in schemas(tool["parameters"]):
                assert set(schema) <= {"type", "properties", "required", "description", "items"}
                assert schema["type"].isupper()

    @pytest.mark.parametrize(
        ("style", "key"), [("anthropic", "input_schema"), ("json", "parameters"), ("mcp", "inputSchema")]
    )
    def test_a_json_schema_is_valid_and_accepts_what_the_tool_accepts(self, style: str, key: str) -> None:
        edit = {"filePath": "a", "oldString": "x", "newString": "y"}
        for tool in session().tools(style, profile="all", hidden=True):
            jsonschema.Draft202012Validator.check_schema(tool[key])
            if tool["name"] == "edit":
                jsonschema.validate(edit, tool[key])

    def test_annotations_tell_what_a_tool_may_do(self) -> None:
        found = {tool["name"]: tool["annotations"] for tool in session().tools("mcp", profile="all")}
        read_only = {name for name, notes in found.items() if notes["readOnlyHint"]}
        assert read_only == {"read", "glob", "grep", "history"}
        assert not any(found[name]["destructiveHint"] for name in read_only)
        assert found["write"]["idempotentHint"]
        assert not found["edit"]["idempotentHint"]

    def test_arguments_for_programs_are_hidden_unless_asked_for(self) -> None:
        (few,) = session().tools("json", only=["apply_patch"])
        (many,) = session().tools("json", only=["apply_patch"], hidden=True)
        assert list(few["parameters"]["properties"]) == ["patchText", "reason"]
        assert set(many["parameters"]["properties"]) > {"atomic", "dryRun", "expectedSha256ByPath"}

    def test_a_style_that_does_not_exist_is_a_wrong_call(self) -> None:
        with pytest.raises(ValueError, match="openai, openai-responses"):
            session().tools("xml")


class TestProfiles:
    @pytest.mark.parametrize("name", PROFILES)
    def test_a_profile_has_tools_that_there_are_and_names_of_their_own(self, name: str) -> None:
        profile = profile_named(name)
        assert set(profile.tools) <= set(TOOLS)
        assert len(set(profile.tools.values())) == len(profile.tools)
        assert set(profile.reads) <= set(profile.tools)

    def test_claude_has_its_names_and_arguments(self) -> None:
        tools = {tool["name"]: tool for tool in session(profile="claude").tools("anthropic")}
        assert list(tools) == ["Read", "Edit", "MultiEdit", "Write", "Glob", "Grep"]
        assert list(tools["Edit"]["input_schema"]["properties"]) == [
            "file_path",
            "old_string",
            "new_string",
            "replace_all",
        ]
        assert "oldString" not in json.dumps(tools)

    def test_a_description_names_only_tools_that_the_model_has(self) -> None:
        def description(tool: str, **given: Any) -> str:
            (found,) = [one for one in session().tools("json", **given) if one["name"] == tool]
            text: str = found["description"]
            return text

        assert "use edit. To change several files, use apply_patch." in description("write")
        assert "apply_patch" not in description("write", profile="minimal")
        assert description("edit", only=["edit"]).endswith("creates a new file.")
        assert description("Edit", profile="claude").endswith("Read the file with Read first.")

    def test_claude_must_read_before_it_edits(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, profile="claude")
        edit = ("Edit", {"file_path": "src/app.py", "old_string": "'Hi '", "new_string": "'Hello '"})
        first, _, third = agent.calls(edit, ("Read", {"file_path": "src/app.py"}), edit)
        assert code(first) == "not_read"
        assert not third.is_error

    def test_messages_use_the_names_that_the_model_knows(self, tmp_path: Path) -> None:
        missing, unknown = Agent(tmp_path, profile="claude").calls(
            ("Edit", {"file_path": "src/app.py", "old_string": "x"}),
            ("Edit", {"file_path": "src/app.py", "old_string": "", "new_string": ""}),
        )
        assert missing.output.startswith("new_string is required.")
        assert "oldString" not in unknown.output

    def test_codex_need_not_read_and_an_ambiguous_hunk_is_refused(self, tmp_path: Path) -> None:
        def patch(*lines: str) -> tuple[str, str]:
            return "apply_patch", "\n".join(["*** Begin Patch", "*** Update File: src/app.py", *lines, "*** End Patch"])

        agent = Agent(tmp_path, profile="codex")
        agent.put("src/app.py", APP + "x = 1\nx = 1\n")
        good, bad = agent.calls(
            patch("@@", "-    print('Hi ' + name)  ", "+    print('Hello ' + name)"), patch("@@", "-x = 1", "+x = 2")
        )
        assert not good.is_error
        assert code(bad) == "multiple_matches"

    def test_a_tool_that_the_model_does_not_have_is_refused(self, tmp_path: Path) -> None:
        assert code(Agent(tmp_path, profile="codex").call(READ)) == "invalid_arguments"
        assert code(Agent(tmp_path).call(("grep", {"pattern": "a"}))) == "invalid_arguments"
        unknown = Agent(tmp_path, profile="claude").call(("delete", {}))
        assert "The tools are Read, Edit, MultiEdit, Write, Glob, Grep." in unknown.output

    def test_other_names_are_understood_by_the_session_that_gave_them(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        (tool,) = agent.session.tools("json", only=["read"], names={"read": "cat"})
        assert tool["name"] == "cat"
        assert "greet" in agent.call(("cat", {"path": "src/app.py"})).output

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"only": ["sing"]}, "found sing"),
            ({"names": {"sing": "song"}}, "found sing"),
            ({"names": {"read": "edit"}}, "a different name"),
            ({"profile": "vim"}, "found 'vim'"),
        ],
    )
    def test_a_wrong_choice_is_a_wrong_call(self, given: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            session().tools("json", **given)
