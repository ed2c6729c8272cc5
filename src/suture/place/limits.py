"""Every limit of the search and of the evidence, in one place: how much work, and how much is enough.

Work is counted, so that an answer does not depend on how busy the machine is. A limit that is passed refuses.
"""

from __future__ import annotations

#: Places of a block that are listed; a list that was cut short is ambiguous.
MOST_PLACES = 1000
#: Places of a line or word, a pivot, that are looked at one by one, and lines that are compared around all of them.
MOST_PIVOTS = 200
MOST_LINES = 50_000
#: Words of a block, of which one may be a pivot, and of a pattern that are looked for: all are in a text, or none.
MOST_TRIED = 6
MOST_LOOKED_FOR = 50
#: As how many readings of the file a search beyond the exact one counts.
READS_PER_SEARCH = 25
#: As how many characters a place that is looked at counts, and the question whether it is in one scope.
CHARACTERS_PER_PLACE = 5000
CHARACTERS_PER_SCOPE = 500
#: Hunks from which on an index of all lines is cheaper than a search for each.
MANY_HUNKS = 50
#: Anchors that may be stacked, and lines that an anchor may stand in before it must be a whole line.
MOST_STACKED = 50
MOST_ANCHORS = 2000
#: Characters that are read to know which places are inside a block, and to find lines of an edit; the most such lines.
BLOCK_BUDGET = 20_000_000
SEED_BUDGET = 60_000_000
MOST_SEEDS = 64
#: Windows of a text that an edit is aligned in, and pairs of lines that are compared in all of them.
MOST_WINDOWS = 16
CELL_BUDGET = 60_000
#: How far off its diagonal a line may lie, the width of the band that follows, and characters that are compared.
GAP = 3
BAND = 2 * GAP + 1
LONGEST_COMPARED = 2000
#: Words and characters of which a pattern is built, and places of a word times words that are looked at.
MOST_WORDS = 1000
LONGEST_PATTERN = 50_000
MOST_WORK = 50_000
#: Words that are counted to find the rarest, and how much longer than the text a window around it may be.
PATTERN_CANDIDATES = 4
PATTERN_SLACK = 2000
#: Characters of a file that is parsed to see whether a loose edit broke it.
LONGEST_PARSED = 500_000

#: How much of two lines agrees where they are near.
NEAR = 0.6
#: Characters from which on a line is known without its whitespace, and from which on a part of a line is shown as near.
SHORTEST_SPACED = 20
SHORTEST_PART = 8
#: Slips in a line, letters of a word that can be mistyped, and signs of a run whose length says nothing.
MOST_SLIPS = 2
SHORTEST_WORD = 4
SHORTEST_RUN = 3
#: Signs of a line that makes the line above it a heading of Markdown.
SHORTEST_UNDERLINE = 3
#: Signs of a run that is a rule, whatever its length, words from which on a text can be worded differently, and pairs
#: of differing words of two texts that are compared: with more, one is no version of the other.
SHORTEST_RULE = 5
LEAST_WORDS = 3
MOST_WORD_PAIRS = 400
#: Bits that tell a place from any other: in all, beyond those of one line, or as a part of those if only typos are off.
ENOUGH_BITS = 12.0
MARGIN_BITS = 6.0
ENOUGH_FOR_TYPOS = 0.8
#: The most lines that may differ, be missing or be extra; distinctive equal lines that allow an edge to differ, and
#: those that allow one kept line to be worded differently, wherever it is.
MOST_DEFECTS = 3
LINES_FOR_AN_EDGE = 4
LINES_FOR_ONE_OFF = 3
#: Distinctive lines of a hunk that only adds lines from which on the block of the hunk before it chooses its place.
LINES_FOR_OPEN_BLOCK = 2
#: Distinctive equal lines from which on one kept line away from any change may be another one.
LINES_FOR_FAR_OFF = 12
#: Distinctive lines of an edit from which on lines that need no depth of their own, such as comments, may have another.
LINES_FOR_UNEVEN_DEPTH = 13
#: Distinctive lines of a hunk whose anchor, a hunk of context before it, is nowhere; and those that an exact hunk adds
#: from which on it is looked whether they are there already.
LINES_WITHOUT_ANCHOR = 2
LINES_FOR_REPETITION = 3
#: Lines of `old` that `new` may correct, and edits in each.
MOST_CORRECTED = 2
MOST_EDITS_CORRECTED = 3
#: The most bits that one line is worth, and characters for a bit.
MOST_BITS = 16.0
CHARACTERS_PER_BIT = 3
#: How alike the lines between the ends of a block are in the mean, and the part of them that is equal.
LIKENESS = 0.65
EQUAL = 0.5

#: Hunks of an update and old lines that are held against the nearest place.
MOST_EXPLAINED = 20
MOST_OLD_EXPLAINED = 2000
#: Places that an edit is laid on to find the nearest, and how near another must be to be shown, too.
MOST_PLACES_ALIGNED = 8
NEARLY_AS_NEAR = 0.8
#: If not more than one of so many lines is equal, little of the nearest place is shown.
FAR_AWAY = 6
#: Rows in which a line may be so that each of them has to do with an edit that has it.
MOST_RARE = 2
#: How much of two lines agrees where they face one another although lines are between them and the rest, and where they
#: are so much alike that one of them need not be looked for elsewhere.
VERY_NEAR = 0.75
ALMOST_EQUAL = 0.9
#: Rows around the first one that vote for the same place, and the most lines that a file may have gained inside of it.
NEIGHBORS = 8
LONGEST_GAP = 60
#: Equal lines that are put in order at one place, those before each that are tried, and other lines that are compared.
MOST_EQUAL_PAIRS = 2000
MOST_LINKS = 64
MOST_PAIRS_COMPARED = 2500
#: Lines of an edit that are nowhere in the file for which lines like them vote, and the most such lines for each.
MOST_ABSENT = 4
MOST_ALIKE = 3
#: What the search for one close line looks at, and how alike the line must be, or a part of it in percent.
CLOSE_LINES = 20_000
CLOSE_CHARACTERS = 1_000_000
LONGEST_CLOSE = 1000
CLOSE = 0.7
CLOSE_PART = 75
#: Lines above a place that are read to find the blocks around it, lines beside it that may tell it from others, and how
#: far away a single line may be that does.
MOST_ABOVE = 2000
MOST_TELLING = 30
MOST_FAR = 200
#: Places whose line numbers are given as data.
MOST_NUMBERED = 50
