"""Finding the edits in what a model answered: several forms and several files, in prose.

The text is read once, line by line. Outside of a block, a line may open one: each form has lines that open it. Inside,
the block's reader takes lines until the block ends. The rest is prose, in which the paths of blocks are looked for.
Nothing is guessed: whole files are read only on request, and a file that is changed in two forms is an error.
"""

from __future__ import annotations

import re

from ..core.advice import Copy, Send
from ..core.patch import Patch
from ..core.problems import PatchInvalidError
from .ambiguities import ambiguities
from .block_order import in_order, without_operations
from .blocks import CallBlock
from .call_blocks import JsonBlock, MarkupBlock, TranscriptBlock, json_start
from .color_filter import ColorFilter
from .diff_blocks import UnifiedBlock, opens_diff
from .envelope import parse_envelope, too_large
from .envelope_blocks import EnvelopeBlock
from .envelope_text import is_envelope_alone
from .format_limits import MOST_BLOCK_PROBLEMS, MOST_LAYOUT_LINES, MOST_NAMED_LEFTOVERS
from .leftovers import LinesBelowDiff, all_excluded, leftover, no_edits
from .markup_calls import markup_of
from .opening_lines import begins_envelope, closes_fence, without_indent, without_tags
from .parse_errors import sort_problems
from .path_lines import PathLines, is_path, path_in, path_in_comment, path_in_fence
from .raw_syntax import behind_message_token, tool_above
from .raw_turns import RawTurns
from .search_replace import SearchReplaceBlock, opens_block
from .sections import ParserState
from .text_calls import TextCalls
from .tool_calls import CallLog
from .unread_calls import UnreadCall
from .unread_text import UnreadText
from .whole_files import SavedFileBlock, SketchBlock, WholeFileBlock, is_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Operation
    from ..core.problems import Problem
    from .blocks import Block
    from .diff_blocks import Exclude

_OPENING = re.compile(
    r"\*\*\*|<|SEARCH|ORIGINAL|^(?:diff -|Index: |Binary files |@@|\s*[{\[])|\{[\"']|\[TOOL|functools\[|^\s*[\w.]+\("
    r"|^\s*(?:edit +[\d\"']|str_replace_editor )"
)
_DIFF_FENCES = ("diff", "patch", "udiff")


