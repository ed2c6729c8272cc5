"""The requests of all sessions on this machine that wait for an answer, and the answers to them.

An inbox reads the approval folders in the user's state directory, and those that it is given. It keeps nothing of its
own, so all front ends see the same. An answer names the fingerprint of what was shown, and is refused if the request is
about something else now.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from time import time

from ..agent.answers import APPROVALS
from ..agent.approval_folder import ApprovalFolder, read_request
from ..agent.requests import Request  # noqa: TC001 - an annotation that is resolved to read JSON
from ..agent.rules import Rule, Rules
from ..core.common_limits import LARGEST_CONTENT
from ..core.fingerprint import fingerprint
from ..core.fork_lock import ForkLock
from ..core.json_values import JsonValue
from ..state.approval_requests import NotPendingError
from ..state.refused_files import refused_base
from ..state.state_folder import approvals_base, remove_idle_folders
from ..workspace.files.folder_walk import walk_folders
from .file_texts import FileTexts, has_changed, read_content, requested_texts
from .review_limits import MOST_COVERED, MOST_PENDING, MOST_VISITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..agent.answer_log import AnswerRecord
    from ..agent.answers import Answer
    from ..core.outcome import Change

#: When what is kept of a workspace is removed if nothing happens there, in seconds.
IDLE = 30 * 24 * 3600.0


class RefusedAnswerError(Exception):
    """An answer does not count. `item` is the request as it is now, or None if it no longer waits."""

    def __init__(self, reason: str, item: InboxItem | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.item = item


class InboxItem(JsonValue):
    """A request that waits. `fingerprint` is what an answer to it has to name.

    `stale` has a sentence for each file that has changed since the request was made: it can't be approved any more.
    """

    request: Request
    fingerprint: str
    stale: tuple[str, ...] = ()
    #: Until when the agent waits, in seconds since 1970; 0 if it waits as long as it takes.
    deadline: float = 0.0

    @property
    def id(self) -> str:
        """The id of the request."""
        return self.request.id

    @property
    def cautions(self) -> tuple[str, ...]:
        """Why a request needs a closer look than others, in a word each; empty if nothing is special about it."""
        request = self.request
        is_outside = any(file.path.startswith("/") for file in request.files)
        words = {
            "outside": is_outside or request.permission == "external_directory",
            "delete": any(file.kind == "delete" for file in request.files),
            "mode": any(file.mode for file in request.files),
            "binary": any(file.binary for file in request.files),
            "loose": any(file.notes() for file in request.files if not file.mode),
        }
        return tuple([word for word, is_so in words.items() if is_so])

    def waiting_note(self, now: float) -> str:
        """How long the agent waits, or what a late answer does; empty if it waits as long as it takes."""
        if not self.deadline or now >= self.deadline:
            return self.late_note(now)
        seconds = int(self.deadline - now)
        return f"The agent waits {f'{seconds // 60} min ' if seconds >= 60 else ''}{seconds % 60} s more."

    def late_note(self, now: float) -> str:
        """What an answer does although the agent no longer waits for it; empty if it does wait."""
        if not self.deadline or now < self.deadline:
            return ""
        if self.request.stays_open:
            return "The agent no longer waits: an answer takes effect when it sends the same call again."
        return "The agent no longer waits: an answer may come too late."


class Coverage(JsonValue):
    """What an answer "always" would cover: files that exist now, and other requests that wait.

    `more` says that there are more files than listed, `cut` that not all files were looked at. `is_complete` says that
    the list and the patterns name everything: each file is listed, or is in a directory that a pattern covers wholly.
    """

    patterns: tuple[str, ...]
    files: tuple[str, ...] = ()
    more: int = 0
    cut: bool = False
    requests: tuple[str, ...] = ()
    #: Whether it covers the request that it is an answer to, which is approved in any case.
    covers_request: bool = True
    is_complete: bool = True


class Inbox:
    """The requests that wait, newest first. `folders` are approval folders besides those of the state directory."""

    def __init__(self, folders: Iterable[str | os.PathLike[str]] = ()) -> None:
        self._more = [str(Path(folder).absolute()) for folder in folders]
        #: By the path of its directory: the inode, the request, and the fingerprint of its text. They never change.
        self._known: dict[str, tuple[int, Request, str]] = {}
        self._hashes = _Hashes()
        #: What is known is shared by the threads of a server.
        self._lock = ForkLock()

    def folders(self) -> list[str]:
        """The approval folders that exist."""
        base = approvals_base()
        folders = []
        with suppress(OSError), os.scandir(base) as entries:
            folders = sorted([entry.path for entry in entries if entry.is_dir(follow_symlinks=False)])
        return [*folders, *[folder for folder in self._more if folder not in folders and Path(folder).is_dir()]]

    def pending(self, limit: int = MOST_PENDING) -> list[InboxItem]:
        """The requests that wait, newest first."""
        with self._lock:
            requests = sorted(self._waiting(), key=lambda known: (known[1].time, known[1].id), reverse=True)
            return [self._item(*waiting) for waiting in requests[:limit]]

    def count(self) -> int:
        """How many requests wait."""
        with self._lock:
            return sum(1 for _ in self._waiting())

    def item(self, request_id: str) -> InboxItem:
        """One request that waits.

        Raises:
            RefusedAnswerError: it does not wait; the reason says what became of it.
        """
        return self._find(request_id)[1]

    def texts(self, request_id: str, path: str) -> FileTexts:
        """A file of a request before and after.

        Raises:
            RefusedAnswerError: the request no longer waits.
            KeyError: it has no such file.
        """
        return requested_texts(self.item(request_id).request.file(path))

    def answer(self, request_id: str, answer: Answer, fingerprint: str) -> None:
        """Answer a request. `fingerprint` is that of the item that was shown.

        Raises:
            RefusedAnswerError: it no longer waits, has changed, or a file of it has.
            ValueError: it does not answer this request, or a pattern is not a glob.
        """
        folder, item = self._find(request_id)
        if item.fingerprint != fingerprint:
            raise RefusedAnswerError("The request has changed since it was shown.", item)
        if item.stale and answer.kind in APPROVALS:
            raise RefusedAnswerError(" ".join(item.stale), item)
        if item.stale and answer.kind == "reject" and not answer.message:
            # The model can do something about this reason, and about no reason it can't.
            answer = answer.replace(message=f"{' '.join(item.stale)} Read it again before you send the edit again.")
        if answer.kind == "always":
            Rules([Rule(item.request.permission, glob, "allow") for glob in answer.patterns])
        try:
            folder.reply(request_id, answer)
        except NotPendingError:
            raise RefusedAnswerError(self._fate(request_id)) from None
        finally:
            with self._lock:
                self._known.pop(f"{folder.path}/{request_id}", None)

    def claim_notice(self, request_id: str) -> bool:
        """Whether nobody was told about a request yet; from now on, somebody was."""
        for path in self.folders():
            with suppress(OSError, ValueError):
                return ApprovalFolder(path).claim_notice(request_id)
        return False

    @staticmethod
    def prune(seconds: float = IDLE) -> None:
        """Remove the logs and refused edits of workspaces in which nothing was asked or refused for so long."""
        for base in (approvals_base(), refused_base()):
            remove_idle_folders(base, seconds, time())

    def coverage(self, request_id: str, patterns: Iterable[str] = ()) -> Coverage:
        """What an answer "always" for these patterns, or for those that the request proposes, would cover.

        Raises:
            RefusedAnswerError: the request no longer waits.
            ValueError: a pattern is not a glob.
        """
        item = self.item(request_id)
        request = item.request
        globs = tuple(patterns) or request.always
        rules = Rules([Rule(request.permission, glob, "allow") for glob in globs])
        whole = [glob for glob in globs if _is_whole_folder(glob)]
        whole_rules = Rules([Rule(request.permission, glob, "allow") for glob in whole])
        single: list[str] = []
        in_folders: list[str] = []
        visited = 0
        for path in _walk(request.workspace):
            visited += 1
            if visited > MOST_VISITED:
                break
            name = (path, f"{request.workspace}/{path}")
            if whole_rules.verdict(request.permission, *name).action == "allow":
                in_folders.append(path)
            elif rules.verdict(request.permission, *name).action == "allow":
                single.append(path)
        others = [one for one in self.pending() if one.request.session == request.session and one.id != request_id]
        covered = [one.id for one in others if _covers(rules, one.request)]
        own = _covers(rules, request)
        is_cut = visited > MOST_VISITED
        is_complete = len(single) <= MOST_COVERED and (not is_cut or len(whole) == len(globs))
        files = [*single, *in_folders]
        listed = tuple(files[:MOST_COVERED])
        return Coverage(globs, listed, len(files) - len(listed), is_cut, tuple(covered), own, is_complete)

    def history(self, limit: int = 100) -> list[AnswerRecord]:
        """The requests that were closed, newest first."""
        records = [record for folder in self.folders() for record in ApprovalFolder(folder).log.records(limit)]
        return sorted(records, key=lambda record: record.time, reverse=True)[:limit]

    def workspaces(self) -> list[str]:
        """The workspaces of the requests that wait or were answered lately."""
        roots = [item.request.workspace for item in self.pending()]
        roots += [record.workspace for record in self.history()]
        return list(dict.fromkeys(filter(None, roots)))

    def _waiting(self) -> Iterator[tuple[ApprovalFolder, Request, str]]:
        seen = set()
        for path in self.folders():
            folder = ApprovalFolder(path)
            names: list[str] = []
            with suppress(PermissionError):  # of another user
                names = folder.ids()
            for name in names:
                with suppress(NotPendingError, ValueError):
                    seen.add(f"{path}/{name}")
                    yield folder, *self._read(folder, name)
        for gone in self._known.keys() - seen:
            self._known.pop(gone, None)

    def _read(self, folder: ApprovalFolder, name: str) -> tuple[Request, str]:
        """A request that waits, and the fingerprint of its text."""
        where = f"{folder.path}/{name}"
        inode, text = folder.look(name, known=self._known.get(where, (-1,))[0])
        if text is not None:
            if len(self._known) > MOST_PENDING:
                self._known.clear()
            self._known[where] = (inode, read_request(name, text), fingerprint(text.encode("utf-8", "surrogateescape")))
        return self._known[where][1:]

    def _find(self, request_id: str) -> tuple[ApprovalFolder, InboxItem]:
        for path in self.folders():
            folder = ApprovalFolder(path)
            with self._lock, suppress(NotPendingError, ValueError):
                return folder, self._item(folder, *self._read(folder, request_id))
        raise RefusedAnswerError(self._fate(request_id))

    def _item(self, folder: ApprovalFolder, request: Request, mark: str) -> InboxItem:
        stale = tuple([has_changed(file) for file in request.files if self._is_stale(file)])
        return InboxItem(request, mark, stale, folder.deadline(request) if request.deadline else 0.0)

    def _is_stale(self, file: Change) -> bool:
        """Whether a file is not what it was when the request was made. A request need not say what that was."""
        if file.kind in ("read", "list") or not file.resolved or not (file.sha256_before or file.sha256_after):
            return False
        return self._hashes.of(file.resolved) != file.sha256_before

    def _fate(self, request_id: str) -> str:
        """What became of a request that does not wait."""
        for record in self.history(1000):
            if record.id == request_id:
                return f"The request no longer waits: it was {record}."
        return "The request no longer waits: the program that asked has ended, or there was no such request."


class _Hashes:
    """The hashes of files as they are now. A file with the same size, time and inode is not read again."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[int, int, int], str]] = {}

    def of(self, path: str) -> str:
        """The hash of a file; empty if there is none, or if it is not a regular file."""
        try:
            status = os.lstat(path)
        except (OSError, ValueError):
            return ""
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            data = read_content(path, LARGEST_CONTENT)
            if len(self._known) >= MOST_PENDING:
                self._known.clear()
            known = self._known[path] = stamp, "" if data is None else fingerprint(data)
        return known[1]


def _is_whole_folder(glob: str) -> bool:
    """Whether a glob says by itself what it covers: everything, or everything in one directory."""
    literal = re.sub(r"\\[*?\\]", "", glob.removesuffix("/**"))
    return glob in ("*", "**") or (glob.endswith("/**") and not re.search(r"[*?\\]", literal))


def _covers(rules: Rules, request: Request) -> bool:
    verdicts = rules.verdicts(request.permission, request.names)
    return all(verdict.action == "allow" for verdict in verdicts)


def _walk(root: str) -> Iterator[str]:
    """The paths of the files below a directory, without those of git itself."""
    for prefix, entries in walk_folders(root, lambda name: name == ".git"):
        yield from [f"{prefix}{entry.name}" for entry in entries if not entry.is_dir()]
