"""Every limit of the search and of the evidence, each with what happens beyond it.

Work is counted, so that an answer does not depend on how busy the machine is. A search that would pass its limit finds
nothing or takes another way; an edit is never placed by what was left unread.
"""

from __future__ import annotations

# ---- The work of a search ----

#: The most places of a block that are listed. A list of so many counts as cut short, and the edit as ambiguous.
MOST_PLACES = 1000
#: The most places of a line or a word, the pivot, that are looked at one by one. With more, it is too common.
MOST_PIVOTS = 200
#: The most lines that are compared around all places of a pivot. With more, the whole text is folded instead.
MOST_LINES_AROUND_PIVOTS = 50_000
#: The most words that are tried as a pivot, the longest first. If all are too common, the whole text is folded.
MOST_PIVOTS_TRIED = 6
#: The most words or lines of an edit that must each be somewhere in the text. Others are not asked for.
MOST_WORDS_LOOKED_FOR = 50
#: As how many readings of the text a search beyond the exact one counts.
READS_PER_SEARCH = 25
#: As how many characters a place that is looked at counts.
CHARACTERS_PER_PLACE = 5000
#: As how many characters the question counts whether a place is in one scope.
CHARACTERS_PER_SCOPE = 500
#: An update with more hunks than this gets an index of all lines, which is then cheaper than a search for each.
MANY_HUNKS = 50
#: The most anchors that may be stacked. A hunk with more is refused: its last anchors count as missing.
MOST_STACKED = 50
#: The headings of diffs end inside a word only if they are about as long as git lets them be, which is 80 bytes. A
#: shorter anchor that ends inside a word of a line does not name that line.
LEAST_BYTES_OF_CUT_HEADING = 72
#: The most lines that may contain an anchor or a heading. With more, it must be a whole line.
MOST_ANCHORS = 2000
#: The most characters that are read to know the scopes of all lines of an anchor. Beyond it, they are unknown.
BLOCK_BUDGET = 20_000_000
#: The most lines above a place that are read to find the line that opens its block. Beyond it, there is none.
MOST_ABOVE = 2000
#: The longest text, in characters, that is parsed or read for blocks. A longer one counts as unknown.
LONGEST_PARSED = 500_000
#: The most processor time that tree-sitter gets for a text, in seconds: so much, and so much for each byte. Ordinary
#: code needs less than a microsecond for a byte, but what is no code may take the square of its length.
PARSE_SECONDS = 0.5
PARSE_SECONDS_PER_BYTE = 4e-6
#: Grammars of tree-sitter that end the process if a text is nested too deeply: Kotlin at 1,024 strings, one in the
#: other, YAML at 253 levels. What may be nested so deeply, by its quotes or its spaces and signs, counts as unknown.
MOST_KOTLIN_QUOTES = 1024
MOST_YAML_LEVELS = 200
#: As how many readings of the text it counts to find a definition or the place of a sketch, which parses it several
#: times, and to find a cell of a notebook.
READS_PER_PARSE = 2000
READS_PER_NOTEBOOK = 50
#: The most characters that are parsed to replace the definitions of one sketch by their names, one after the other.
#: Beyond it, the sketch is laid on the lines of the file.
MOST_PARSED = 2_000_000

#: As how many characters it counts to lay a part of a sketch on one line of the file. Beyond the budget of a search,
#: the sketch is refused.
CHARACTERS_PER_LINE_LAID = 20_000

# ---- The fast path of an update ----

#: The most hunks of the fast path. With more, an update takes the slow path, which watches the clock.
FAST_HUNKS = 50
#: The longest needle that is searched first: Python takes longer to prepare a longer one than that saves.
FAST_NEEDLE = 99
#: The least length of a text, in characters, in which the whole needle is searched at once.
LARGE_TEXT = 30_000
#: How many characters beside a hunk are searched for a line that may be distinctive. Beyond, there may be one.
FAST_REACH = 400

# ---- Loose places ----

