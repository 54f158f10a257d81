"""A question as a form in a notebook, and the views that follow it.

The form requests nothing until Count or Fetch is pressed; then every view of it is redrawn. Where
there is no form (an export, a notebook that is not trusted), the list of the conditions stands in
its place.
"""

from ventureframe.panel.panel import WIDGET, Panel, View

__all__ = ["WIDGET", "Panel", "View"]
