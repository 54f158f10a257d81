"""A question as a form in a notebook, and views that follow it; an export lists its
conditions.
"""

from ventureframe.panel.panel import WIDGET, Panel, View

__all__ = ["WIDGET", "Panel", "View"]
