"""Edits whose place is gone, and what stands elsewhere is only like it: each was once a success, and is refused."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from suture import PatchRejectedError, replace


class Stale(NamedTuple):
    """A file that has moved on, and the edit that was written for what it had before."""

    content: str
    old: str
    new: str


TITLED = """\
<!DOCTYPE html>
<html>
<head>
    <meta charset="utf-8">
    <title>Coverage for here.py: 75%</title>
    <link rel="stylesheet" href="style.css" type="text/css">
    <script type="text/javascript" src="page.js" defer></script>
</head>
"""
MIDDLEWARE = """\
def test_disconnect():
    class Consuming(Middleware):
        async def dispatch(self, request, call_next):
            response = await call_next(request)
            disconnected = await request.is_disconnected()
            assert disconnected is True
            return response
"""
BUILDER = """\
assert (
    DDL("")
    .execute_if(callable_=lambda **kw: True)
    ._should_execute(tbl, cx)
)
other = 1
"""
NAMES = "".join(f"                {name},\n" for name in ("self.cur_file_name", "self.last_line", "started_context"))
TRACER = """\
def trace(self):
    if self.switch:
        self.start(
            filename(
                self.cur_file_name,
                self.last_line,
                started_context,
        )
    return self
"""
NAMING = """\
    def test_ix_name(self):
        u1 = self._fixture(
            naming_convention={"ix": "ix_%(table_name)s"}
        )
"""
POST = """\
    self.config   = post.config
    self.authors: list[Author] = []

    # Initialize content after separator - allow template authors to render
    # posts inline or to provide a link to the post's page
    beacon.more = None

    # Initialize parser
"""

STALE = {
    "a block whose middle names another number": Stale(
        TITLED,
        TITLED.replace("here.py: 75%", "main.py: 70%"),
        TITLED.replace("here.py: 75%", "main.py: 70%").replace("<html>", '<html lang="en">'),
    ),
    "a block with another line right beside the change": Stale(
        MIDDLEWARE,
        MIDDLEWARE.replace("response = await call_next(request)", "await request.body()"),
        MIDDLEWARE.replace("response = await call_next(request)", "await request.body()").replace(
            "(self, request, call_next)", "(\n            self, request: Request, call_next\n        ) -> Response"
        ),
    ),
    "a brace of its own that is the end of another line": Stale(
        BUILDER,
        "        )\n    ._should_execute(tbl, cx)\n)",
        "        )\n    ._should_execute(tbl, cx)\n)\n\ndef test_repr():\n    assert repr(ddl)",
    ),
    "a brace at another depth than the lines above it": Stale(
        TRACER,
        f"{NAMES}            )\n",
        f"{NAMES}            ),\n",
    ),
    "a name of which a short part is another": Stale(
        NAMING,
        "    def test_uq_name(self):\n        u1 = self._fixture(",
        "    def test_classes(self):\n        pass\n\n    def test_uq_name(self):\n        u1 = self._fixture(",
    ),
    "lines that came in already and were edited since": Stale(
        POST,
        "    self.config = post.config\n    self.authors: list[Author] = []\n\n",
        "    self.config = post.config\n    self.authors: list[Author] = []\n\n"
        "    # Initialize content after separator - allow template authors to render\n"
        "    # posts inline or to provide a link to the post's page\n"
        "    self.more = None\n\n",
    ),
    "an indentation that was changed already, behind a trailing blank": Stale(
        "Forms of it:\n \n* A dict of names\n  says a frame\n* A tuple says a series\n \nBehind.\n",
        "Forms of it:\n\n    * A dict of names\n      says a frame\n    * A tuple says a series\n\nBehind.\n",
        "Forms of it:\n\n* A dict of names\n  says a frame\n* A tuple says a series\n\nBehind.\n",
    ),
    "an indentation that was changed already, beside curly quotes": Stale(
        '    result = connection.execute(select(foo))\n\n    print(result)\n\nThe goal of "2.0 mode" is\n',
        "    result = connection.execute(select(foo))\n\nprint(result)\n\nThe goal of “2.0 mode” is\n",
        "    result = connection.execute(select(foo))\n\n    print(result)\n\nThe goal of “2.0 mode” is\n",
    ),
    "a blank line that came in already, above a slip": Stale(
        '"""The module."""\n\nfrom ._migration import migration\n\n__getattr__ = migration(__name__)\n',
        "from ._migration import migration\n\n__getattr__ = migration(__nsme__)\n",
        "\nfrom ._migration import migration\n\n__getattr__ = migration(__nsme__)\n",
    ),
}


@pytest.mark.parametrize("name", STALE)
def test_an_edit_whose_place_is_gone_is_not_put_where_something_like_it_stands(name: str) -> None:
    content, old, new = STALE[name]
    with pytest.raises(PatchRejectedError):
        replace(content, old, new)


@pytest.mark.parametrize(
    ("path", "content", "old", "new"),
    [
        pytest.param(
            "a.php",
            "use Acme\\Client;\nuse Acme\\Events;\nuse Acme\\Error\\Errors\\Error;\nuse Acme\\Message\\Request;\n",
            "use Acme\\Client;\nuse Acme\\Events;\nuse Acme\\Http\\Errors\\Error;\nuse Acme\\Message\\Request;\n",
            "use Acme\\Client;\nuse Acme\\Added;\nuse Acme\\Events;\nuse Acme\\Http\\Errors\\Error;\n"
            "use Acme\\Message\\Request;\n",
            id="another word behind a backslash",
        ),
        pytest.param(
            "release.yml",
            "      - name: release\n        env:\n          BETA: one\n          NPM: two\n"
            "      run: npm release $BETA $NPM\n",
            "          BETA: one\n          NPM: two\n        run: npm release $BETA $NPM\n",
            "          BETA: one\n        run: npm release $BETA\n      - name: publish\n        run: npm publish\n",
            id="a line at another depth, and a new text that merely begins a block there",
        ),
        pytest.param(
            "nvm.sh",
            "    fi\n\n    if [ \"$UNSET\" -eq 1 ] && has 'it'; then\n      unset it\n    fi\n\n"
            "      fi\n\n      if [ “$UNSET” -eq 1 ] && has 'it'; then\n        unset it\n      fi\n\n",
            "      fi\n\n      if [ \"$UNSET\" -eq 1 ] && has 'it'; then\n        unset it\n      fi\n\n",
            "      fi\n\n      if [ \"$SET\" -eq 1 ] && has 'it'; then\n        unset it\n      fi\n\n",
            id="the same lines at their own depth, with other quotes",
        ),
    ],
)
def test_what_is_there_only_in_another_way_is_not_the_place(path: str, content: str, old: str, new: str) -> None:
    with pytest.raises(PatchRejectedError):
        replace(content, old, new, path=path)
