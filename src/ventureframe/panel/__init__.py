"""A question as a form in a notebook, and the views that follow it: redrawn after every fetch.

Where there is no form, as in an export, the list of the conditions stands in its place.
"""

from ventureframe.panel.panel import WIDGET, Panel, View

__all__ = ["WIDGET", "Panel", "View"]
