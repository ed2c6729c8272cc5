"""The kinds of edits that the samples show: each tool of an agent, and each syntax of a model, is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

from tests.shared.form_samples import SAMPLES, Sample

from suture import PatchInvalidError, parse
from suture.format import tool_calls
from suture.format.call_acts import read_call

if TYPE_CHECKING:
    from collections.abc import Iterator


class Kind(NamedTuple):
    """One kind, with its samples."""

    agent: str
    name: str
    samples: tuple[Sample, ...]

    @property
    def is_read(self) -> bool:
        """Whether at least one way to use it is read as an edit."""
        return any(not sample.unreadable for sample in self.samples)

    @property
    def why_not(self) -> str:
        """Why it is not read, in the words of the message; empty if it is."""
        return "" if self.is_read else self.samples[0].unreadable


def tool_of(sample: Sample) -> str:
    """The tool that a sample calls; the name of the sample if its form or its raw syntax is the point."""
    tools: list[str] = []

    def note_call(tool: str, given: Any, *more: Any) -> Any:
        tools.append(tool)
        return read_call(tool, given, *more)

    with mock.patch.object(tool_calls, "read_call", note_call):
        try:
            parse(sample.text)
        except PatchInvalidError:
            assert sample.unreadable, sample
    if sample.group in ("raw", "streams") or not any(tools):
        return sample.name
    return next(filter(None, tools))


def all_kinds() -> Iterator[Kind]:
    """The kinds, in the order of the samples."""
    samples: dict[tuple[str, str], list[Sample]] = {}
    for sample in SAMPLES:
        samples.setdefault((sample.agent, tool_of(sample)), []).append(sample)
    for (agent, name), own in samples.items():
        yield Kind(agent, name, tuple(own))
