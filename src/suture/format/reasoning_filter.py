"""Reasoning at the start of an answer: what is between `<think>` and `</think>`, or other such marks, is no edit.

Only its line breaks are kept, so that line numbers stay those of the answer.
"""

from __future__ import annotations

import re

from ..core.problems import PatchInvalidError, Problem

#: What opens reasoning, and what closes it, in lower case.
REASONING = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<seed:think>": "</seed:think>",
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
    "<|start_thinking|>": "<|end_thinking|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|channel|>analysis<|message|>": "<|end|>",
    "<|start|>assistant<|channel|>analysis<|message|>": "<|end|>",
}
#: What opens it, as a pattern. Only letters of ASCII have two cases here: `ı` is no `i`, and `<thınk>` no tag.
OPENING = re.compile(f"(?ai:{'|'.join(map(re.escape, sorted(REASONING, key=len, reverse=True)))})")
#: What closes reasoning, as patterns: a text in lower case can have another length than the text.
_CLOSINGS = {closing: re.compile(re.escape(closing), re.IGNORECASE | re.ASCII) for closing in REASONING.values()}


def begins_with_reasoning(text: str) -> bool:
    """Whether an answer begins with reasoning."""
    return OPENING.match(text.lstrip()) is not None


def end_of_reasoning(text: str, closing: str, start: int = 0) -> int:
    """Where the first such closing behind `start` ends; -1 if there is none."""
    tag = _CLOSINGS[closing].search(text, start)
    return -1 if tag is None else tag.end()


class ReasoningFilter:
    """Takes the reasoning out of an answer that arrives in pieces."""

    def __init__(self) -> None:
        #: What may be the beginning of a tag.
        self._held = ""
        #: The tag that closes the reasoning, once it has begun.
        self._closing = ""
        #: Whether the rest of the answer is no reasoning.
        self.is_done = False
        #: Whether there was any.
        self.has_reasoning = False

    def feed(self, piece: str) -> str:
        """The part of a piece, and of what was held before it, that is no reasoning."""
        text, self._held = self._held + piece, ""
        if self.is_done:
            return text
        start = text.lstrip()
        blanks = text[: len(text) - len(start)]
        if not self._closing:
            opening = OPENING.match(start)
            if opening is None:
                if any(tag.startswith(start.lower()) for tag in REASONING):
                    self._held = start
                    return blanks
                self.is_done = True
                return text
            self._closing, self.has_reasoning = REASONING[opening[0].lower()], True
        end = end_of_reasoning(text, self._closing)
        if end >= 0:
            self.is_done = True
            return "\n" * text.count("\n", 0, end) + text[end:]
        cut = max(0, len(text) - len(self._closing) + 1)
        self._held = text[cut:]
        return "\n" * text.count("\n", 0, cut)

    def close(self) -> str:
        """What was held, at the end of the answer.

        Raises:
            PatchInvalidError: the reasoning has no end.
        """
        if not self._closing or self.is_done:
            return self._held
        message = f"The answer begins with reasoning that has no {self._closing}, so it contains no edits."
        hint = f"Put {self._closing} before the edits."
        raise PatchInvalidError([Problem("patch_parse_error", message, details={"line": 1}, hint=hint)])
