"""Where transcripts are: the usual places of agents on this machine, given paths, and repositories."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

from ..core.problems import PatchInvalidError, Problem
from ..core.regular_files import open_regular
from ..core.value import Value
from ..workspace.files.folder_walk import walk_folders
from . import transcript_limits
from .git_history import TRACKED_NAMES, GitHistory, Histories, find_repository
from .readers import find_reader
from .recording import TranscriptFile, TranscriptReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Endings of the names of transcripts.
ENDINGS = (".jsonl", ".json", ".db", *TRACKED_NAMES)
#: Directories that hold no transcripts.
SKIPPED = frozenset({".git", "node_modules", ".venv", "__pycache__"})


class Source(Value):
    """A place with transcripts: a directory or file, or a repository whose history has them."""

    path: Path
    #: Whether its transcripts are in git.
    is_repository: bool = False
    #: A name for the report, such as owner/name.
    name: str = ""


class Reading(Value):
    """The transcripts of a source that belong together, and the repositories that know their files."""

    source: Source
    readers: tuple[TranscriptReader, ...]
    histories: Histories


def usual_places(home: Path, folder: Path, *, system: str = sys.platform) -> list[Source]:
    """The places that exist, of those where agents keep transcripts on a system, by Python's name for it."""
    if system == "darwin":
        settings = home / "Library" / "Application Support"
    elif system == "win32":
        settings = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    extensions = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline")
    places = [
        home / ".claude" / "projects",
        home / ".codex" / "sessions",
        home / ".local" / "share" / "opencode",
        home / ".gemini" / "tmp",
        home / ".copilot",
        home / ".cline" / "data" / "tasks",
        *(settings / editor / "User" / "globalStorage" / name / "tasks"
          for editor in ("Code", "Cursor", "VSCodium") for name in extensions),
    ]  # fmt: skip
    sources = [Source(place) for place in places if place.is_dir()]
    repository = find_repository(folder)
    if repository is not None:
        sources.append(Source(Path(repository), is_repository=True))
        chat = Path(repository) / TRACKED_NAMES[0]
        sources += [Source(chat)] if chat.is_file() else []
    return sources


def given_places(paths: Iterable[str]) -> Iterator[Source]:
    """The sources that paths name. A repository stands for what its history has and for what is below it.

    Raises:
        PatchInvalidError: a path does not exist.
    """
    for given in paths:
        path = Path(given)
        if not path.exists():
            raise PatchInvalidError((Problem("not_found", f"{given} does not exist.", path=given),))
        is_bare = path.is_dir() and find_repository(path) == str(path) and not (path / ".git").exists()
        if path.is_dir() and (is_bare or (path / ".git").exists()):
            yield Source(path, is_repository=True)
        if not is_bare:
            yield Source(path)


def read_source(source: Source) -> Iterator[Reading]:
    """The transcripts of a source. Those of one session are read together, others on their own."""
    if source.is_repository:
        with GitHistory(str(source.path)) as history:
            yield from _read_documents(source, history.documents(), Histories(history))
            yield from _report_troubles(source, "git", Counter({
                history.failure: 1,
                "a transcript is absent or too large": history.absent,
                "too many branches": history.branches_left_off,
            }))  # fmt: skip
        return
    troubles: Counter[str] = Counter()
    with Histories() as histories:
        together: list[Path] = []
        for path in _files(source.path.absolute(), troubles):
            histories.near = path.parent
            # OpenCode has a file for each part of a message.
            if "storage" in path.parts and {"message", "part"} & set(path.parts[-4:-2]):
                together.append(path)
            else:
                yield from _read_documents(source, _load([path], troubles), histories)
        together.sort(key=lambda path: ("part" in path.parts[-4:-2], path))
        yield from _read_documents(source, _load(together, troubles), histories)
    yield from _report_troubles(source, "files", troubles)


def _report_troubles(source: Source, agent: str, troubles: Counter[str]) -> Iterator[Reading]:
    """What could not be read, as a recording without calls."""
    reader = TranscriptReader()
    reader.recording.agent = agent
    for trouble, count in troubles.items():
        for _ in range(count if trouble else 0):
            reader.recording.count_unknown(trouble)
    if reader.recording.unknown:
        yield Reading(source, (reader,), Histories())


def _read_documents(source: Source, documents: Iterable[TranscriptFile], histories: Histories) -> Iterator[Reading]:
    readers: dict[str, TranscriptReader] = {}
    for document in documents:
        reader_class = find_reader(document.name, document.data)
        if reader_class is not None:
            reader = readers.setdefault(reader_class.agent, reader_class())
            reader.recording.documents += 1
            reader.read(document)
    if readers:
        yield Reading(source, tuple(readers.values()), histories)


def _files(path: Path, troubles: Counter[str]) -> Iterator[Path]:
    """The files that may be transcripts. Links to directories are not followed."""

    def count(error: OSError) -> None:
        troubles[f"a directory: {error.strerror}"] += 1

    if not path.is_dir():
        yield path
        return
    files = 0
    for _, entries in walk_folders(str(path), SKIPPED.__contains__, count):
        for entry in entries:
            if entry.name.endswith(ENDINGS):
                files += 1
                if files > transcript_limits.MOST_TRANSCRIPT_FILES:
                    troubles["too many files"] += 1
                    return
                yield Path(entry.path)


def _load(paths: Iterable[Path], troubles: Counter[str]) -> Iterator[TranscriptFile]:
    """The files that a reader recognizes; unreadable ones count. Of a database, only what tells that it is one."""
    for path in paths:
        try:
            if not path.is_file():
                continue
            with os.fdopen(open_regular(str(path), follow_links=True), "rb") as file:
                head = file.read(transcript_limits.TRANSCRIPT_HEAD)
                is_known = find_reader(str(path), head) is not None
                is_whole = path.suffix == ".db" or path.stat().st_size > transcript_limits.LARGEST_TRANSCRIPT
                if is_known:
                    rest = b"" if is_whole else file.read(transcript_limits.LARGEST_TRANSCRIPT)
                    yield TranscriptFile(str(path), head + rest)
        except OSError as error:
            troubles[f"a file: {error.strerror}"] += 1
