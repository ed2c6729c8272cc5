"""Instructions that teach a model the forms other than the envelope."""

from __future__ import annotations

_COMMON = """\
- Write paths relative to the working directory, with forward slashes.
- All edits are applied, or none is.
"""

_PLACES = """\
- Copy the lines to change from the file as they are, with their indentation. Do not skip any, and do not write `...`
  for lines that you leave out.
- Lines that occur several times in the file are refused. Add the lines around them until they occur only once.
"""

UNIFIED = f"""\
# Unified diffs

Answer with a unified diff in a fence:

```diff
--- a/src/app.py
+++ b/src/app.py
@@ -8,4 +8,4 @@
     def greet(self, name):
         name = name.strip()
-        print("Hi " + name)
+        print(f"Hello, {{name}}!")
         self.names.append(name)
```

Rules:

{_COMMON}{_PLACES}\
- Start a line that stays with a space, a line to remove with `-`, and a line to add with `+`. Show 3 lines of context
  above and below each change.
- Line numbers only choose between equal places. If you do not know them, write `@@ ... @@`.
- For a new file, write `--- /dev/null`, and start every line with `+`. To delete a file, write `+++ /dev/null`.
- To rename a file, write `diff --git a/old.py b/new.py`, `rename from old.py` and `rename to new.py` above its hunks.
- If the file must end without a newline, write `\\ No newline at end of file` below its last line.
"""

SEARCH_REPLACE = f"""\
# SEARCH/REPLACE blocks

Answer with a block for each change, below the path of the file:

src/app.py
```python
<<<<<<< SEARCH
        print("Hi " + name)
=======
        print(f"Hello, {{name}}!")
>>>>>>> REPLACE
```

Rules:

{_COMMON}{_PLACES}\
- Both parts are whole lines. Include a few lines around the change in both of them.
- Write several blocks for several changes. They may be in any order, but keep the order of the file.
- Leave the SEARCH part empty to create a file. Leave the REPLACE part empty to delete lines.
- Files can't be deleted or renamed this way.
"""

JSON = f"""\
# Edits as JSON

Answer with a JSON list of calls:

```json
[
  {{"name": "edit", "input": {{"filePath": "src/app.py", "oldString": "Hi ", "newString": "Hello "}}}},
  {{"name": "delete", "input": {{"filePath": "obsolete.txt"}}}}
]
```

| call | arguments |
| --- | --- |
| edit | filePath, oldString, newString, and replaceAll to change every occurrence |
| multiedit | filePath, edits: a list of objects with oldString, newString and replaceAll |
| write | filePath, content: the whole file |
| delete | filePath |
| move | filePath, toPath |

Rules:

{_COMMON}\
- oldString is the text to find, exactly as it is in the file. It must occur only once, unless replaceAll is true.
- An empty oldString creates the file.
- Edits of one file are made in order, each on the result of the one before.
"""

XML = f"""\
# Edits as markup

Answer with a call for each edit:

<invoke name="edit">
<parameter name="file_path">src/app.py</parameter>
<parameter name="old_string">print("Hi " + name)</parameter>
<parameter name="new_string">print(f"Hello, {{name}}!")</parameter>
</invoke>

Rules:

{_COMMON}\
- old_string is the text to find, exactly as it is in the file, without escapes. It must occur only once.
- An empty old_string creates the file.
- To write a whole file, call `write` with file_path and content.
"""

WHOLE = f"""\
# Whole files

Answer with the whole content of each file that changes, in a fence below its path:

src/app.py
```python
print("Hello")
```

Rules:

{_COMMON}\
- Write every line of the file. A comment that stands for lines you leave out is refused.
- Use a longer fence, such as four backticks, for a file that has fences in it.
- Files can't be deleted or renamed this way.
"""

SKETCH = f"""\
# Sketches

Answer with the new code of each file that changes, in a fence below its path. Put a comment that says
`... existing code ...` where lines stay as they are:

src/app.py
```python
# ... existing code ...
def greet(name):
    check(name)
    name = name.strip()
    print(f"Hello, {{name}}!")
    return name
# ... existing code ...
```

Rules:

{_COMMON}\
- Beside each marker, write at least three lines exactly as the file has them.
- Put a marker wherever lines of the file are left out, also at the start and the end.
- Or write whole functions and classes between markers: they replace those of the same name.
- Files can't be deleted or renamed this way.
"""

#: The instructions by the names of their forms.
FORM_INSTRUCTIONS = {
    "unified": UNIFIED,
    "search-replace": SEARCH_REPLACE,
    "json": JSON,
    "xml": XML,
    "whole": WHOLE,
    "sketch": SKETCH,
}
