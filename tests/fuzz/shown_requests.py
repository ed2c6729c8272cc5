"""A fuzzer of what people see: no surface hides a character, and none approves what it has not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from suture import Concession, Workspace
from suture.adapters.bridge import Question
from suture.agent.pending import Pending
from suture.agent.requests import Request, describe
from suture.cli.answer_draft import AnswerDraft
from suture.cli.review_views import RequestView
from suture.cli.terminal_view import hunk_rows, wrap
from suture.core.display import has_ink, hunk_text, model_text, one_line, safe_text
from suture.mcp.questions import answer_of, form_of
from suture.mcp.server_limits import MOST_FORM_CHARACTERS
from suture.review.diff_view import RowBudget, hunk_views
from suture.review.file_texts import FileTexts
from suture.review.inbox import InboxItem
from suture.review.notification import notice
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from suture.agent import Answer

#: Characters that have hidden text from people before: fillers, selectors, joiners, separators, and what steers.
HIDING = (
    "\u3164\u115f\u1160\uffa0\u034f\u17b4\u180b\u2800\ufe00\ufe0f\U000e0100\U000e01ef\U000e0041\u00ad\u200b\u200d\u202e"
    "\u2060\u2066\ufeff\u00a0\u2003\u3000\u2028\x85\x1b\x00\x7f\r\t \udcff\ue000\ufffc\U0001d159"
)
WORDS = ("x = 1", "rm -rf ~", "長い", "café", "+", "-", "@@ -1 +1 @@", "[x]", "⟨U+200B⟩")
KEYS = ("page down", "page up", "j", "k", "home", "end", " ", "a", "a")


def make_line(pick: Random) -> str:
    """A line with characters that hide, from all of Unicode too."""
    parts = []
    for _ in range(pick.randrange(8)):
        anything = chr(pick.randrange(0x110000)) * pick.randint(1, 3)
        parts.append(pick.choice((pick.choice(WORDS), pick.choice(HIDING) * pick.randint(1, 50), anything)))
    line = "".join(parts) * pick.choice((1, 1, 1, 40))
    return line.replace("\n", "")


def make_request(pick: Random) -> Request:
    """A request to write texts that hide something, of which some are binary."""
    before = [make_line(pick) for _ in range(pick.randrange(60))]
    after = [make_line(pick) if pick.random() < 0.2 else line for line in before]
    after[pick.randint(0, len(after)) :] = [make_line(pick) for _ in range(pick.choice((1, 3, 80)))]
    contents = [
        ("\n".join(lines) + pick.choice(("\n", ""))).encode("utf-8", "surrogatepass") for lines in (before, after)
    ]
    workspace = Workspace(MemoryFiles({"a.sh": contents[0]} if pick.random() < 0.7 else {}))
    plan = workspace.plan_write("a.sh", contents[1])
    request = Request.from_plan(plan, actor=make_line(pick), tool="write").replace(session=make_line(pick))
    note = Concession(make_line(pick))
    files = [file.replace(target=make_line(pick), concessions=(note, *file.concessions)) for file in request.files]
    return request.replace(files=tuple(files))


def check_ink(text: str, keep: str = "\n") -> None:
    """Nothing in a text is invisible."""
    hidden = {one for one in text if one not in keep and (not has_ink(one) or (one in HIDING and one != " "))}
    assert not hidden, f"{[f'U+{ord(one):04X}' for one in hidden]} are invisible in {text!r}"


def check_texts(request: Request) -> None:
    """Nothing is invisible on any surface."""
    item = InboxItem(request, "mark")
    form = form_of(request)
    # Tabs inside a line are as wide as people know them.
    check_ink(form.message, "\n\t")
    check_ink(str(form.schema["properties"]["decision"]["description"]))
    check_ink("".join(notice([item])))
    question = Question(Pending("write", {}, request, "mark"))
    check_ink(str(question))
    for file in request.files:
        check_ink(safe_text(describe(file)))
        for hunk in question.to_data()["files"][0]["hunks"]:
            check_ink(hunk, "\n\t")
        # Rows have the text of the file as it is. The page marks it, once: tests/review/test_page_characters.py.
        for hunk, view in zip(file.hunks, hunk_views(file.hunks, RowBudget(100_000)), strict=True):
            assert view["total"] >= len(view["rows"]) > 0 or not hunk.lines
        for hunk in file.hunks:
            check_ink(hunk_text(hunk), "\n\t")
            assert not any(
                character in "\x1b\r\x85\u2028\u202e" for character in model_text(str(hunk)).replace("\n", "")
            )


def check_form(request: Request) -> None:
    """A form approves everything only if it shows everything."""
    message = form_of(request).message
    lines = [line for file in request.files for hunk in file.hunks for line in hunk_text(hunk).split("\n")]
    try:
        answer_of("accept", {"decision": "approve"}, request)
    except ValueError:
        assert sum(map(len, lines)) > MOST_FORM_CHARACTERS // 2, "a short request can't be approved"
        return
    assert [line for line in lines if line not in message] == [], "an approved line was not shown"


class RecordingViews:
    """What a view needs of the terminal, and the answer that it gave."""

    def __init__(self) -> None:
        self.inbox = self
        self.given: list[Answer] = []

    def draft_of(self, item: InboxItem, *, anew: bool = False) -> AnswerDraft:  # noqa: ARG002 - it is always a new one
        return AnswerDraft(item.request, lambda path: FileTexts(path, None, None, "not here"))

    def answer(self, _id: str, answer: Answer, _mark: str) -> None:
        self.given.append(answer)

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: None


def check_terminal(request: Request, keys: list[tuple[str, int]], room: int) -> None:
    """A key approves only hunks of which every line has been on the screen."""
    views: Any = RecordingViews()
    view = RequestView(views, InboxItem(request, "mark"))
    drawn: dict[int, set[str]] = {}
    for key, columns in keys:
        shown = [row.text for row in view.frame(columns, room)]
        for text in shown:
            check_ink(text)
        drawn.setdefault(columns, set()).update([text[2:] for text in shown])
        view.press(key)
        if views.given:
            break
    if not views.given:
        return
    (answer,) = views.given
    for file in request.files:
        chosen = answer.hunks.get(file.path, ()) if answer.kind == "some" else range(1, len(file.hunks) + 1)
        for number in range(1, len(file.hunks) + 1) if chosen == "all" else chosen:
            for row in hunk_rows(file.hunks[number - 1])[1:]:
                assert any(
                    all(piece in seen for piece in wrap(row.text, columns - 2)) for columns, seen in drawn.items()
                ), f"approved without having been shown: {one_line(row.text)}"


def check_request(pick: Random) -> tuple[Callable[[], None], Request]:
    """The checks of one request, with keys that somebody presses."""
    request = make_request(pick)
    width = pick.choice((20, 80, 200))
    keys = [(pick.choice(KEYS), pick.choice((width, width, width, 40))) for _ in range(pick.randrange(80))]
    keys += [("home", width), *[("page down", width)] * pick.randrange(120), ("a", width)]
    room = pick.randint(1, 30)

    def run() -> None:
        check_texts(request)
        check_form(request)
        check_terminal(request, keys, room)

    return run, request
