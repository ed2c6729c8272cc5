"""A fingerprint is the SHA-256 of a content, however much of the way there was known before."""

from __future__ import annotations

import sys
from hashlib import sha256

import pytest
from hypothesis import given, strategies as st

from suture.core.fingerprint import BLOCK, Fingerprint, fingerprint

SIZES = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("other_size", SIZES)
@pytest.mark.parametrize("differs_at", [0, BLOCK - 1, BLOCK, 2 * BLOCK + 1, 1 << 30])
def test_a_content_near_another_has_its_own_fingerprint(size: int, other_size: int, differs_at: int) -> None:
    content = b"a" * size
    other = bytes(b"a"[0] + (n == differs_at) for n in range(other_size))
    near = Fingerprint(content)
    assert near.sha256 == fingerprint(content) == sha256(content).hexdigest()
    found = Fingerprint(other, near)
    assert found.sha256 == sha256(other).hexdigest()
    # It can itself be what another one is near, and what it came from is as it was.
    assert Fingerprint(content + other, found).sha256 == sha256(content + other).hexdigest()
    assert Fingerprint(other, near).sha256 == sha256(other).hexdigest()


@given(st.binary(max_size=40), st.binary(max_size=40), st.integers(0, 3 * BLOCK))
def test_whatever_comes_behind_a_common_beginning(one: bytes, other: bytes, common: int) -> None:
    start = b"0123456789abcdef" * (common // 16)
    assert Fingerprint(start + other, Fingerprint(start + one)).sha256 == sha256(start + other).hexdigest()


@pytest.mark.parametrize("missing", [(), ("_sha2", "_sha256")])
@pytest.mark.parametrize("size", SIZES)
def test_a_program_without_openssl_gets_the_same(
    size: int, missing: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "hashlib")
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    content = b"a" * size
    expected = sha256(content).hexdigest()
    assert fingerprint(content) == expected
    assert ("hashlib" in sys.modules) == (size > 1 or bool(missing))
    monkeypatch.delitem(sys.modules, "hashlib", raising=False)
    # The states of one are continued by the other.
    assert Fingerprint(content + b"b", Fingerprint(content)).sha256 == sha256(content + b"b").hexdigest()
