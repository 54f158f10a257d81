"""The filter panel: what is chosen as a value, and the form that changes it in a notebook.

The form asks nothing until Fetch is pressed; then everything shown with `show` is drawn anew.
Where there is no form (an export, a notebook that is not trusted) the list of what was chosen
stands in its place.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, get_args

from ventureframe import spinouts as _spinouts
from ventureframe.errors import UnsupportedValue, VentureframeError
from ventureframe.fields import Currency
from ventureframe.filters import Filter, company

if TYPE_CHECKING:
    from ventureframe.client import Service
    from ventureframe.spinouts import Study

WIDGET: Final = "application/vnd.jupyter.widget-view+json"

_KEYBOARD: Final = """
const arm = () => {
  const panel = element.closest(".vf-panel");
  if (!panel) return setTimeout(arm, 50);
  panel.querySelector(".vf-status").setAttribute("role", "status");
  for (const part of panel.querySelectorAll("select, input, button"))
    part.setAttribute("data-lm-suppress-shortcuts", "true");
};
arm();
"""
"""JupyterLab takes letters and arrows typed into a list or on a button for notebook commands,
unless the element in focus carries this attribute; widgets have no other way to set it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is asked about one university; `founded_from` 0 keeps companies of any founding year.

    With a founding year, companies whose year is not recorded are not in the pool.
    """

    university: str
    domain: str
    currency: Currency
    founded_from: int = 0

    def __post_init__(self) -> None:
        if self.currency not in get_args(Currency):
            reason = f"amounts come in {', '.join(get_args(Currency))}"
            raise UnsupportedValue(self.currency, field="currency", reason=reason)

    @property
    def where(self) -> tuple[Filter, ...]:
        """The filters beside the university's own."""
        return (company.launch_date >= self.founded_from,) if self.founded_from else ()

    @property
    def listed(self) -> tuple[tuple[str, str], ...]:
        """What was chosen, as label and value."""
        year = f"{self.founded_from} or later" if self.founded_from else "any, or not recorded"
        return (
            ("University", self.university),
            ("Website domain", self.domain),
            ("Currency", self.currency),
            ("Founding year", year),
        )

    def __repr__(self) -> str:
        return " · ".join(f"{label}: {value}" for label, value in self.listed)

    def _repr_html_(self) -> str:
        rows = (f"<dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd>" for k, v in self.listed)
        return f'<dl class="vf-choice">{"".join(rows)}</dl>'


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """A study's bottom line, as a paragraph that stands out."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<p class="vf-answer">{html.escape(self.text)}</p>'


def answer(study: Study) -> Answer:
    """The bottom line of a study in one sentence."""
    return Answer(study.answer)


@dataclass(repr=False, eq=False)
class Panel:
    """A form over a `Choice`, the study it leads to, and the views that follow it.

    `choice` and `study` always belong together: a fetch that fails changes neither.
    """

    service: Service
    choice: Choice
    study: Study
    _views: dict[str, tuple[Callable[[Panel], object], Any]] = field(default_factory=dict)

    def fetch(self, choice: Choice) -> None:
        """Asks the service what `choice` says, then draws again whatever was shown."""
        study = _study(self.service, choice)
        self.choice, self.study = choice, study
        for view, handle in self._views.values():
            handle.update(view(self))

    def show(self, view: Callable[[Study], object] = answer) -> None:
        """Displays what `view` makes of the study, now and after every fetch: its answer first."""
        self._display(f"{view.__module__}.{view.__qualname__}", lambda panel: view(panel.study))

    def _display(self, name: str, view: Callable[[Panel], object]) -> None:
        from IPython.display import display  # noqa: PLC0415  # only a notebook displays

        self._views[name] = view, display(view(self), display_id=f"ventureframe-{name}")

    def _ipython_display_(self) -> None:
        from IPython.display import display  # noqa: PLC0415

        bundle = _form(self)._repr_mimebundle_()
        display({WIDGET: bundle[WIDGET]}, raw=True)
        self._display("choice", lambda panel: panel.choice)


def spinouts(
    service: Service,
    *,
    university: str,
    domain: str,
    currency: Currency | None = None,
    founded_from: int = 0,
) -> Panel:
    """The panel over the spinouts of one university, already fetched with these values.

    Raises what `Service.university` and `spinouts.study` raise.

    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> form = vf.panel.spinouts(svc, university="Stanford University", domain="stanford.edu")
    >>> form.show()
    """
    choice = Choice(
        university=university,
        domain=domain,
        currency=currency or service.currency,
        founded_from=founded_from,
    )
    return Panel(service, choice, _study(service, choice))


def _study(service: Service, choice: Choice) -> Study:
    return _spinouts.study(
        service,
        university=service.university(choice.university, domain=choice.domain),
        where=choice.where,
        currency=choice.currency,
    )


def _form(panel: Panel) -> Any:
    """The widgets: one per member of the choice, a button, and a line that says what happened."""
    import ipywidgets as widgets  # noqa: PLC0415  # not needed where nothing is displayed
    from IPython.display import Javascript  # noqa: PLC0415

    chosen = asdict(panel.choice)
    layout = {"style": {"description_width": "9em"}, "layout": {"width": "30em"}}
    inputs = {
        "university": widgets.Text(description="University", **layout),
        "domain": widgets.Text(description="Website domain", **layout),
        "currency": widgets.Dropdown(options=get_args(Currency), description="Currency", **layout),
        "founded_from": widgets.BoundedIntText(
            min=0, max=9999, description="Founded from", **layout
        ),
    }
    for name, control in inputs.items():
        control.value = chosen[name]
    button = widgets.Button(description="Fetch", button_style="primary")
    status = widgets.HTML()
    status.add_class("vf-status")
    keyboard = widgets.Output(layout={"display": "none"})
    keyboard.append_display_data(Javascript(_KEYBOARD))

    def say(text: str) -> None:
        status.value = html.escape(text)

    def fetch(_: object) -> None:
        button.disabled = True
        say("Fetching …")
        try:
            panel.fetch(Choice(**{name: control.value for name, control in inputs.items()}))
        except VentureframeError as error:
            say(f"Nothing below has changed. {error}")
        else:
            say(f"Fetched; what follows shows it. {panel.study.answer}")
        finally:
            button.disabled = False

    button.on_click(fetch)
    form = widgets.VBox([*inputs.values(), button, status, keyboard])
    form.add_class("vf-panel")
    return form
