"""What the study of every institution says, and what it cannot tell."""

from collections.abc import Iterator

from ventureframe.display.wording import among, listed, within
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.studies.institutions.study import Counts
from ventureframe.studies.spinouts.words import ALUMNI


def answer(c: Counts) -> str:
    """The bottom line: companies, the universities with most, and the entries behind
    it.
    """
    if not c.entries:
        return "No education is recorded for the founders in this data."
    if not c.entries_with_id:
        return (
            "No company is counted: no education entry in this data carries the"
            " identifier of a university."
        )
    founders = f"{c.founders_evidenced:founder}"
    entries = within(c.entries_with_id, c.entries, "education entry")
    behind = f"This rests on {founders} and {entries}."
    if c.institutions_evidenced == 1:
        return f"{_counted(c)}. {behind}"
    return f"{_counted(c)}. {_most(c)} {behind}"


def _counted(c: Counts) -> str:
    companies, universities = c.companies_evidenced, c.institutions_evidenced
    studied = f"{companies:company} {companies:has|have} a founder who studied"
    if universities == 1:
        _, (name,) = c.most[0]
        return f"{studied} at {name}"
    return f"{studied} at any of {universities} universities"


def _most(c: Counts) -> str:
    """The universities with the most companies, those with equally many together."""
    if not c.most:
        return "More than three universities tie for the most companies."
    parts = list[str]()
    for companies, names in c.most:
        suffix = " each" if len(names) > 1 else ""
        parts.append(f"{listed(names)} {companies:,}{suffix}")
    return f"Most companies: {'; '.join(parts)}."


def key_figures(*_: object) -> tuple[()]:
    """None: the answer says each number."""
    return ()


def claims(c: Counts) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    entries = f"education entries of {c.founders_evidenced:founder} with an identifier"
    yield c.companies_evidenced, _counted(c), "established", entries
    named = f"{c.entries_named_only:education entry} with only the name of a university"
    yield c.entries_named_only, named, "candidate", "the entry carries no identifier"


def caveats(c: Counts) -> Iterator[Caveat]:
    """What a table of every university cannot tell, with its own numbers."""
    if not c.entries:
        yield limit(3)(
            "Where no education is recorded, nothing follows about any university."
        )
        return
    yield ALUMNI
    if c.institutions_evidenced > 1:
        yield material(3)(
            "Overlapping ranks are ties, and a lower rank can mean fewer records."
        )
    without = c.institutions - c.institutions_evidenced
    if 0 < without < c.institutions:
        yield material(3)(
            f"""No company is counted at
            {within(without, c.institutions, "university")}: no founder's
            entry carries the identifier. Entries without an identifier name
            {c.named_only or "none"} of these {without}."""
        )
    if c.funding_known:
        universities = within(c.funding_known, c.institutions_evidenced, "university")
        yield limit(3)(
            f"""At {universities}, a company has a known total, converted to
            {c.currency}; sums and medians are of known totals only."""
        )
    if named := c.entries_named_only:
        yield limit(2)(
            f"""{among(named, c.entries, "education entry")} {named:names|name} a
            university without its identifier. At the universities of that name, such an
            entry makes a company a candidate, never a count."""
        )
    if c.names_shared:
        yield limit(2)(
            f"""{c.names_shared:university} share a name with another one; the
            identifier tells them apart."""
        )
