"""The filter panel: what is chosen as a value, and the form that changes it in a notebook.

The form asks nothing until Count or Fetch is pressed; then everything shown with `show` is drawn
anew. Where there is no form (an export, a notebook that is not trusted) the list of what was
chosen stands in its place.
"""

from ventureframe.panel.choices import Choice, Exposure, Hiring, Records, Spinouts, Unclear
from ventureframe.panel.panel import WIDGET, Answer, Panel, answer
from ventureframe.panel.panels import exposure, hiring, spinouts

__all__ = [
    "WIDGET",
    "Answer",
    "Choice",
    "Exposure",
    "Hiring",
    "Panel",
    "Records",
    "Spinouts",
    "Unclear",
    "answer",
    "exposure",
    "hiring",
    "spinouts",
]
