"""Pages of generated studies, read as a reader reads them and held against an oracle.

`worlds` generates records with gaps and the questions about them, `page` parses what
a study shows, `oracle` computes what is true of the records in plain Python, and
`check` compares the two, by the patterns of sentences in `sentences/*.txt`.

`python -m tests.pages --studies 2000` looks for an untrue sentence, and `--seed 17`
prints one page with what is wrong on it. `python -m tests.pages.planted` plants errors
and says which are found.
"""