#: The most characters that are read to find the lines of an edit, and the most lines: the longest are looked for.
SEED_BUDGET = 60_000_000
MOST_SEEDS = 64
#: The most windows of a text that an edit is aligned in, the best first.
MOST_WINDOWS = 16
#: The most pairs of lines that are compared in all windows. With more, there is no loose place.
CELL_BUDGET = 60_000
#: How many lines may be missing or extra before a line is off its diagonal, and the width of the band that follows.
GAP = 3
BAND = 2 * GAP + 1
#: The most characters of a line that are compared. A longer line is no typo of another.
LONGEST_COMPARED = 2000
#: The most words and characters of a text that is searched with other whitespace. Others are not.
MOST_WORDS = 1000
LONGEST_PATTERN = 50_000
#: The most words that are compared at all places of the rarest one. With more, it is not searched so.
MOST_PATTERN_WORK = 50_000
#: How many of the longest words are counted to find the rarest.
PATTERN_CANDIDATES = 4
#: By how many characters the whitespace after each word, and that in all, may be longer than in the edit.
PATTERN_BLANKS = 40
PATTERN_SLACK = 2000
#: The most docstrings of a hunk that are looked for in full. Others stay as they are written.
MOST_DOCSTRINGS = 6

# ---- What is enough ----

#: The least likeness of two lines, from 0 to 1, that are near: one may be a version of the other.
NEAR = 0.6
#: A line of more characters than this is known without its whitespace.
SHORTEST_SPACED = 20
#: The most slips of the keyboard in a line. With more, it is another line.
MOST_SLIPS = 2
#: The least letters of a word that can be mistyped. A shorter one is another word.
SHORTEST_WORD = 4
#: The least signs of a run whose length says nothing. A shorter one is what it is.
SHORTEST_RUN = 3
#: The least signs below a line of Markdown that make it a heading.
SHORTEST_UNDERLINE = 3
#: The least signs of a run that is a rule, such as that of a table, whatever its length.
SHORTEST_RULE = 5
#: The least words of a text that can be worded differently. One with fewer is a name.
LEAST_WORDS = 3
#: The most pairs of differing words of two texts that are compared. With more, one is no version of the other.
MOST_WORD_PAIRS = 400
#: The bits that tell a place from any other, in any file.
ENOUGH_BITS = 12.0
#: How many bits more than one line has must tell a place. A carried mistake is worth as many less.
MARGIN_BITS = 6.0
#: The part of the bits of one line that tells a place in which only typos are off.
ENOUGH_FOR_TYPOS = 0.8
#: The most bits that one line is worth, and how many characters it needs for each.
MOST_BITS = 16.0
CHARACTERS_PER_BIT = 3
#: The most lines of an edit that may differ, be missing or be extra.
MOST_DEFECTS = 3
#: The least distinctive equal lines that allow a line at an edge to differ.
LINES_FOR_AN_EDGE = 4
#: The least distinctive equal lines that allow one kept line to be worded differently, or one to be left out.
LINES_FOR_ONE_OFF = 3
#: The least distinctive equal lines that allow one kept line away from any change to be another one.
LINES_FOR_FAR_OFF = 12
#: The least distinctive lines of a hunk that only adds lines whose place the open block before it may choose.
LINES_FOR_OPEN_BLOCK = 2
#: The least distinctive lines of an edit whose comments and lines in brackets may be at another depth.
LINES_FOR_UNEVEN_DEPTH = 13
#: The least distinctive lines of a hunk that is placed although the hunk of context before it is nowhere.
LINES_WITHOUT_ANCHOR = 2
#: The least distinctive lines that an exact hunk adds for it to matter whether they are there already.
LINES_FOR_REPETITION = 3
#: The most lines of `old` that `new` may correct, and the most edits in each.
MOST_CORRECTED = 2
MOST_EDITS_CORRECTED = 3
#: The least likeness, in the mean, of the lines between the ends of a block, and the least share of equal ones.
LEAST_MEAN_LIKENESS = 0.65
LEAST_EQUAL_SHARE = 0.5

