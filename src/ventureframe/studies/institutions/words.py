"""What the study of every institution says, and what it cannot tell."""

from collections.abc import Iterator

from ventureframe.display.wording import percent
from ventureframe.evidence.claims import Caveat, Claim, KeyFigure
from ventureframe.interface.fields import Currency
from ventureframe.studies.institutions.study import Counts
from ventureframe.studies.spinouts.words import ALUMNI


def answer(c: Counts) -> str:
    """The bottom line in two sentences."""
    return (
        f"{_founded(c)}: {c.founders_evidenced:founder} with an education entry there. "
        f"{c.entries_with_id} of {c.entries:education entry} carry the UUID of an institution."
    )


def _founded(c: Counts) -> str:
    institutions = f"{c.institutions_evidenced:institution}"
    return f"{c.companies_evidenced:company} founded by alumni of {institutions}"


def key_figures(c: Counts) -> tuple[KeyFigure, ...]:
    """Institutions, companies, and entries that carry the UUID of an institution."""
    evidenced, carry = f"{c.institutions_evidenced}", percent(c.entries_with_id, c.entries)
    companies, founders = f"{c.companies_evidenced}", f"by {c.founders_evidenced:founder}"
    return (
        KeyFigure("Institutions with an evidenced company", evidenced, f"of {c.institutions}"),
        KeyFigure("Companies founded by alumni", companies, founders),
        KeyFigure("Education entries with a UUID", carry, f"{c.entries_with_id} of {c.entries}"),
    )


def claims(c: Counts) -> tuple[Claim, ...]:
    """What the study states, with the records that carry each statement."""
    entries = f"education entries of {c.founders_evidenced:founder} with a university_uuid"
    named = f"{c.entries_named_only:education entry} with the name of an institution and no UUID"
    empty = "university_name of the entry; the university_uuid is empty"
    return Claim(_founded(c), "established", entries), Claim(named, "candidate", empty)


def caveats(c: Counts, currency: Currency) -> Iterator[Caveat]:
    """What a table of every institution cannot tell, with its own numbers."""
    yield Caveat(
        "Ranks order what these records hold, not institutions: a lower rank can be a smaller "
        f"record. {c.institutions - c.institutions_evidenced} of {c.institutions:institution} have "
        "no evidenced company here and no rank, which is not evidence that they have none.",
        "reading rule 3",
        is_material=True,
    )
    yield Caveat(
        f"Total funding in {currency} is known for at least one company of {c.funding_known} of "
        f"{c.institutions_evidenced:institution}; sums, medians and the rank by funding cover "
        "known totals only.",
        "reading rule 3",
        is_material=True,
    )
    yield ALUMNI
    yield Caveat(
        "A company with founders of several institutions counts at each, so the columns are not "
        "added up.",
        "reading rule 2",
    )
    yield Caveat(
        f"{c.entries_named_only:entry} of {c.entries} name an institution without a UUID: they are "
        "candidates of each institution of that name and count nowhere as evidence.",
        "reading rule 2",
    )
    yield Caveat(
        f"{c.names_shared:institution} share a name with another one; only the UUID tells them "
        "apart.",
        "reading rule 2",
    )
