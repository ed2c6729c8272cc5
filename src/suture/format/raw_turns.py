"""Who speaks in raw text: marks after which a user, a tool or the result of a call speaks, and those around reasoning.

Raw text of a model may go on with what others say: the result of a call, with a file or a page in it, or the next turn
of a user. The marks around that can be forged by what is between them, so that nobody can tell where it ends. Edits
before such a mark are read; an edit behind it refuses the text. Reasoning is the model's own, and is left out.
"""

from __future__ import annotations

import re

from ..core.advice import Copy
from .call_arguments import CallError
from .parse_fault import ParseFault
from .reasoning_filter import OPENING, REASONING, end_of_reasoning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.problems import Problem

#: Closings that a text may have alone: the template of the model has put the opening into its prompt.
_LONE_CLOSINGS = tuple([closing for closing in REASONING.values() if closing != "<|end|>"])
_OPENING = re.compile(rf"\s*({OPENING.pattern})")
_NO_MODEL = r"(?!\s*(?:assistant|model|ai)\b)"
#: Special tokens of models after which somebody else speaks.
_TOKENS = (
    rf"<\|(?:im_start|start|start_of_role)\|>{_NO_MODEL}\s*[\w.]",
    rf"<\|start_header_id\|>{_NO_MODEL}\s*\w|<\|header_start\|>{_NO_MODEL}\s*\w",
    r"<\|(?:user|system|developer|tool|observation|function|environment|human|ipython|tool_response|im_user|im_system)\|>",
    r"<\|(?:USER|SYSTEM)_TOKEN\|>|<\|START_TOOL_RESULTS?\|>|<\|tool_(?:outputs?|results?|responses?)_(?:begin|start)\|>",
    r"<｜(?:User|System|tool▁outputs?▁begin)｜>|\[\|(?:user|system|tool)\|\]",
    rf"<start_of_turn>{_NO_MODEL}\s*\w|\[(?:INST|TOOL_RESULTS|SYSTEM_PROMPT)\]|\]~b\](?!ai\b)\w",
)
#: Tags in which agents and templates put the results of calls and what the user sees.
_TAGS = r"</?(?:\w{1,20}:)?(?:tool|function)_(?:response|result|output)s?>|<environment_details>|<TOOL_RESPONSE>"
#: Lines of plain text that begin a turn or a result.
_LINES = r"Human:|EXECUTION RESULT of \[|\[\w{1,60}(?: for '[^'\n]{0,500}')?\] Result:"
_SPEAKER = re.compile(
    rf"(?<![`'\"\w])({'|'.join(_TOKENS)}|{OPENING.pattern})|(?:^|[>\]}})])\s*({_TAGS})|^\s*({_LINES})"
)
#: What every mark has.
_ANY = re.compile(r"<\w|<[|｜/]|\[|\]~|Human:|EXECUTION|◁")
_STEP = re.compile(r"\s*(?:Thought|Action|Action Input):")
_OBSERVATION = re.compile(r"\s*Observation:")
_MODEL_LINE = re.compile(r"\s*(?:Assistant|AI):")
_USER_LINE = re.compile(r"\s*User:")
#: Fences that have the results of calls.
_RESULT_FENCES = ("tool_output", "tool_outputs", "tool_result", "tool_results", "tool_response")


def speaker_mark(text: str) -> str:
    """The first mark in a text outside of edits after which somebody else speaks, or reasoning goes on; maybe empty."""
    if _ANY.search(text) is None:
        return ""
    mark = _SPEAKER.search(text)
    return (mark[1] or mark[2] or mark[3]) if mark else ""


def mark_before_call(text: str) -> str:
    """The first such mark in the text right before a call, on its line; maybe empty."""
    plain = _OBSERVATION.match(text) or _USER_LINE.match(text)
    return plain[0].strip() if plain else speaker_mark(text)


def edit_of_others(mark: str) -> CallError:
    """The refusal of a call behind a mark."""
    return CallError(_message(mark), _HINT)


def _message(mark: str) -> str:
    return (
        f"There is an edit behind {mark}, where somebody other than the model speaks, such as the result of a call. "
        "It can't be told from what the model wrote."
    )


_HINT = Copy("only what the model wrote: no results of calls, no messages of others, no reasoning.")


class RawTurns:
    """Follows who speaks in the lines of a text that are outside of its edits."""

    def __init__(self) -> None:
        #: The mark after which somebody else speaks; empty as long as the model does.
        self.mark = ""
        #: The first edit that is not certainly the model's.
        self.problem: Problem | None = None
        #: The line of the first reasoning that was left out; 0 if there is none.
        self.reasoning_line = 0
        self._closing = ""
        self._has_steps = self._has_model_line = False

    def without_reasoning(self, line: str, number: int) -> str:
        """The part of a line that is no reasoning."""
        if not self._closing and _ANY.search(line) is None:
            return line
        at = 0
        while True:
            if not self._closing:
                opening = _OPENING.match(line, at)
                if opening is None:
                    return line[at:]
                self._closing = REASONING[opening[1].lower()]
                self.reasoning_line = self.reasoning_line or number
            at = end_of_reasoning(line, self._closing, at)
            if at < 0:
                return ""
            self._closing = ""

    def close(self, number: int) -> None:
        """Note the end of the text: the rest of it is no reasoning for certain if nothing closes it."""
        if self._closing and self.problem is None:
            message = f"There is reasoning that has no {self._closing}, so that edits in it or behind it would be lost."
            hint = f"Put {self._closing} behind the reasoning."
            self.problem = ParseFault(number, message, hint, reason="not_the_model").problem()

    def note_line(self, line: str, number: int, *, has_edits: bool) -> None:
        """Note a line outside of edits, or the text beside an edit on its line."""
        if self.mark:
            return
        if has_edits and any(closing in line.lower() for closing in _LONE_CLOSINGS):
            message = f"There is an edit before {line.strip()[:40]}, which closes reasoning that nothing has opened."
            self.problem = ParseFault(number, message, _HINT, reason="not_the_model").problem()
        self.mark = speaker_mark(line)
        if not self.mark and self._has_steps and _OBSERVATION.match(line):
            self.mark = "Observation:"
        if not self.mark and self._has_model_line and _USER_LINE.match(line):
            self.mark = "User:"
        self._has_steps = self._has_steps or _STEP.match(line) is not None
        self._has_model_line = self._has_model_line or _MODEL_LINE.match(line) is not None

    def note_fence(self, info: str) -> None:
        """Note the text after the marks that open a fence."""
        if not self.mark and info.strip().lower() in _RESULT_FENCES:
            self.mark = f"a fence {info.strip()}"

    def note_edit(self, number: int) -> None:
        """Note an edit at a line: behind a mark, it refuses the text."""
        if self.mark and self.problem is None:
            self.problem = ParseFault(number, _message(self.mark), _HINT, reason="not_the_model").problem()
