"""A deep agent with a scripted chat model. Its own tools have other names than ours, and no patches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deepagents import create_deep_agent
from langgraph.checkpoint.memory import InMemorySaver
from tests.adapters.drive_langchain import LangChainDriver, ScriptedModel

from suture.adapters.deepagents import SutureBackend
from suture.adapters.langchain import suture_tools

if TYPE_CHECKING:
    from tests.adapters.driver import Call

#: Its tools and their arguments, by ours.
TOOLS = {
    "read": ("read_file", {"filePath": "file_path", "limit": "limit"}),
    "edit": ("edit_file", {"filePath": "file_path", "oldString": "old_string", "newString": "new_string"}),
    "write": ("write_file", {"filePath": "file_path", "content": "content"}),
}


class DeepAgentsDriver(LangChainDriver):
    """An agent with a checkpointer, whose backend is a session."""

    has_insert = False
    edits_at_once = False
    missing = "old_string: Field required"

    def make_session(self, **settings: Any) -> Any:
        return super().make_session(**{**settings, "blocks": True})

    def open(self) -> None:
        self.saver = InMemorySaver()
        self.agent: Any = create_deep_agent(
            ScriptedModel(driver=self),
            suture_tools(self.session, only=["apply_patch"]),
            backend=SutureBackend(self.session),
            checkpointer=self.saver,
        )

    def next_calls(self, turns: int) -> list[Call]:
        return [_translate(*call) for call in super().next_calls(turns)]


def _translate(name: str, given: dict[str, Any]) -> Call:
    if name not in TOOLS:
        return name, given
    theirs, arguments = TOOLS[name]
    values = {**given, "filePath": f"/{given['filePath']}"}
    return theirs, {arguments[key]: value for key, value in values.items()}
