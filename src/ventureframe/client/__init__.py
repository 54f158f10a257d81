"""The helper: from a question to typed rows with a certificate.

A fetch: `service` makes a `query`, whose `listing` says what is requested of a
`connection`; `walk` reads it in one pass, or several in turn, by the ways of `paging`,
and `lists` those that rows cut short. `session` signs, paces and repeats each request
(`auth`, `retry`) and returns a whole reply; `decode` types its rows (`envelope` is
their schema, `plain` reads one value), `translate` gives them the interface's names,
`checks` refuses or doubts them.
`fetch` joins the walks to one frame with one verdict. A `result` shows and saves it
(`saves`); `lookups` find one record by name and domain. `aggregates` asks the service
to count. Nothing here knows a study.

Where a change goes: a header of every request, `session.Session.__init__`, or one beside
the token, `session.Session._authorized`; a status and what to do about it, the table
`session._STATUSES`; when a request is repeated, and how fast they follow,
`retry.Pace`; a way to the next page, `paging.PagingState.plan` and `_is_end`; a reason
to refuse or doubt rows, a row of `checks.CHECKS`; a field that a service returns, none of
these but `interface.fields` and the wire's table; a column beside the fields of every
result, `result.Result.to_polars`; what a result says of itself, `result.Result.line`; what
a save holds, `saves.write`.
"""
