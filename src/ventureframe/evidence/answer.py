"""A study's bottom line with what stands beside it: its key figures, its limits."""

from collections.abc import Sequence
from html import escape
from typing import Any, Self

from ventureframe.display.statement import tiles
from ventureframe.display.wording import mime_bundle
from ventureframe.errors import visible
from ventureframe.evidence.claims import Caveat, KeyFigure
from ventureframe.interface.source import Source


class Limits(tuple[Caveat, ...]):
    """Limits as a list that shows itself."""

    def __repr__(self) -> str:
        return "\n".join(visible(limit.text) for limit in self)

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        if not self:
            return mime_bundle("", "", None)
        items = "".join(f"<li>{escape(limit.text)}</li>" for limit in self)
        html = (
            "<p>Limits that change this reading:</p>\n"
            f'<ul class="vf-limits">{items}</ul>'
        )
        return mime_bundle(repr(self), html, None)


class Answer(str):
    """A study's bottom line: text that a notebook shows above its key figures.

    Its second line says what is `counted`. `heading` is the title of the study; a
    report of it has this name.
    """

    source: Source | None
    sentence: str
    heading: str = ""
    counted: str = ""
    figures: Sequence[KeyFigure] = ()
    limits: Limits = Limits()

    def __new__(cls, text: str, source: Source | None = None, **facts: Any) -> Self:
        lines = [visible(text)]
        if facts.get("counted"):
            lines += [visible(f"What is counted: {facts['counted']}")]
        answer = super().__new__(cls, "\n".join(lines))
        vars(answer).update(source=source, sentence=lines[0], **facts)
        return answer

    def __repr__(self) -> str:
        lines = [str(self)]
        lines += [visible(str(figure)) for figure in self.figures]
        if self.limits:
            lines.append(repr(self.limits))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        answer = f'<p class="vf-answer">{escape(self.sentence)}</p>'
        if self.counted:
            line = f"<b>What is counted:</b> {escape(self.counted)}"
            answer += f'\n<p class="vf-counted">{line}</p>'
        return answer + tiles(self.figures)

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        facts = {"answer": self.sentence}
        if self.heading:
            facts["title"] = self.heading
        return mime_bundle(repr(self), self._repr_html_(), self.source, **facts)
