"""What the study of every institution says, and what it cannot tell."""

from collections.abc import Iterator

from ventureframe.display.wording import Count, percent
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.interface.fields import Currency
from ventureframe.studies.institutions.study import Counts
from ventureframe.studies.spinouts.words import ALUMNI


def _founded(c: Counts) -> str:
    institutions = f"{Count(c.institutions_evidenced):institution}"
    return f"{Count(c.companies_evidenced):company} founded by alumni of {institutions}"


def answer(c: Counts, _: Currency) -> str:
    """The bottom line in two sentences."""
    return f"""{_founded(c)}: {Count(c.founders_evidenced):founder} with an education entry there.
        {Count(c.entries_with_id)} of {Count(c.entries):education entry} carry the UUID of an
        institution."""


def key_figures(c: Counts, _: Currency) -> Iterator[tuple[str, str, str]]:
    """Institutions, companies, and entries that carry the UUID of an institution."""
    evidenced, with_id = Count(c.institutions_evidenced), Count(c.entries_with_id)
    founders, companies = Count(c.founders_evidenced), Count(c.companies_evidenced)
    of = f"of {Count(c.institutions)}"
    yield "Institutions with an evidenced company", f"{evidenced}", of
    yield "Companies founded by alumni", f"{companies}", f"by {founders:founder}"
    share = percent(c.entries_with_id, c.entries)
    yield "Education entries with a UUID", share, f"{with_id} of {Count(c.entries)}"


def claims(c: Counts, _: Currency) -> Iterator[tuple[str, str, str]]:
    """What the study states, with the records that carry each statement."""
    basis = f"education entries of {Count(c.founders_evidenced):founder} with a university_uuid"
    yield _founded(c), "established", basis
    named = f"{Count(c.entries_named_only):education entry} with the name of an institution"
    basis = "university_name of the entry; the university_uuid is empty"
    yield f"{named} and no UUID", "candidate", basis


def caveats(c: Counts, currency: Currency) -> Iterator[Caveat]:
    """What a table of every institution cannot tell, with its own numbers."""
    evidenced, named_only = Count(c.institutions_evidenced), Count(c.entries_named_only)
    institutions = Count(c.institutions)
    yield material(3)(f"""Ranks order what these records hold, not institutions: a lower rank can
        be a smaller record. {institutions - evidenced} of {institutions:institution} have no
        evidenced company here and no rank, which is not evidence that they have none.""")
    yield material(3)(f"""Total funding in {currency} is known for at least one company of
        {Count(c.funding_known)} of {evidenced:institution}; sums, medians and the rank by funding
        cover known totals only.""")
    yield ALUMNI
    yield limit(2)("""A company with founders of several institutions counts at each, so the
        columns are not added up.""")
    yield limit(2)(f"""{named_only:entry} of {Count(c.entries)} name an institution without a UUID:
        they are candidates of each institution of that name and count nowhere as evidence.""")
    yield limit(2)(f"""{Count(c.names_shared):institution} share a name with another one; only the
        UUID tells them apart.""")
