"""Properties of the guard: every path text is refused or leads to a place without links."""

from __future__ import annotations

from hypothesis import given, strategies as st

from suture import PatchRejectedError
from suture.workspace.files.memory import MemoryFiles
from suture.workspace.guard import Guard

TRICKY = st.sampled_from(
    [
        "..",
        ".",
        "",
        "a",
        "b",
        "src",
        "lib",
        "link.py",
        "dangling",
        "up",
        "out",
        "self",
        ".git",
        "x" * 300,
        "\0",
        "ä",
        "~",
    ]
)


@given(st.lists(TRICKY, max_size=8), st.booleans())
def test_every_path_text_is_refused_or_leads_to_a_place_without_links(parts: list[str], is_absolute: bool) -> None:
    files = MemoryFiles({"src/a": "", "src/lib/b": "", "b": ""})
    for link, target in {"/lib": "src/lib", "/src/up": "..", "/a": "src", "/self": "self", "/out": "../../b"}.items():
        files.make_link(link, target)
    try:
        resolved = Guard(files).resolve("/" * is_absolute + "/".join(parts))
    except PatchRejectedError:
        return
    stat = files.stat(resolved.path)  # raises where a link is in the way
    assert stat == resolved.found
    assert stat is None or stat.kind != "link"
    name = files.stat(resolved.name)
    assert resolved.is_link == (name is not None and name.kind == "link")
    assert ".." not in resolved.path.split("/")