# ---- The nearest place of an edit that has none ----

#: The most hunks of an update, and the most old lines of each, that are held against the nearest place.
MOST_EXPLAINED = 20
MOST_OLD_EXPLAINED = 2000
#: The most places that an edit is laid on to find the nearest one.
MOST_PLACES_ALIGNED = 8
#: How near another place must be to be shown as well, as a part of the score of the nearest one.
NEARLY_AS_NEAR = 0.8
#: If no more than one of so many lines is equal, little of the nearest place is shown.
FAR_AWAY = 6
#: The most rows that a line may be in so that each of them has to do with an edit that has it.
MOST_RARE = 2
#: The least likeness of two lines that face one another although lines are between them and the rest.
VERY_NEAR = 0.75
#: The least likeness of two lines of which one need not be looked for elsewhere.
ALMOST_EQUAL = 0.9
#: How many rows around the first one vote for the same place.
NEIGHBORS = 8
#: The most lines that a file may have gained inside of a place.
LONGEST_GAP = 60
#: The most equal lines that are put in order at one place, and those before each that are tried.
MOST_EQUAL_PAIRS = 2000
MOST_LINKS = 64
#: The most pairs of other lines that are compared at one place.
MOST_PAIRS_COMPARED = 2500
#: The most lines of an edit that are nowhere in the file for which lines like them vote, and how many vote for each.
MOST_ABSENT = 4
MOST_ALIKE = 3
#: The most lines and characters that the search for one close line reads, and the longest line that it compares.
CLOSE_LINES = 20_000
CLOSE_CHARACTERS = 1_000_000
LONGEST_CLOSE = 1000
#: The least likeness of a close line, and that of a part of a line in percent.
CLOSE = 0.7
CLOSE_PART = 75
#: The least characters of a part of a line that is shown as near.
SHORTEST_PART = 8

# ---- What tells places from one another ----

#: The most lines beside a place that may tell it from others, and how far away a single line may be that does.
MOST_TELLING = 30
MOST_FAR = 200
#: The most places whose line numbers are given as data.
MOST_NUMBERED = 50

# ---- Cells, definitions, lines and sketches ----

#: The most cells that a message lists, and characters of each. The rest is cut.
MOST_LISTED_CELLS = 20
LONGEST_LISTED_CELL = 60
#: The most names of definitions that a message lists, and characters of one that is not there. The rest is cut.
MOST_LISTED_NAMES = 40
LONGEST_MISSING_NAME = 200
#: The most lines of the file that a refusal by line numbers shows. The others are left out.
MOST_LINES_REFUSED = 8
#: The most definitions of a file, and characters of their names with those around them. Of a file with more, none is
#: known: one that was left out could be meant, too.
MOST_FILE_DEFINITIONS = 20_000
MOST_NAME_CHARACTERS = 20_000_000
#: The most characters that are read to find the strings of a new definition in the old one, which is read for each of
#: them. With more, it is refused.
MOST_STRING_WORK = 100_000_000
#: The most bytes behind a definition on its last line. With more, it counts as one that shares that line.
LONGEST_BEHIND = 1000
#: The most line numbers of occurrences that a message names. A mark says that there are more.
MOST_OCCURRENCES_NAMED = 10
#: The most places of a list of edits with a span each. Above it, each edit has one span: the whole text.
MOST_SPANS = 10_000
#: The most lines that a part of a sketch may drop without a marker, beyond those that it puts there. With more, it is
#: refused.
MOST_LEFT_OUT = 1
#: The most lines that a part may replace, for each line that it puts there. With more, it is refused.
MOST_REPLACED = 3
#: So many lines of a part that the file has once, outside of the place of the part, say that this is not its place.
MOST_ELSEWHERE = 2
#: So few lines at the end of a definition have no marker of their own: a sketch that has all above them is refused.
LONGEST_TAIL = 2
#: The most characters of two lines of a sketch that are compared. What is behind them does not count.
LONGEST_LIKENESS = 200
#: The most ranges of lines that a part may have. With more, the sketch is refused.
MOST_SKETCH_RANGES = 400

