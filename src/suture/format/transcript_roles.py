"""Who says something in a transcript: the model, whose edits are read, or somebody else, or the result of a call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

#: Who speaks for the model, as transcripts call it.
MODEL_ROLES = ("assistant", "model", "ai", "gpt", "function_call")
#: Who speaks for others. What they say is no edit, whatever form it has: a file or a page may have put it there.
_OTHER_ROLES = ("user", "human", "system", "developer", "tool", "function", "observation")
#: Where a message says who speaks, and types that say it, as logs have them.
_SPEAKERS = ("role", "author", "from", "sender", "speaker")
_OTHER_TYPES = ("human", "user", "system", "user_message", "user_feedback")
_OTHER_CLASSES = ("HumanMessage", "SystemMessage", "ToolMessage", "FunctionMessage")
#: What a log says that calls have done (the same edits once more, or what a tool has found), and what a model thinks.
RESULTS = (
    *("toolUseResult", "tool_use_result", "tool_result", "toolResult", "tool_output", "observation"),
    *("structuredContent", "structured_content", "thinking", "reasoning", "reasoning_content"),
    "tool_call_metadata",
)
RESULT_TYPES = (
    *("tool_result", "function_call_output", "custom_tool_call_output", "mcp_tool_result", "function_response"),
    *("toolResponse", "tool-result", "thinking", "redacted_thinking", "reasoning"),
)
#: What the arguments of a call are called, and how a log says that it changed nothing.
_ARGUMENTS = ("input", "args", "arguments", "rawInput")
_FAILED = ("error", "output-error", "failed", "cancelled", "canceled", "rejected", "declined", "denied")


def is_of_others(item: Mapping[str, Any]) -> bool:
    """Whether an object is a message of somebody other than the model, or a call that failed."""
    if any(name in item for name in _ARGUMENTS) and says_failed(item):
        return True
    if item.get("type") in _OTHER_TYPES or item.get("say") in _OTHER_TYPES:
        return True
    class_path = item.get("id")
    if isinstance(class_path, list) and class_path and class_path[-1] in _OTHER_CLASSES:
        return True
    speaker = next((item[name] for name in _SPEAKERS if item.get(name)), None)
    role = speaker.get("role") if isinstance(speaker, dict) else speaker
    return isinstance(role, str) and role.lower() in _OTHER_ROLES


def has_failed(result: Mapping[str, Any]) -> bool:
    """Whether the result of a call is an error."""
    if any(result.get(name) is True for name in ("is_error", "isError")):
        return True
    for name in ("toolResult", "output"):
        inner = result.get(name)
        if isinstance(inner, dict) and (says_failed(inner) or has_failed(inner)):
            return True
    return False


def says_failed(item: Mapping[str, Any]) -> bool:
    """Whether an object of a log says that a call has failed."""
    if any(item.get(name) in _FAILED for name in ("status", "state")):
        return True
    # An event of Cursor's command line has the result beside the arguments.
    calls = item.get("tool_call")
    if not isinstance(calls, dict):
        return False
    for call in calls.values():
        result = call.get("result") if isinstance(call, dict) else None
        if isinstance(result, dict) and ("error" in result or "rejected" in result):
            return True
    return False


def results_of(item: Mapping[str, Any]) -> Collection[str]:
    """The members of an object of a transcript that are results of calls, or reasoning."""
    if "jsonrpc" in item:
        return (*RESULTS, "result")
    if "toolCallId" in item:
        # A part of a message of the AI SDK.
        return (*RESULTS, "output", "result")
    return (*RESULTS, "output", "metadata") if "status" in item and "input" in item else RESULTS


def said_by_model(item: Mapping[str, Any]) -> Collection[object]:
    """The values of an object of a transcript that the model may have written; none if it is of others, or a result."""
    if is_of_others(item) or item.get("type") in RESULT_TYPES:
        return ()
    left_out = results_of(item)
    return [value for name, value in item.items() if name not in left_out]
