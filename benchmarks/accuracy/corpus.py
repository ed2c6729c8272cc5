"""Real changes: two releases each of well-known packages, compared file by file.

Source distributions are fetched by name from the package index and kept in a cache folder; nothing of them is run.
`SUTURE_BENCH_CACHE` names the folder, `SUTURE_BENCH_INDEX` another index. The two sets share no package: thresholds
are chosen on `tune` and figures are reported on `report`.
"""

from __future__ import annotations

import hashlib
import html
import os
import random
import re
import tarfile
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from .change import Draft, Piece, applied, hunks_between

if TYPE_CHECKING:
    from collections.abc import Iterator

SETS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "tune": (
        ("aiohttp", "3.9.0", "3.10.0"),
        ("ansible-lint", "24.9.0", "25.1.0"),
        ("black", "24.4.0", "24.10.0"),
        ("celery", "5.3.0", "5.4.0"),
        ("django-debug-toolbar", "4.3.0", "5.0.0"),
        ("furo", "2023.9.10", "2024.8.6"),
        ("jupyter-server", "2.12.0", "2.14.0"),
        ("mkdocs", "1.5.0", "1.6.0"),
        ("pelican", "4.8.0", "4.9.0"),
        ("scrapy", "2.11.0", "2.12.0"),
        ("tornado", "6.3", "6.4"),
        ("wagtail", "6.3", "6.4"),
        ("ansible-core", "2.17.0", "2.18.0"),
        ("bokeh", "3.5.0", "3.6.0"),
        ("django", "5.0", "5.1"),
        ("django-oscar", "3.1", "3.2"),
        ("djangorestframework", "3.14.0", "3.15.0"),
        ("fastapi", "0.110.0", "0.115.0"),
        ("molecule", "24.9.0", "25.1.0"),
        ("networkx", "3.2", "3.3"),
        ("nikola", "8.2.4", "8.3.0"),
        ("pip", "24.0", "24.3"),
        ("pytest", "8.2.0", "8.3.0"),
        ("sphinx", "7.4.0", "8.0.0"),
        ("textual", "0.80.0", "1.0.0"),
    ),
    "report": (
        ("coverage", "7.4.0", "7.6.0"),
        ("dask", "2024.1.0", "2024.6.0"),
        ("django-allauth", "0.60.0", "0.63.0"),
        ("flask", "2.3.0", "3.0.0"),
        ("gunicorn", "21.2.0", "23.0.0"),
        ("ipython", "8.20.0", "8.26.0"),
        ("mkdocs-material", "9.5.0", "9.5.30"),
        ("nbconvert", "7.14.0", "7.16.0"),
        ("poetry", "1.7.0", "1.8.0"),
        ("pydantic", "2.6.0", "2.8.0"),
        ("rich", "13.5.0", "13.8.0"),
        ("sqlalchemy", "2.0.20", "2.0.31"),
        ("starlette", "0.36.0", "0.38.0"),
    ),
}

KINDS = frozenset(
    "cfg css html ini j2 jinja js json md mjs py pyi rst sass scss sh tcss tmpl toml ts txt yaml yml".split()
)
SKIPPED = re.compile(r"\.min\.|egg-info|/locale/|package-lock|/vendor/|_vendor/certifi")
MAX_BYTES = 300_000
MAX_LINE = 600
MIN_LINES = 5
MAX_HUNKS = 40
MAX_HUNK_LINES = 80
HUNKS_IN_A_CASE = 8
FILES_OF_A_KIND = 40


@dataclass(frozen=True, slots=True)
class Change:
    """A change to one file, some of its hunks at most, and a name to find it again."""

    package: str
    number: int
    draft: Draft

    @property
    def source(self) -> str:
        """The package or the repository, whatever the commit."""
        return self.package.partition("@")[0]

    @property
    def name(self) -> str:
        """Package, path and number."""
        return f"{self.package}:{self.draft.path}#{self.number}"


def load(name: str) -> list[Change]:
    """All changes of a set, in a fixed order that mixes packages and languages.

    Raises:
        OSError: A package is neither in the cache nor to be had from the index.
    """
    changes = [change for package, old, new in SETS[name] for change in _compare(package, old, new)]
    random.Random(name).shuffle(changes)
    return changes


