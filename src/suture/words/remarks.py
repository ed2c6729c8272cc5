"""What is added to a problem by somebody who knows more than the one who found it."""

from __future__ import annotations

from ..core.dialect import UPDATE
from ..core.problems import Remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.problems import Advice
    from ..core.readers import Reader


class EarlierEdit(Remark):
    """The lines that a message shows are not those of the disk: an earlier edit changes the file too."""

    def hint(self, hint: str, reader: Reader) -> str:  # noqa: ARG002 - the same for all
        """Before any other advice."""
        remark = "An earlier edit of the same patch changes this file too: the lines above are those after it."
        return f"{remark} {hint}"


class UnknownBytes(Remark):
    """The file has bytes that are no characters, because its encoding is not known."""

    path: str

    def hint(self, hint: str, reader: Reader) -> str:
        """How to set the encoding."""
        return f"{hint} {self.path} has bytes that are not UTF-8. {reader.encoding}"


class OtherFile(Remark):
    """Another file of the patch, which is in this form, has the lines of a hunk."""

    path: str
    form: str

    def message(self, message: str, reader: Reader) -> str:  # noqa: ARG002
        """Which file it is."""
        return f"{message}\nAnother file of the patch has these lines: {self.path}."

    def hint(self, hint: str, reader: Reader) -> str:  # noqa: ARG002
        """How to name that file."""
        where = f"{UPDATE}{self.path}" if self.form == "envelope" else f"the path {self.path}"
        return f"If you meant that file, put the hunk under {where}."


class Before(Remark):
    """A sentence that comes before the advice, which holds only if something is so."""

    sentence: str

    def hint(self, hint: str, reader: Reader) -> str:  # noqa: ARG002
        """The sentence, and the advice as its end."""
        return f"{self.sentence} {hint[:1].lower()}{hint[1:]}"


class After(Remark):
    """A paragraph that follows the advice."""

    sentence: str

    def hint(self, hint: str, reader: Reader) -> str:  # noqa: ARG002
        """The advice, and the sentence below it."""
        return f"{hint}\n{self.sentence}"


class Instead(Remark):
    """Another advice than the usual one."""

    advice: Advice

    def hint(self, hint: str, reader: Reader) -> str:  # noqa: ARG002
        """That advice."""
        return self.advice if isinstance(self.advice, str) else self.advice(reader)


class OnlyDiffs(Remark):
    """So many changes can only be written as unified diffs."""

    files: int

    def hint(self, hint: str, reader: Reader) -> str:  # noqa: ARG002
        """What can be written instead."""
        files = "these files" if self.files > 1 else "this file"
        return f"Leave {files} out, or write a unified diff instead."


class InInput(Remark):
    """In which of several inputs the problem is."""

    name: str

    def message(self, message: str, reader: Reader) -> str:  # noqa: ARG002
        """The name of the input, and what is wrong in it."""
        return f"{self.name}: {message}"
