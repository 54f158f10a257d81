"""What the study of every institution says, and what it cannot tell."""

from collections.abc import Iterator

from ventureframe.display.wording import among
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.interface.fields import Currency
from ventureframe.studies.institutions.study import Counts
from ventureframe.studies.spinouts.words import ALUMNI, LABEL


def _linked(c: Counts) -> str:
    where = f"{'one of ' * (c.institutions_evidenced > 1)}{c.institutions_evidenced:university}"
    companies = (
        f"{c.companies_evidenced:company}"
        if c.companies_evidenced > 1
        else "One company"
    )
    return (
        f"{companies} {c.companies_evidenced:has|have} a founder who studied at {where}"
    )


def answer(c: Counts, _: Currency) -> str:
    """The bottom line in two sentences."""
    if not c.entries:
        return "No education is recorded in this data."
    entries = among(c.entries_with_id, c.entries, "education entry")
    carry = (
        f"{entries} {c.entries_with_id:carries|carry} the identifier of a university."
    )
    if not c.entries_with_id:
        return (
            f"No company is linked to a university: {entries.lower()} carries its"
            " identifier."
        )
    people = f"({c.founders_evidenced} {c.founders_evidenced:person|people})"
    return f"{_linked(c)} {people}. {carry}"


def key_figures(c: Counts, _: Currency) -> Iterator[tuple[str, str, str, bool]]:
    """Universities, companies, and entries that carry the identifier of a
    university; the answer says each number.
    """
    if c.entries_with_id:
        founders = f"{c.founders_evidenced:founder}"
        yield LABEL, f"{c.companies_evidenced}", founders, True
        universities = f"{c.institutions_evidenced}"
        yield "Universities with such a company", universities, "", True
        yield (
            "Entries with a university's identifier",
            f"{c.entries_with_id}",
            f"of {c.entries}",
            True,
        )


def claims(c: Counts, _: Currency) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    entries = f"education entries of {c.founders_evidenced:founder} with an identifier"
    yield c.companies_evidenced, _linked(c), "established", entries
    named = f"{c.entries_named_only:education entry} with only the name of a university"
    yield c.entries_named_only, named, "candidate", "the entry carries no identifier"


def caveats(c: Counts, currency: Currency) -> Iterator[Caveat]:
    """What a table of every university cannot tell, with its own numbers."""
    if not c.entries:
        yield limit(3)(
            "Where no education is recorded, nothing follows about any university."
        )
        return
    if c.institutions_evidenced:
        without = c.institutions - c.institutions_evidenced
        none = f""" For {without} of {c.institutions:university} founders are not
        recorded here;
            {without:it has|they have} no place."""
        known = among(c.funding_known, c.institutions_evidenced, "university")
        yield ALUMNI
        places = "Places that overlap are not told apart by these records"
        fewer = f"a lower place can mean fewer records.{none if without else ''}"
        yield material(3)(f"{places}, and {fewer}")
        yield material(3)(
            f"""{known} {c.funding_known:has|have} a company with a total recorded in
            {currency}; sums, medians and the place by funding are of recorded totals
            only."""
        )
        yield limit(2)(
            """A company with founders of several universities counts at each, so the
            columns are not added up."""
        )
    if named := c.entries_named_only:
        some = among(named, c.entries, "education entry")
        yield limit(2)(
            f"""{some} {named:names|name} a university without its identifier:
            {named:a candidate|candidates}, counted nowhere."""
        )
    if c.names_shared:
        yield limit(2)(
            f"""{c.names_shared:university} share a name with another one; only the
            identifier tells them apart."""
        )
