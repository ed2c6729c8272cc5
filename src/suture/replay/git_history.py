"""Transcripts and files from the history of a repository, read with git alone.

Only plumbing that reads is run, with lazy fetching and all transports switched off, so nothing is written and nothing
leaves the machine. Configuration of the repository that could start programs is not used by these commands, or is
overridden: a command that reads the index would start the monitor that `core.fsmonitor` names.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections import defaultdict
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile

from ..agent.diagnostics.server_table import find_program
from ..core.common_limits import LARGEST_CONTENT
from . import transcript_limits
from .recording import TranscriptFile

if sys.platform != "win32":
    import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from typing import Self

#: Parts of the names of branches that hold transcripts, and of the names of the files there.
CHECKPOINT_BRANCHES = ("entire/checkpoints",)
CHECKPOINT_FILE = "full.json"
#: Names of files in a working tree that are transcripts.
TRACKED_NAMES = (".aider.chat.history.md", "api_conversation_history.json")


class GitHistory:
    """A repository, with or without a working tree. Git may take so many `seconds` for an answer."""

    def __init__(self, directory: str, *, seconds: float | None = None) -> None:
        self.directory = directory
        self._seconds = transcript_limits.GIT_SECONDS if seconds is None else seconds
        self._reader: subprocess.Popen[bytes] | None = None
        self._versions: dict[str, list[tuple[int, str]]] | None = None
        self._texts: dict[str, str | None] = {}
        self._kept = 0
        self._is_stuck = False
        #: Bytes of lists that may still be read.
        self._room = transcript_limits.MOST_LISTED_BYTES
        #: What git said when it failed.
        self.failure = ""
        #: Transcripts that a partial clone lacks, or that are too large.
        self.absent = 0
        #: Branches of checkpoints that were not read.
        self.branches_left_off = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._reader is not None:
            self._reader.communicate()
            self._reader = None

    def documents(self) -> Iterator[TranscriptFile]:
        """The transcripts in its branches for checkpoints, and those that were ever tracked."""
        blobs = self._checkpoint_blobs()
        for path, versions in self._known_versions().items():
            if path.endswith(TRACKED_NAMES):
                newest = sorted(versions, reverse=True)[: transcript_limits.MOST_TRANSCRIPT_VERSIONS]
                for _, blob in newest:
                    blobs.setdefault(blob, path)
        for path, blob in sorted([(path, blob) for blob, path in blobs.items()]):
            data = self._blob(blob, transcript_limits.LARGEST_TRANSCRIPT)
            if data is None:
                self.absent += 1
            else:
                yield TranscriptFile(f"{self.directory}:{path}", data)

    def _checkpoint_blobs(self) -> dict[str, str]:
        """The paths of the transcripts in the branches for checkpoints, by the hashes of their contents."""
        blobs: dict[str, str] = {}
        # A name may have any separator of lines but this one; each begins with refs/, so none is taken for an option.
        refs = sorted(self._run("for-each-ref", "--format=%(refname)").split("\n"))
        checkpoints = [ref for ref in refs if any(part in ref for part in CHECKPOINT_BRANCHES)]
        self.branches_left_off = len(checkpoints[transcript_limits.MOST_BRANCHES :])
        for ref in checkpoints[: transcript_limits.MOST_BRANCHES]:
            for line in self._run("ls-tree", "-r", "-z", ref).split("\0"):
                entry, _, path = line.partition("\t")
                if CHECKPOINT_FILE in path.rsplit("/", 1)[-1]:
                    blobs.setdefault(entry.split()[2], path)
        return blobs

    def versions(self, path: str, time: float) -> Iterator[str]:
        """The texts that a file had in any branch, the nearest in time first."""
        known_versions = self._known_versions()
        known = _name_in(known_versions, path)
        nearest = sorted(known_versions[known], key=lambda entry: abs(entry[0] - time)) if known else []
        for blob in list(dict.fromkeys(blob for _, blob in nearest))[: transcript_limits.MOST_VERSIONS]:
            content = self._text(blob)
            if content is not None:
                yield content

    def name_of(self, path: str) -> str:
        """A file's path in the repository, as far as it is known without reading all commits; otherwise the path."""
        if path.startswith(f"{self.directory}/"):
            return path.removeprefix(f"{self.directory}/")
        return _name_in(self._versions or {}, path) or path

    def file_at(self, commit: str, path: str) -> str | None:
        """A file in a commit, or None."""
        return self._text(f"{commit}:{path}") if "\n" not in path else None

    def commit(self, revision: str) -> str:
        """The hash of the commit that a revision names; empty if it names none."""
        if revision.startswith("-"):
            return ""
        return self._run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").strip()

    def content_at(self, commit: str, path: str) -> bytes | None:
        """The bytes of a file in a commit, by its path from this directory; None if there is none, or too many."""
        return self._blob(f"{commit}:./{path}", LARGEST_CONTENT) if "\n" not in path else None

    def _known_versions(self) -> dict[str, list[tuple[int, str]]]:
        """The blobs of all files in all branches, with the times of their commits."""
        if self._versions is None:
            self._versions = self._read_versions()
        return self._versions

    def _read_versions(self) -> dict[str, list[tuple[int, str]]]:
        """The versions of every file, by path: the times of commits, and the hashes of contents."""
        versions: dict[str, list[tuple[int, str]]] = defaultdict(list)
        exclude = [f"--exclude=*{part}*" for part in CHECKPOINT_BRANCHES]
        commits = self._run(
            "rev-list", f"--max-count={transcript_limits.MOST_HISTORY_COMMITS}", *exclude, "--all", "--"
        )
        listing = self._run("diff-tree", "--stdin", "-r", "-m", "--root", "--raw", "-z", "--no-renames", "--no-abbrev",
                          "--format=%x01%ct", given=commits)  # fmt: skip
        when, entry = 0, ""
        # Commits and entries; each entry is followed by its path, which may have any character.
        for field in listing.split("\0"):
            entry_text = field.lstrip("\n")
            if entry:
                versions[field] += [(when, blob) for blob in entry.split()[2:4] if blob.strip("0")]
                entry = ""
            elif entry_text.startswith("\x01"):
                when = int(entry_text[1:] or 0)
            elif entry_text.startswith(":"):
                entry = entry_text
        return versions

    def _text(self, name: str) -> str | None:
        if name not in self._texts:
            data = self._blob(name, transcript_limits.LARGEST_VERSION)
            self._kept += len(data or b"")
            if self._kept > transcript_limits.MOST_VERSIONS_BYTES:
                self._texts.clear()
                self._kept = len(data or b"")
            try:
                self._texts[name] = None if data is None else data.decode("utf-8")
            except UnicodeDecodeError:
                self._texts[name] = None
        return self._texts[name]

    def _blob(self, name: str, largest: int) -> bytes | None:
        """A blob; None if it is absent, of another kind, or too large."""
        try:
            reader = self._start_reader()
            if reader is None or self._is_stuck:
                return None
            with self._limits(reader):
                return _read_blob(reader, name, largest)
        except OSError as error:  # no git, or it has ended
            self.failure = self.failure or str(error)
            return None

    def _start_reader(self) -> subprocess.Popen[bytes] | None:
        """The process of git that reads blobs; None if there is no repository."""
        if self._reader is None and self._run("rev-parse", "--git-dir"):
            self._reader = subprocess.Popen(  # noqa: S603 - git, with arguments of ours
                [*self._command(), "cat-file", "--batch"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(),
            )  # fmt: skip
        return self._reader

    def _run(self, *arguments: str, given: str = "") -> str:
        """What git says, up to the limit of this repository. What is cut off ends at a whole line or field."""
        if self._is_stuck:
            return ""
        try:
            with TemporaryFile() as asked, TemporaryFile() as complaint:
                asked.write(given.encode("utf-8", "surrogateescape"))
                asked.seek(0)
                with subprocess.Popen(  # noqa: S603 - git, with arguments of ours
                    [*self._command(), *arguments], stdin=asked, stdout=subprocess.PIPE, stderr=complaint,
                    env=_environment(),
                ) as run:  # fmt: skip
                    data = self._listen(run, b"\0" if "-z" in arguments else b"\n")
                if run.returncode > 0:
                    complaint.seek(0)
                    said = complaint.read(transcript_limits.LONGEST_GIT_ERROR).decode("utf-8", "replace")
                    self.failure = self.failure or said.split("\n")[0]
        except OSError as error:
            self.failure = self.failure or str(error)
            return ""
        return data.decode("utf-8", "surrogateescape")

    def _listen(self, run: subprocess.Popen[bytes], separator: bytes) -> bytes:
        """Read the output of git, which is ended if it takes too long or says too much."""
        assert run.stdout is not None, "BUG: a pipe"
        with self._limits(run):
            data = run.stdout.read(self._room + 1)
            if len(data) > self._room:
                run.kill()
                self.failure = self.failure or "git lists too much"
                data = data[: data.rfind(separator, 0, self._room) + 1]
            # Git may close its output and go on.
            run.wait()
        self._room -= len(data)
        return b"" if self._is_stuck else data

    @contextmanager
    def _limits(self, run: subprocess.Popen[bytes]) -> Iterator[None]:
        """Limit the memory of git, and end it if it does not answer in time; then this repository is asked no more."""
        _limit_memory(run)
        watch = threading.Timer(self._seconds, self._end_stuck, (run,))
        watch.start()
        try:
            yield
        finally:
            watch.cancel()

    def _end_stuck(self, run: subprocess.Popen[bytes]) -> None:
        self._is_stuck, self.failure = True, "git does not end"
        run.kill()

    def _command(self) -> list[str]:
        return [_git(), "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-C", self.directory]


class Histories:
    """The repositories that know the files of transcripts: a given one, or the one that each file is in."""

    def __init__(self, only: GitHistory | None = None, near: Path | None = None) -> None:
        self._only = only
        #: Where the transcript is.
        self.near = near
        self._histories: dict[str, GitHistory] = {}
        self._folders: dict[Path, str | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for history in self._histories.values():
            history.__exit__(*error)

    def find(self, path: str) -> GitHistory | None:
        """The history that knows a file; that of a relative path is the one of the transcript."""
        if self._only is not None or self.near is None:
            return self._only
        file = Path(path)
        folder = file.parent if file.is_absolute() else self.near
        if folder not in self._folders and len(self._folders) < transcript_limits.MOST_REPOSITORY_FOLDERS:
            self._folders[folder] = None
            with suppress(OSError):  # a path of a transcript may be too long, or in a directory that we may not read
                self._folders[folder] = find_repository(folder) if folder.is_dir() else None
        repository = self._folders.get(folder)
        if (
            repository is not None
            and repository not in self._histories
            and len(self._histories) < transcript_limits.MOST_REPOSITORIES
        ):
            self._histories[repository] = GitHistory(repository)
        return self._histories.get(repository or "")


def _git() -> str:
    """The path of git. One in the directory that we are in is never meant: it may be that of a repository.

    Raises:
        FileNotFoundError: there is no git.
    """
    program = find_program("git")
    if program is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "git")
    return program


def _name_in(names: Container[str], path: str) -> str | None:
    """The longest end of a path, which may be of another machine, that is one of these names."""
    parts = path.replace("\\", "/").removeprefix("./").strip("/").split("/")
    return next((name for name in ("/".join(parts[start:]) for start in range(len(parts))) if name in names), None)


def _limit_memory(run: subprocess.Popen[bytes]) -> None:
    """Limit what git can allocate. Files that it maps, such as packs, do not count."""
    if sys.platform == "linux":
        with suppress(ProcessLookupError):  # it has ended
            resource.prlimit(
                run.pid, resource.RLIMIT_DATA, (transcript_limits.GIT_MEMORY, transcript_limits.GIT_MEMORY)
            )


def _read_blob(reader: subprocess.Popen[bytes], name: str, largest: int) -> bytes | None:
    """A blob from `git cat-file --batch`; None if it is absent, of another kind, or too large."""
    assert reader.stdin is not None, "BUG: a pipe"
    assert reader.stdout is not None, "BUG: a pipe"
    reader.stdin.write(name.encode("utf-8", "surrogateescape") + b"\n")
    reader.stdin.flush()
    head = reader.stdout.readline().split()
    if len(head) < 3 or not head[-1].isdigit():
        return None
    rest = int(head[-1])
    if head[-2] == b"blob" and rest <= largest:
        data = reader.stdout.read(rest)
        reader.stdout.read(1)
        # It is shorter if git was ended.
        return data if len(data) == rest else None
    rest += 1
    while rest > 0 and (piece := reader.stdout.read(min(rest, 1 << 20))):
        rest -= len(piece)
    return None


def find_repository(path: Path) -> str | None:
    """The repository that a path is in, or is; None if there is none or no git."""
    start = path if path.is_dir() else path.parent
    if (start / "objects").is_dir() and (start / "HEAD").is_file():
        return str(start)
    return next((str(folder) for folder in (start, *start.parents) if (folder / ".git").exists()), None)


def _environment() -> dict[str, str]:
    """For git: no locks, no questions, no lazy fetching, no transport."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        # For a git that doesn't know the last one. A protocol of this name would be a command of git, which settings of
        # a repository can define, if that name could have an underscore.
        "GIT_ALLOW_PROTOCOL": "no_protocol",
    }
