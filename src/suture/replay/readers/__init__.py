"""The readers: one module for each agent, and the table of them."""

from __future__ import annotations

from .. import transcript_limits
from .aider import Aider
from .claude_code import ClaudeCode
from .cline import Cline
from .codex import Codex
from .copilot_cli import CopilotCli
from .gemini_cli import GeminiCli
from .opencode import OpenCode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..recording import TranscriptReader

#: In the order in which they are asked whether a document is theirs.
READERS: tuple[type[TranscriptReader], ...] = (Aider, Cline, Codex, CopilotCli, GeminiCli, OpenCode, ClaudeCode)


def find_reader(name: str, data: bytes) -> type[TranscriptReader] | None:
    """The reader of a document, by its name and its first bytes."""
    head = data[: transcript_limits.TRANSCRIPT_HEAD]
    return next((reader for reader in READERS if reader.recognizes(name, head)), None)
