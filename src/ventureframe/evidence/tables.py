"""What every study lists: coverage, claims, caveats, and the sources it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from ventureframe.display.table import Column, Table
from ventureframe.display.wording import caption, counted
from ventureframe.evidence.findings import Findings
from ventureframe.studies.changes.find import Comparisons


def coverage(study: Findings) -> Table:
    """How many records have each field, of how many."""
    return Table.of(
        study.coverage,
        Column("record", "Record"),
        Column("field", "Field"),
        Column("known", "Known", "number"),
        Column("of", "Of", "number"),
        title=f"Coverage: {study.subject}",
        caption=caption("a field not recorded says nothing of the world", source=study.source),
    )


def claims(study: Findings) -> Table:
    """What the study states, how far records carry it, and which."""
    columns = (Column("claim", "Claim"), Column("status", "Status"), Column("basis", "Basis"))
    rows = tuple((each.statement, each.status, each.basis) for each in study.claims)
    about = caption(source=study.source)
    return Table(f"Claims and their basis: {study.subject}", about, columns, rows)


def caveats(study: Findings | Comparisons) -> Table:
    """What the study cannot tell, with the rule of the interface behind each."""
    columns = (Column("caveat", "What this cannot tell"), Column("rule", "Interface"))
    rows = tuple((each.text, each.rule) for each in study.caveats)
    about = caption(source=study.source)
    return Table(f"Caveats: {study.subject}", about, columns, rows)


def sources(study: Findings | Comparisons) -> Table:
    """Where the records come from, what was asked and answered, whose data it is, and the clock."""
    rows = [row for row in _sources(study) if row[1]]
    columns = (Column("what", "What"), Column("value", "Value"))
    return Table("Sources and clocks", caption(source=study.source), columns, tuple(rows))


def _sources(study: Findings | Comparisons) -> Iterator[tuple[str, str]]:
    named = dict.fromkeys(each.source for each in study.provenance)
    for source in named:
        yield "Dataset" if source.is_embedded else "Service", source.name
        yield "Description", source.description
        yield "As of", str(source.as_of or "")
    for result in study.fetched:
        asked = result.provenance
        if asked.fetched_at is not None:
            yield "Fetched", f"{asked.fetched_at:%Y-%m-%d %H:%M:%S} UTC"
        terms = {"filter": asked.filter, "sort": asked.sort, "currency": asked.currency}
        if result.asked is not None:
            ids = f"the ids of {counted(len(result.asked), 'record')}"
            terms["filter"] = " and ".join(filter(None, (asked.filter, ids)))
        said = [f"{name} {value}" for name, value in terms.items() if value]
        yield "Request", " · ".join([f"GET {asked.endpoint}", *said])
        yield "Answer", repr(result)
    for source in named:
        yield "Licence", source.licence or ""
        yield from (("Attribution", line) for line in source.attribution)
    for made in sorted({(each.version, each.profile) for each in study.provenance}):
        yield "Made with", f"ventureframe {made[0]}, wire profile {made[1]!r}"