def split_up(package: str, path: str, before: str, after: str) -> Iterator[Change]:
    """A file's change as one or more cases of a few hunks each; nothing where it can't be a fair case."""
    eol = "\r\n" if "\r\n" in before else "\n"
    if before.endswith("\n") != after.endswith("\n") or not _plain(before, eol) or not _plain(after, eol):
        return
    old, new = (text.removesuffix(eol).split(eol) for text in (before, after))
    pieces = hunks_between(old, new)
    whole = Draft(path, tuple(old), tuple(pieces), tuple(pieces), eol, before.endswith("\n"))
    assert applied(old, pieces) == new, "BUG: the hunks do not make the new file"
    usable = [piece for piece in pieces if len(piece.lines) <= MAX_HUNK_LINES][:MAX_HUNKS]
    chance = random.Random(f"{package}:{path}")
    number = 0
    while usable:
        size = min(len(usable), chance.choice((1, 1, 2, 2, 3, 4, 6, HUNKS_IN_A_CASE)))
        chosen, usable = tuple(usable[:size]), usable[size:]
        number += 1
        yield Change(package, number, _of(whole, chosen))


def _of(whole: Draft, pieces: tuple[Piece, ...]) -> Draft:
    return Draft(whole.path, whole.before, pieces, pieces, whole.eol, whole.final)


def _plain(text: str, eol: str) -> bool:
    """One kind of line ending, no BOM, no control characters, no minified lines."""
    lines = text.split(eol)
    return (
        len(lines) >= MIN_LINES
        and not any("\r" in line or "\n" in line or len(line) > MAX_LINE for line in lines)
        and not re.search(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ufeff]", text)
    )


def _compare(package: str, old: str, new: str) -> Iterator[Change]:
    before, after = _texts(package, old), _texts(package, new)
    shared = sorted(path for path in before if path in after and before[path] != after[path])
    random.Random(package).shuffle(shared)
    seen: dict[str, int] = {}
    for path in shared:
        kind = PurePosixPath(path).suffix
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] <= FILES_OF_A_KIND:
            yield from split_up(package, path, before[path], after[path])


def _texts(package: str, version: str) -> dict[str, str]:
    texts = {}
    with tarfile.open(fetched(package, version)) as archive:
        for member in archive:
            path = member.name.partition("/")[2]
            if (
                not member.isfile()
                or member.size > MAX_BYTES
                or SKIPPED.search(path)
                or PurePosixPath(path).suffix[1:] not in KINDS
            ):
                continue
            stream = archive.extractfile(member)
            assert stream is not None, "BUG: a plain file has a stream"
            try:
                texts[path] = stream.read().decode()
            except UnicodeDecodeError:
                continue
    return texts


def cache_folder() -> Path:
    """Where downloads are kept."""
    named = os.environ.get("SUTURE_BENCH_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "suture-bench"


def fetched(package: str, version: str) -> Path:
    """The source distribution of a release, from the cache or from the index."""
    target = cache_folder() / f"{package}-{version}.tar.gz"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(_download(package, version))
        part.replace(target)
    return target


def _download(package: str, version: str) -> bytes:
    index = os.environ.get("SUTURE_BENCH_INDEX", "https://pypi.org/simple").rstrip("/")
    page_address = f"{index}/{package}/"
    with urllib.request.urlopen(page_address, timeout=60) as answer:
        page = answer.read().decode()
    wanted = _normal(f"{package}-{version}")
    for reference, name in re.findall(r'<a\s[^>]*?href="([^"]+)"[^>]*>([^<]+)</a>', page):
        if name.strip().endswith(".tar.gz") and _normal(name.strip().removesuffix(".tar.gz")) == wanted:
            address, _, digest = html.unescape(reference).partition("#")
            with urllib.request.urlopen(urllib.parse.urljoin(page_address, address), timeout=300) as answer:
                content: bytes = answer.read()
            expected = digest.removeprefix("sha256=")
            if digest.startswith("sha256=") and hashlib.sha256(content).hexdigest() != expected:
                message = f"{name}: the download is not what the index promised"
                raise OSError(message)
            return content
    message = f"{package} {version}: the index has no source distribution"
    raise OSError(message)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
