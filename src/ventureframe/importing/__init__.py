"""Tables of one's own, CSV or workbooks, as a dataset folder."""
