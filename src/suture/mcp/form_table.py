"""What the forms of clients show, and what they need. A client that is not in the table shows all of a form.

Nobody can approve what was not shown. A client that cuts a form says nothing about it, so this is known by its name and
release alone, from running it. Such a client gets no form: the user decides in `suture review`.
"""

from __future__ import annotations

from ..core.value import Value
from .server_limits import MOST_RELEASE_DIGITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class FormRow(Value):
    """The forms of one client."""

    #: The newest release that was run and showed all of a form. Later ones are taken to cut it. Empty: no release does.
    shows_all_until: tuple[int, ...] = ()
    #: Whether a form with an empty text field can't be sent.
    needs_all_fields: bool = False


#: By the names with which clients introduce themselves.
FORMS: Mapping[str, FormRow] = {
    # 2.1.328 shows four lines of the message, each cut at the edge of the screen, and one line of a description.
    "claude-code": FormRow(shows_all_until=(2, 1, 197)),
    "codex-mcp-client": FormRow(needs_all_fields=True),
}
_OTHER = FormRow()


def form_row(name: str) -> FormRow:
    """The forms of the client of this name."""
    return FORMS.get(name, _OTHER)


def cuts_forms(name: str, release: str) -> bool:
    """Whether a client does not show all of a form. An unknown release of one that does so is taken to do so, too."""
    last = form_row(name).shows_all_until
    return bool(last) and not () < _numbers(release) <= last


def _numbers(release: str) -> tuple[int, ...]:
    """The numbers of a release such as 2.1.197; none if it is written in another way."""
    parts = release.split(".")
    if all(part.isascii() and part.isdigit() and len(part) <= MOST_RELEASE_DIGITS for part in parts):
        return tuple(map(int, parts))
    return ()
