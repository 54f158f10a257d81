"""One research question per folder."""