class AnswerParser:
    """Parses an answer that arrives in pieces; see `PatchParser`."""

    def __init__(
        self,
        dialect: Dialect,
        form: str | None,
        strip: int | None,
        max_size: int,
        max_sections: int,
        exclude: Exclude | None = None,
        path: str = "",
    ) -> None:
        self._state = ParserState(dialect)
        self._form = form
        self._strip = strip
        self._exclude = exclude
        self._max_size = max_size
        self._max_sections = max_sections
        self._size = 0
        self._pieces: list[str] = []
        #: The piece of a line whose end has not arrived.
        self._rest: list[str] = []
        self._block: Block | None = None
        self._found: list[tuple[Block, Sequence[Operation]]] = []
        self._count = 0
        #: Whether the whole text has no edits.
        self.is_empty = False
        #: Whether it has been reported that there are too many.
        self._is_over_limit = False
        self._paths = PathLines(path)
        self._calls = CallLog(self._read_inner)
        #: The tool that a line names for the JSON value below it.
        self._tool = ""
        #: The marks that opened the fence around the current line, and the text after them.
        self._fence, self._info = "", ""
        self._fence_is_new = False
        self._text_calls = TextCalls(self._state, self._calls)
        #: How far that fence is indented, as in a list.
        self._indent = 0
        #: A line `--- x` that may open a diff.
        self._dashes = ""
        self._prose = 0
        #: Who speaks outside of the blocks, and whether the block that is open is certainly the model's.
        self._turns = RawTurns()
        self._is_certain = True
        self._crlf = False
        self._seen: list[str] = []
        #: Lines that no block took although they were meant as edits.
        self._leftovers: list[Problem] = []
        self._below_diff = LinesBelowDiff(0, is_diff=False)
        self._unread = UnreadText(markup=self._reads("xml"), json=self._reads("json"), diffs=self._reads("unified"))
        #: A call whose end token has not been read.
        self._open_call: JsonBlock | None = None
        #: The result of the first envelope, and whether there is anything else in the text.
        self._envelope: Patch | PatchInvalidError | None = None
        self._has_more = False
        #: Whether a message began in the middle of a line.
        self._is_behind_token = False

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations read so far; the last one may still grow."""
        open_ones = [(self._block, self._block.operations())] if self._block is not None else []
        return tuple(in_order(without_operations([*self._found, *open_ones], self._calls.left_out)))

    def feed(self, piece: str) -> None:
        """Take the next piece of the text, of any size."""
        self._size += len(piece)
        if self._size > self._max_size:
            return
        self._pieces.append(piece)
        cut = piece.rfind("\n") + 1
        if not cut:
            self._rest.append(piece)
            return
        complete = "".join((*self._rest, piece[:cut]))
        self._rest = [piece[cut:]] if cut < len(piece) else []
        state = self._state
        for line in complete[:-1].split("\n"):
            block = self._block
            if isinstance(block, EnvelopeBlock) and "***" not in line:
                state.number += 1
                block.lines.append(line)
            elif line or block is not None or self._dashes:
                self._read(line)
            else:
                state.number += 1

    def close(self) -> Patch:
        """Return the patch, at the end of its text.

        Raises:
            PatchInvalidError: the text has no edits, or edits that can't be read.
        """
        if self._size > self._max_size:
            raise PatchInvalidError([too_large(self._size, self._max_size)])
        cut = any(self._rest)
        if cut:
            self._read("".join(self._rest))
            self._rest = []
        if self._block is not None:
            self._check_end(self._block, cut=cut)
            self._finish_block()
        if self._calls.streams.is_used or self._calls.spoken:
            has_edits = bool(self._found or self._state.problems)
            self._open(TranscriptBlock(self._state, self._calls, has_edits=has_edits))
            self._finish_block()
        self._check_end_token("")
        state = self._state
        self._turns.close(state.number)
        if self._turns.problem is not None:
            raise PatchInvalidError([self._turns.problem])
        if self._turns.reasoning_line:
            state.concede("reasoning", self._turns.reasoning_line)
        for name, operation in self._calls.left_out:
            state.concede(name, operation.line)
        self._found = without_operations(self._found, self._calls.left_out)
        self._leftovers += [*self._calls.unread, *self._unread.close()]
        if self._form is None and not self._has_more and isinstance(self._envelope, Patch):
            return self._envelope
        forms = dict.fromkeys(block.form for block, _ in self._found)
        state.problems += self._leftovers if self._found else ()
        text = "".join(self._pieces)
        faults = [*state.problems, *self._leftovers]
        may_be_envelope = self._form is None and not (forms and self._is_behind_token)
        if may_be_envelope and is_envelope_alone(text, self._found, state.problems, faults):
            try:
                return parse_envelope(text, state.dialect, max_size=self._max_size, max_sections=self._max_sections)
            except PatchInvalidError:
                # An envelope inside of JSON, with prose around that.
                if state.problems or not any(isinstance(block, JsonBlock) for block, _ in self._found):
                    raise
        if not state.problems:
            state.problems += ambiguities(self._found) if self._found else self._leftovers or [self._no_edits()]
        if state.problems:
            raise PatchInvalidError(sort_problems(state.problems))
        if self._prose:
            state.concede("prose", self._prose)
        concessions = tuple(sorted(state.concessions, key=lambda concession: concession.line))
        form = next(iter(forms)) if len(forms) == 1 else "mixed"
        return Patch(tuple(in_order(self._found)), None, concessions, form, self._strip)

    def _read_inner(self, text: str, form: str | None, path: str) -> Patch:
        """The patch in a text inside of a call or a message; without operations if it has no edits."""
        parser = AnswerParser(
            self._state.dialect, form, self._strip, self._max_size, self._max_sections, self._exclude, path
        )
        colors = ColorFilter()
        parser.feed(colors.feed(text) + colors.close())
        try:
            return parser.close()
        except PatchInvalidError:
            if parser.is_empty:
                return Patch(())
            raise

    def _no_edits(self) -> Problem:
        self.is_empty = True
        excluded = [one.about for one in self._state.concessions if one.name == "excluded"]
        if excluded:
            return all_excluded(excluded)
        names = [one.name for one in self._state.concessions]
        return no_edits("".join(self._pieces), self._form, self._seen, names)

    def _read(self, line: str) -> None:
        self._state.number += 1
        block = self._block
        if self._indent and not isinstance(block, EnvelopeBlock):
            line = without_indent(line, self._indent, whole=isinstance(block, UnifiedBlock))
        plain = self._without_cr(line)
        if block is not None:
            if self._fence and block.is_ended_by(plain, self._fence):
                self._finish_block()
                self._close_fence()
                return
            is_other = (
                isinstance(block, JsonBlock)
                and plain.lstrip()[:1] not in {"{", "[", '"'}
                and self._may_open(plain)
                and self._opening(plain, json=False)
            )
            if not is_other and block.read(line if isinstance(block, UnifiedBlock | EnvelopeBlock) else plain):
                if block.is_complete:
                    self._finish_block()
                return
            self._finish_block()
        self._read_outside(line, plain)

    def _without_cr(self, line: str) -> str:
        if line[-1:] != "\r":
            return line
        if not self._crlf and not isinstance(self._block, UnifiedBlock | EnvelopeBlock):
            self._state.concede("crlf")
            self._crlf = True
        return line[:-1]

    def _read_outside(self, line: str, plain: str) -> None:
        spoken = self._turns.without_reasoning(plain, self._state.number)
        if spoken != plain:
            self._has_more = True
            line = plain = spoken
        head, rest = behind_message_token(plain)
        if head:
            self._is_behind_token = True
            self._read_outside(head, head)
            self._read_outside(rest, rest)
            return
        text = plain.strip()
        dashes, self._dashes = self._dashes, ""
        if dashes:
            if plain.startswith("+++ ") and self._reads("unified"):
                self._state.number -= 1
                self._open(self._diff_block(""), dashes)
                self._read(line)
                return
            self._note_prose(dashes)
        if not text:
            return
        self._check_end_token(text)
        if text.startswith(("```", "~~~")):
            self._has_more = True
            self._read_fence(text, len(plain) - len(plain.lstrip(" ")))
            return
        if self._form in ("whole", "sketch") and self._fence_is_new and (path := path_in_comment(plain)):
            self._paths.take_new()
            self._open_file(path, self._fence)
            return
        block = self._opening(plain) if self._may_open(plain) else None
        self._has_more = self._has_more or not isinstance(block, EnvelopeBlock)
        if not isinstance(block, CallBlock):
            self._turns.note_line(plain, self._state.number, has_edits=bool(self._found))
        if block is not None:
            self._open(block, *(() if isinstance(block, SearchReplaceBlock) else (line,)))
        elif plain.startswith("--- "):
            self._dashes = line
        else:
            self._note_prose(plain)
        self._fence_is_new = False

    def _may_open(self, line: str) -> bool:
        """Whether a line has what the opening of a block needs: most lines don't, and cost little."""
        return self._fence_is_new or _OPENING.search(line) is not None

    def _reads(self, form: str) -> bool:
        return self._form is None or self._form == form

    def _opening(self, line: str, *, json: bool = True) -> Block | None:
        """The block that a line opens."""
        state = self._state
        if "***" in line and self._reads("envelope") and begins_envelope(line):
            return EnvelopeBlock(state, self._max_size, self._max_sections)
        if "SEARCH" in line or "ORIGINAL" in line:
            marker = without_tags(line)
            if self._reads("search-replace") and opens_block(marker):
                return SearchReplaceBlock(state, self._block_path(), marker.rstrip())
        if self._reads("unified") and self._opens_diff(line):
            return self._diff_block("" if line.startswith("diff --") else self._block_path())
        # Markup in the texts of JSON is no call.
        is_json = json and line.lstrip()[:1] in ("{", "[") and json_start(line) >= 0
        markup_call = markup_of(line) if self._reads("xml") and not is_json else None
        if markup_call is not None:
            tool, closing_tag = markup_call
            # Only this tool takes its path from the text before it.
            path = self._block_path() if tool == "edits" else ""
            return MarkupBlock(state, self._calls, tool, closing_tag, path)
        if not json or not self._reads("json"):
            return None
        block = self._text_calls.block(line, self._fence, self._info, self._block_path, is_first=self._fence_is_new)
        # A path may have brackets: `[[...slug]].tsx`.
        if block is None and json_start(line) >= 0 and not is_path(line.strip(" :")):
            tool, self._tool = self._tool, ""
            return JsonBlock(state, self._calls, tool)
        return block

    def _block_path(self) -> str:
        """The path for a block that begins now."""
        is_first = not self._paths.last
        path = self._paths.take()
        if is_first and path and path == self._paths.default:
            self._state.concede("path_assumed")
        return path

    def _diff_block(self, path: str) -> UnifiedBlock:
        return UnifiedBlock(self._state, path, fenced=bool(self._fence), strip=self._strip, exclude=self._exclude)

    def _opens_diff(self, line: str) -> bool:
        if opens_diff(line):
            return True
        if not self._fence:
            return False
        is_diff = self._fence_is_new and self._info.partition(" ")[0].lower() in _DIFF_FENCES
        return line.startswith("@@") or (is_diff and line[:1] in (" ", "+", "-") and not line.startswith("--- "))

    def _open(self, block: Block, *lines: str) -> None:
        self._block, self._is_certain = block, not self._turns.mark
        self._leftovers += self._unread.end_at_block()
        for line in lines:
            block.read(line)
        if block.is_complete:
            self._finish_block()

    def _check_end(self, block: Block, *, cut: bool) -> None:
        """Refuse a diff in an open fence at the end of the text that may have been cut off, even inside of a line."""
        if isinstance(block, UnifiedBlock) and self._fence and (cut or not block.has_all_lines):
            hint = Copy("the whole diff again, and close the fence.")
            block.error("The fence of this diff is not closed; it may have been cut off.", hint)

    def _check_end_token(self, text: str) -> None:
        """Refuse a call whose end token is not the next text: it may have been cut off."""
        block, self._open_call = self._open_call, None
        if block is not None and not text.startswith(block.end_token):
            block.refuse_open()

    def _finish_block(self) -> None:
        block = self._block
        assert block is not None, "BUG: a block is open"
        self._block = None
        self._below_diff = LinesBelowDiff(self._state.number, is_diff=isinstance(block, UnifiedBlock))
        operations = block.finish()
        if block.takes_fence_end:
            self._close_fence()
        if isinstance(block, EnvelopeBlock) and self._envelope is None:
            self._envelope = block.result
        else:
            self._has_more = True
        if isinstance(block, CallBlock):
            self._turns.note_line(block.text_beside, self._state.number, has_edits=bool(self._found))
        if operations:
            if isinstance(block, JsonBlock) and block.end_token:
                self._open_call = block
            if not self._is_certain:
                self._turns.note_edit(block.line)
            self._found.append((block, operations))
            self._count += len(operations)
        if self._count > self._max_sections and not self._is_over_limit:
            self._is_over_limit = True
            message = f"The text has more than {self._max_sections} edits."
            block.error(message, Send("them in several parts."), limit=self._max_sections)

    def _close_fence(self) -> None:
        self._fence, self._indent = "", 0

    def _read_fence(self, text: str, indent: int) -> None:
        """Read a line of backticks or tildes, which closes the open fence or opens another one."""
        if self._fence and closes_fence(text, self._fence):
            self._close_fence()
            self._paths.close_fence()
            return
        self._indent += indent
        info = text.lstrip(text[0])
        mark = text[: len(text) - len(info)]
        self._fence, self._info, self._fence_is_new = mark, info.strip(), True
        self._turns.note_fence(self._info)
        self._paths.note_path(path_in_fence(self._info))
        self._paths.open_fence()
        tool, _, given = self._info.partition(" ")
        if tool in ("save", "append") and given.strip() and self._reads("json"):
            if is_path(given.strip(), alone=True):
                self._fence, self._fence_is_new = "", False
                self._open(SavedFileBlock(self._state, given.strip(), mark, appends=tool == "append"))
                return
            self._leftovers.append(UnreadCall(self._state.number, tool, "").problem("json"))
        has_files = self._form in ("whole", "sketch")
        if has_files and (path := self._paths.take_new()) and not is_command(self._info, path):
            self._open_file(path, mark)
            return
        if len(self._seen) < MOST_NAMED_LEFTOVERS:
            kind = f"{self._info.split()[0][:20]} " if self._info else ""
            self._seen.append(f"a fenced {kind}block at line {self._state.number}")

    def _open_file(self, path: str, mark: str) -> None:
        """Open a file whose fence has this mark; it takes the end of the fence."""
        self._fence, self._fence_is_new = "", False
        block = SketchBlock if self._form == "sketch" else WholeFileBlock
        self._open(block(self._state, path, mark))

    def _note_prose(self, line: str) -> None:
        """Note a line that is in no block: what it says about the next block, and whether it is an edit left unread."""
        self._paths.note(line)
        self._text_calls.note(line)
        self._tool = tool_above(line) or self._tool
        if len(self._leftovers) < MOST_BLOCK_PROBLEMS and (problem := self._leftover(line)):
            self._leftovers.append(problem)
        if not self._prose and not self._fence:
            is_tag = line.lstrip().startswith("<")
            is_path_at_top = self._state.number < MOST_LAYOUT_LINES and path_in(line)
            self._prose = 0 if is_tag or is_path_at_top else self._state.number

    def _leftover(self, line: str) -> Problem | None:
        """The problem with a line that no block has taken, if it was meant as an edit."""
        number = self._state.number
        unread = self._unread.note(line, number, self._info if self._fence else None, is_first=self._fence_is_new)
        return leftover(line, number, self._form) or self._below_diff.note(line, number) or unread
