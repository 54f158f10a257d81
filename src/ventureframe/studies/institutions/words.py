"""What the study of every institution says, and what it cannot tell."""

from collections.abc import Iterator

from ventureframe.display.wording import percent
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.interface.fields import Currency
from ventureframe.studies.institutions.study import Counts
from ventureframe.studies.spinouts.words import ALUMNI


def _founded(c: Counts) -> str:
    institutions = f"{c.institutions_evidenced:institution}"
    return f"{c.companies_evidenced:company} founded by alumni of {institutions}"


def answer(c: Counts, _: Currency) -> str:
    """The bottom line in two sentences."""
    return f"""{_founded(c)}: {c.founders_evidenced:founder} with an education entry there.
        {c.entries_with_id} of {c.entries:education entry} carry the UUID of an institution."""


def key_figures(c: Counts, _: Currency) -> Iterator[tuple[str, str, str]]:
    """Institutions, companies, and entries that carry the UUID of an institution."""
    evidenced, founders = f"{c.institutions_evidenced}", f"by {c.founders_evidenced:founder}"
    share = percent(c.entries_with_id, c.entries)
    yield "Institutions with an evidenced company", evidenced, f"of {c.institutions}"
    yield "Companies founded by alumni", f"{c.companies_evidenced}", founders
    yield "Education entries with a UUID", share, f"{c.entries_with_id} of {c.entries}"


def claims(c: Counts, _: Currency) -> Iterator[tuple[str, str, str]]:
    """What the study states, with the records that carry each statement."""
    entries = f"education entries of {c.founders_evidenced:founder} with a university_uuid"
    yield _founded(c), "established", entries
    named = f"{c.entries_named_only:education entry} with the name of an institution and no UUID"
    yield named, "candidate", "university_name of the entry; the university_uuid is empty"


def caveats(c: Counts, currency: Currency) -> Iterator[Caveat]:
    """What a table of every institution cannot tell, with its own numbers."""
    yield material(3)(f"""Ranks order what these records hold, not institutions: a lower rank can
        be a smaller record. {c.institutions - c.institutions_evidenced} of
        {c.institutions:institution} have no evidenced company here and no rank, which is not
        evidence that they have none.""")
    yield material(3)(f"""Total funding in {currency} is known for at least one company of
        {c.funding_known} of {c.institutions_evidenced:institution}; sums, medians and the rank by
        funding cover known totals only.""")
    yield ALUMNI
    yield limit(2)("""A company with founders of several institutions counts at each, so the
        columns are not added up.""")
    yield limit(2)(f"""{c.entries_named_only:entry} of {c.entries} name an institution without a
        UUID: they are candidates of each institution of that name and count nowhere as
        evidence.""")
    yield limit(2)(f"""{c.names_shared:institution} share a name with another one; only the UUID
        tells them apart.""")