# ---- Merging ----

#: The most characters of a line that are read as a definition or an assignment. What is behind them is not looked at.
LONGEST_DEFINING_LINE = 500
#: The most blocks that both sides add. With more of them, a merge is refused without a closer look.
MOST_ADDED_BLOCKS = 200
#: The most names that both sides define. With more of them, a merge is refused without a closer look.
MOST_DEFINITIONS = 500
#: The most lines with parameters of one function. That there is one more or less in a longer list is not seen.
MOST_PARAMETERS = 20
#: The most blocks of imports in a file. With more of them, imports in another order are a change like any other.
MOST_IMPORT_BLOCKS = 100
#: The most words that are looked for in a text one by one. With more of them, all lines are read.
MOST_SEARCHED_WORDS = 20
#: The most pairs of a name of Python and a function or class in the same block. With more of them, a merge in which a
#: name was removed is refused without a closer look.
MOST_SYMBOL_PAIRS = 10_000_000
#: The most ranges of lines that a concession names. The others are only mentioned.
MOST_RANGES = 5
#: The most characters of a text that is read by tokens. Longer ones are not.
LONGEST_TOKEN_TEXT = 400_000
#: How many lines a part of a sketch may drop right beside another change; a part that drops more is refused.
MOST_DROPPED_BESIDE = 5
#: How many lines a part of a sketch may drop where it does nothing else; a part that drops more is refused.
MOST_DROPPED_ALONE = 30
#: How many lines a small change of a sketch replaces; a larger one needs distinctive lines at its edges.
MOST_REPLACED_BY_LIKE = 5
#: How many lines a place may lose for each line that it gets, to be another place that may be meant; beyond, it is not.
MOST_LOST = 3
#: How many lines of two texts are compared for likeness; the rest is not looked at.
MOST_LIKE_LINES = 40
#: How many pairs of a first and a last line of a part are looked at, and how many lines are laid on one another for all
#: of them; beyond, the part needs distinctive lines.
MOST_EDGE_PAIRS = 4000
MOST_LINES_LAID = 1_000_000
#: As how many characters that are read it counts to compare two lines: for each character of one at a first look,
#: and for each pair of their characters. Beyond the budget of a search, the sketch is refused.
CHARACTERS_PER_QUICK_LOOK = 2000
CHARACTERS_PER_LIKENESS = 300
#: Lines with something on them that both sides add, one after another, before they count as the same block.
SHORTEST_ADDED_BLOCK = 3
#: Characters that such a block has at least.
SHORTEST_ADDED_TEXT = 40
#: Characters of a text that both sides insert, before it counts as the same one.
SHORTEST_INSERTION = 20
#: Characters of a name, and lines on which one side has replaced it, before it counts as renamed everywhere.
SHORTEST_RENAMED = 3
FEWEST_RENAMED_LINES = 2
#: The most lines between a decorator and its function. One that is further away belongs to none.
MOST_DECORATORS = 10
#: The fewest lines with something in them that make appended text recognizable at the end of a file.
FEWEST_APPENDED_LINES = 2
#: So many lines with text must be known on each side of the change, except at an end of the file.
FEWEST_KNOWN = 2
#: How alike a line and the one that replaces it are at least, from 0 to 1.
LIKE_REPLACEMENT = 0.6
#: How many of the words of new lines, from 0 to 1, are in lines that were rewritten at least.
SAME_WORDS = 0.9
#: A change is near another one with at most so many lines between them; beside it, with fewer.
NEAR_CHANGES = 2
#: So many lines at an edge must agree where the file has the first of them several times.
FEWEST_AT_EDGE = 2
#: Two more context lines that agree make one place clearly better than another.
CLEARLY_FEWER = 4
#: How alike two lines are that may be the same line, before and after a change, and how alike they are where the line
#: of the likely place is another one.
LIKE_LINE = 0.75
VERY_LIKE_LINE = 0.85
