"""The helper: from a question to typed rows with a certificate.

A fetch: `service` makes a `query`, whose `listing` says what is requested of a
`connection`; `walk` reads it in one pass, by the ways of `paging`, and `lists` reads
several in turn. `session` signs, paces and repeats each request (`auth`, `retry`) and
returns a whole reply; `decode` types its rows (`envelope` is their schema, `plain`
reads one value), `translate` gives them the interface's names, `checks` refuses or
doubts them.
`fetch` joins the walks to one frame with one verdict. A `result` shows and saves it
(`saves`); `lookups` find one record by name and domain. `aggregates` asks the service
to count. Nothing here knows a study.
"""
