"""The helper: from a question to typed rows with a certificate.

A fetch: `service` makes a `query`, whose list `walk` reads page by page (by offset, by cursor);
`session` signs, paces and repeats each request (`auth`, `retry`) and returns a whole reply;
`decode` types its rows, `translate` gives them the interface's names, `checks` refuses or doubts
them; `walk` states what was seen and the verdict, and `frames` joins the pages to one frame.
A `result` shows, converts and saves it (`saves`); `lookups` find one record by name and domain.
`aggregates` asks the service to count. Nothing here knows a study.
"""
