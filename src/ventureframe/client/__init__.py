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

Where a change goes. A header of every request: `session.Session.__init__`, or one
beside the token, `session.Session._send_authorized`. What the token request holds:
`auth.token_request`; when a token is renewed: `auth.TokenKeeper.current`. A status:
`retry.PASSING` where it is worth another attempt, and the table `session._STATUSES` for
what is said of it; how fast attempts follow: `retry.Pace`. A header of replies:
`session.Session._reply` keeps it, `interface.reply.page` reads it. A way to the next
page: there too, then `paging.PagingState.plan`, and `Listing.ask` sends it. The row
that two pages share: `paging.PagingState.plan` and `take`, then `walk.Walk._take` and
`checks.is_contradicted`. How many ids a request has, or rows a page: the wire's table,
`interface.wire`. A reason to refuse or doubt rows: a row of `checks.CHECKS`. A field
that a service returns: `interface.fields` and the wire's table, nothing here. A column
beside the fields of every result: `result.Result.to_polars`. What a result says of
itself: `result.Result.line`, of a near miss: `lookups._describe`. What a save holds:
`saves.write`.
"""
