"""The helper: from a question to typed rows with a certificate.

A fetch: `service` makes a `query`, whose `listing` `walk` reads page by page, by
offset or cursor; `session` signs, paces and repeats each request (`auth`, `retry`)
and returns a whole reply; `decode` types its rows, `translate` gives them the
interface's names, `checks` refuses or doubts them; `walk` states what was seen, and
`fetch` joins the walks to one frame with one verdict. A `result` shows, converts and
saves it (`saves`); `lookups` find one record by name and domain. `aggregates` asks
the service to count. Nothing here knows a study.
"""
