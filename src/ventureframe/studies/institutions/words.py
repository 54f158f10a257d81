"""What the study of every institution says, and what it cannot tell."""

from ventureframe.display.wording import counted, number, percent
from ventureframe.evidence.claims import Caveat, Claim, KeyFigure
from ventureframe.interface.fields import Currency
from ventureframe.studies.institutions.study import Counts
from ventureframe.studies.spinouts.words import ALUMNI


def _founded(counts: Counts) -> str:
    companies = counted(counts.companies_evidenced, "company")
    institutions = counted(counts.institutions_evidenced, "institution")
    return f"{companies} founded by alumni of {institutions}"


def answer(counts: Counts) -> str:
    """The bottom line in two sentences."""
    founders = counted(counts.founders_evidenced, "founder")
    entries = counted(counts.entries, "education entry")
    return (
        f"{_founded(counts)}: {founders} with an education entry there. "
        f"{number(counts.entries_with_id)} of {entries} carry the UUID of an institution."
    )


def key_figures(counts: Counts) -> tuple[KeyFigure, ...]:
    """Institutions, companies, and entries that carry the UUID of an institution."""
    c = counts
    figures = {
        "Institutions with an evidenced company": (
            number(c.institutions_evidenced),
            f"of {number(c.institutions)}",
        ),
        "Companies founded by alumni": (
            number(c.companies_evidenced),
            f"by {counted(c.founders_evidenced, 'founder')}",
        ),
        "Education entries with a UUID": (
            percent(c.entries_with_id, c.entries),
            f"{number(c.entries_with_id)} of {number(c.entries)}",
        ),
    }
    return tuple(KeyFigure(label, *values) for label, values in figures.items())


def claims(counts: Counts) -> tuple[Claim, ...]:
    """What the study states, with the records that carry each statement."""
    founders = counted(counts.founders_evidenced, "founder")
    named = counted(counts.entries_named_only, "education entry")
    return (
        Claim(
            _founded(counts),
            "established",
            f"education entries of {founders} with a university_uuid",
        ),
        Claim(
            f"{named} with the name of an institution and no UUID",
            "candidate",
            "university_name of the entry; the university_uuid is empty",
        ),
    )


def caveats(counts: Counts, currency: Currency) -> tuple[Caveat, ...]:
    """What a table of every institution cannot tell, with its own numbers."""
    c = counts
    evidenced = counted(c.institutions_evidenced, "institution")
    return (
        Caveat(
            "Ranks order what these records hold, not institutions: a lower rank can be a smaller "
            f"record. {number(c.institutions - c.institutions_evidenced)} of "
            f"{counted(c.institutions, 'institution')} have no evidenced company here and no rank, "
            "which is not evidence that they have none.",
            "reading rule 3",
            is_material=True,
        ),
        Caveat(
            f"Total funding in {currency} is known for at least one company of "
            f"{number(c.funding_known)} of {evidenced}; sums, medians and the rank by funding "
            "cover known totals only.",
            "reading rule 3",
            is_material=True,
        ),
        ALUMNI,
        Caveat(
            "A company with founders of several institutions counts at each, so the columns are "
            "not added up.",
            "reading rule 2",
        ),
        Caveat(
            f"{counted(c.entries_named_only, 'entry')} of {number(c.entries)} name an institution "
            "without a UUID: they are candidates of each institution of that name and count "
            "nowhere as evidence.",
            "reading rule 2",
        ),
        Caveat(
            f"{counted(c.names_shared, 'institution')} share a name with another one; only the "
            "UUID tells them apart.",
            "reading rule 2",
        ),
    )
