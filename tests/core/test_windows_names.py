"""What Windows reads into a path: "a path that Windows does not take for the file of exactly this name is refused"."""

from __future__ import annotations

import pytest

from suture import PatchRejectedError
from suture.core.paths import check_path, same_name
from suture.core.system import anchor, is_absolute, slashed, without_anchor
from suture.core.windows_names import windows_fault
from suture.workspace.files.windows_records import DirectoryNames, stream_names

#: Paths by the reason for which they are refused.
REFUSED = {
    "device": "NUL nul.txt con Con.h aux AUX.c a/prn/b com1 COM9.log lpt¹ CONIN$ nul.tar.gz clock$ com0".split(),
    "stream": "a.txt:b ab:b:$DATA src/a.py::$DATA 1:/a a/b:c".split(),
    "drive_relative": ["C:", "C:a", "c:a/b", "C:../a"],
    "unc": ["//server/share/a", "//?/C:/a", "//./pipe/a", "//?/GLOBALROOT/Device/a", "//localhost/c$/a"],
    "no_drive": ["/a", "/etc/passwd"],
    "forbidden_character": ["a?b", "a*", "a<b", "a>b", "a|b", 'a"b'],
    "trailing": ["a.", "a /b", "a./b", "a. .", "...."],
}
TAKEN = [
    "a",
    "a/b.txt",
    "C:/a/b",
    "nul-a",
    "console.py",
    "com10",
    "a.nul",
    "aux_/x",
    "..",
    "a/../b",
    ".git",
    "lpt",
    "com¹0",
]


@pytest.mark.parametrize(("reason", "path"), [(reason, path) for reason in REFUSED for path in REFUSED[reason]])
def test_a_path_that_windows_takes_for_something_else_is_refused(reason: str, path: str) -> None:
    assert windows_fault(path)[0] == reason
    with pytest.raises(PatchRejectedError):
        check_path(path, windows=True)
    with pytest.raises(PatchRejectedError):
        check_path(path.replace("/", "\\"), windows=True)


@pytest.mark.parametrize("path", TAKEN)
def test_a_path_that_means_itself_is_taken(path: str) -> None:
    assert windows_fault(path) == ("", "")


def test_backslashes_are_read_as_slashes_on_windows_and_as_names_elsewhere() -> None:
    assert check_path("src\\a.py", windows=True) == "src/a.py"
    assert check_path("c:\\src\\a.py", windows=True) == "C:/src/a.py"
    assert check_path("src\\a.py") == "src\\a.py"


def test_other_systems_take_the_names_of_windows_as_they_are() -> None:
    assert check_path("NUL") == "NUL"
    assert check_path("a:b") == "a:b"


def test_a_path_of_the_system_has_slashes_and_a_capital_drive() -> None:
    assert slashed("c:\\Users\\a\\", windows=True) == "C:/Users/a"
    assert slashed("\\\\?\\C:\\a", windows=True) == "C:/a"
    assert slashed("C:\\", windows=True) == "C:"
    assert slashed("/a/", windows=False) == "/a/"


def test_a_drive_makes_a_path_absolute_only_on_windows() -> None:
    assert is_absolute("C:/a", windows=True)
    assert is_absolute("C:", windows=True)
    assert not is_absolute("C:a", windows=True)
    assert not is_absolute("C:/a", windows=False)
    assert is_absolute("/a", windows=False)
    assert anchor("C:/a/b") == ("C:", "a/b")
    assert anchor("/a/b") == ("/", "/a/b")


def test_a_copy_of_a_file_outside_has_a_path_without_an_anchor() -> None:
    assert without_anchor("/a/b") == "a/b"
    assert without_anchor("a/b") == "a/b"


@pytest.mark.parametrize(("one", "other"), [("README.md", "Readme.MD"), ("caf\u00e9", "CAFE\u0301"), ("\u1e9e", "SS")])
def test_names_that_a_file_system_without_case_takes_for_one_are_the_same(one: str, other: str) -> None:
    assert same_name(one) == same_name(other)


def names_record(name: str, step: int) -> bytes:
    text = name.encode("utf-16-le")
    record = step.to_bytes(4, "little") + bytes(4) + len(text).to_bytes(4, "little") + text
    return record.ljust(step, b"\0") if step else record + b"garbage"


def test_names_of_a_directory_are_read_from_its_records() -> None:
    found = DirectoryNames()
    found.add(
        names_record(".", 16) + names_record("..", 20) + names_record("a.txt", 24) + names_record("\U0001f600", 0)
    )
    assert found.names == ["a.txt", "\U0001f600"]


def stream_record(name: str, step: int) -> bytes:
    text = name.encode("utf-16-le")
    record = step.to_bytes(4, "little") + len(text).to_bytes(4, "little") + bytes(16) + text
    return record.ljust(step, b"\0") if step else record


def test_streams_of_a_file_are_read_without_its_content() -> None:
    assert stream_names(stream_record("::$DATA", 40) + stream_record(":Zone.Identifier:$DATA", 0)) == [
        "Zone.Identifier"
    ]
    assert stream_names(stream_record("::$DATA", 0)) == []
    assert stream_names(bytes(64)) == []
