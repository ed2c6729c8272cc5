"""Matches texts with many patterns at once, in time that grows with the length of the text only.

Whoever writes a pattern may want it to take forever. A regular expression tries one way after another, of which there
can be more than atoms; this automaton follows all ways at the same time. It has a place before every token of every
pattern, and the places that a text can have reached are the bits of one number. A character takes a few operations on
that number, whatever was read before. Steps that were made once are remembered, as a deterministic automaton that is
built while it is used.
"""

from __future__ import annotations

from .workspace_limits import MOST_REMEMBERED_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

#: How many bits a processor takes at once: a word. Words are the unit in which work and memory are counted.
_WORD = 64
#: What a step needs besides its bits, in words.
_OVERHEAD = 20
#: How many times the work of a character that is read the work of a token is.
_TOKEN_WORK = 8


class Work:
    """Counts what automatons do: characters read, and words of bits computed."""

    __slots__ = ("amount",)

    def __init__(self) -> None:
        self.amount = 0


class Wildcard:
    """A token that stands for other characters than itself."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


#: One character other than a slash, and any number of them.
ONE = Wildcard("ONE")
MANY = Wildcard("MANY")
#: One character, and any number of them.
ANY = Wildcard("ANY")
REST = Wildcard("REST")
#: Any number of whole directories, each with the slash after it.
FOLDERS = Wildcard("FOLDERS")

_REPEATABLE = (MANY, REST, FOLDERS)


class CharacterClass:
    """One character of some ranges, or with `is_negated` of no range; never a slash."""

    def __init__(self, ranges: Iterable[tuple[str, str]], *, is_negated: bool = False) -> None:
        self.ranges = tuple(ranges)
        self.is_negated = is_negated

    def has(self, character: str) -> bool:
        """Whether a character is one of the class."""
        is_in_a_range = any(first <= character <= last for first, last in self.ranges)
        return is_in_a_range != self.is_negated


#: A token: a character that stands for itself, or what stands for others.
Token: TypeAlias = "str | Wildcard | CharacterClass"  # noqa: S105 - not a secret


class _State:
    """A set of places, and the states that characters lead to from there as far as they are known."""

    __slots__ = ("matches", "next", "places")

    def __init__(self, places: int) -> None:
        self.places = places
        self.next: dict[str, _State] = {}
        #: The patterns that match here, once they were needed.
        self.matches: tuple[int, ...] | None = None


_NOWHERE = _State(0)


class GlobAutomaton:
    """Some patterns, each a list of tokens. With `below`, a pattern also matches what is below what it matches.

    `MANY` and `REST` are never next to one another in a pattern: `REST` alone means the same. What it does is counted
    in `work`.
    """

    def __init__(self, patterns: Sequence[Sequence[Token]], *, below: bool = False, work: Work | None = None) -> None:
        self._work = Work() if work is None else work
        self._literals: dict[str, list[int]] = {}
        self._classes: list[tuple[int, CharacterClass]] = []
        self._wildcards: dict[Wildcard, list[int]] = {wildcard: [] for wildcard in (ONE, MANY, ANY, REST, FOLDERS)}
        #: The pattern that ends at a place.
        self._ends: dict[int, int] = {}
        self._size = 0
        starts = []
        for number, tokens in enumerate(patterns):
            starts.append(self._size)
            self._add_tokens(tokens)
            self._ends[self._size] = number
            if below:
                self._add_tokens(("/", REST))
                self._ends[self._size] = number
            self._size += 1
        self._words = self._size // _WORD + 1
        self._work.amount += self._size * _TOKEN_WORK
        self._end_places = self._bits(self._ends)
        self._skipped = self._bits([*self._wildcards[MANY], *self._wildcards[REST]])
        self._entries = self._bits(self._wildcards[FOLDERS])
        self._start = self._close(self._bits(starts))
        #: For each character, the places that it leads to the next one, and those at which it stays.
        self._steps: dict[str, tuple[int, int]] = {}
        self._states: dict[int, _State] = {}
        self._remembered = 0

    def _add_tokens(self, tokens: Iterable[Token]) -> None:
        before: Token = ""
        for token in tokens:
            if token in _REPEATABLE and token is before:
                continue
            before = token
            if isinstance(token, str):
                self._literals.setdefault(token, []).append(self._size)
            elif isinstance(token, CharacterClass):
                self._classes.append((self._size, token))
            else:
                self._wildcards[token].append(self._size)
                if token is FOLDERS:
                    # Three places: where directories may begin, inside of them, and before the slash that ends them.
                    self._wildcards[REST].append(self._size + 1)
                    self._literals.setdefault("/", []).append(self._size + 2)
                    self._size += 2
            self._size += 1

    def run(self, text: str, places: int | None = None) -> int:
        """The places that a text leads to, from the start or from other places."""
        state = self._state(self._start if places is None else places)
        self._work.amount += len(text)
        for character in text:
            following = state.next.get(character)
            if following is None:
                following = self._remember(state, character)
            if following is _NOWHERE:
                return 0
            state = following
        return state.places

    def matches(self, text: str) -> tuple[int, ...]:
        """The numbers of the patterns that match a whole text, in order."""
        places = self.run(text)
        if not places & self._end_places:
            return ()
        state = self._state(places)
        if state.matches is None:
            state.matches = tuple(sorted({self._ends[place] for place in _ones(places & self._end_places)}))
            self._work.amount += self._words * len(state.matches)
        return state.matches

    def ends_of(self, numbers: Iterable[int]) -> int:
        """The places at which some of the patterns end, for `last_match`."""
        chosen = set(numbers)
        return self._bits([place for place, number in self._ends.items() if number in chosen])

    def last_match(self, places: int, ends: int) -> int | None:
        """The number of the last pattern that matches at these places, of those that end at `ends`."""
        self._work.amount += self._words
        # Patterns have their places one after the other.
        last = (places & ends).bit_length() - 1
        return None if last < 0 else self._ends[last]

    def _state(self, places: int) -> _State:
        if not places:
            return _NOWHERE
        state = self._states.get(places)
        if state is None:
            state = self._states[places] = _State(places)
        return state

    def _remember(self, state: _State, character: str) -> _State:
        """The state that a character leads to, which is kept for the next time."""
        if self._remembered >= MOST_REMEMBERED_WORDS:
            self._states, self._steps, self._remembered = {}, {}, 0
        self._remembered += self._words + _OVERHEAD
        steps = self._steps.get(character)
        if steps is None:
            self._remembered += 2 * self._words + _OVERHEAD
            steps = self._steps[character] = self._steps_of(character)
        self._work.amount += self._words
        onward, staying = steps
        following = self._state(self._close((state.places & onward) << 1 | state.places & staying))
        if state is not _NOWHERE:
            state.next[character] = following
        return following

    def _steps_of(self, character: str) -> tuple[int, int]:
        """The places that lead one further with a character, and those that stay where they are, each as bits."""
        onward = [*self._wildcards[ANY], *self._literals.get(character, ())]
        staying = [*self._wildcards[REST]]
        if character != "/":
            onward += self._wildcards[ONE]
            onward += [place for place, characters in self._classes if characters.has(character)]
            staying += self._wildcards[MANY]
            self._work.amount += sum([len(characters.ranges) + 1 for _, characters in self._classes])
        self._work.amount += len(onward) + len(staying)
        return self._bits(onward), self._bits(staying)

    def _close(self, places: int) -> int:
        """These places, and those that can be reached from them without a character."""
        entries = places & self._entries
        places |= entries << 1 | entries << 3
        # Neither leads to another directory entry, and no two tokens that can be skipped follow one another.
        return places | (places & self._skipped) << 1

    def _bits(self, places: Iterable[int]) -> int:
        """A number with these bits, without a large number for each of them."""
        data = bytearray(self._size // 8 + 1)
        for place in places:
            data[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(data, "little")


def _ones(number: int) -> Iterator[int]:
    """The bits of a number that are set."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def longest_literal(tokens: Iterable[Token]) -> str:
    """The longest text that every match of a pattern contains."""
    longest = literal = ""
    for token in tokens:
        literal = literal + token if isinstance(token, str) else ""
        longest = max(longest, literal, key=len)
    return longest
