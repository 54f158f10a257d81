"""What the study of a list says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.interface.fields import Currency
from ventureframe.studies.mine.study import Counts


def answer(c: Counts, _: Currency) -> str:
    """The bottom line: how much of the list is in the records, and who is hiring."""
    if not c.at_most:
        return f"No record was found for {c.list_rows:the one row|any row} of the list."
    first = f"Of {c.list_rows:row} of the list, {_in_records(c)}"
    if not c.companies:
        return first
    return f"{first} Of the {c.companies:company} found, {_hiring(c)}; {_studied(c)}."


def _in_records(c: Counts) -> str:
    some = f"{c.at_least or 'none'} {c.at_least:is|are}"
    if c.at_least == c.at_most:
        return f"{some} in the records."
    return f"""{some} found by domain; with every candidate, at most {c.at_most}
        {c.at_most:is|are} in the records."""


def _hiring(c: Counts) -> str:
    if not c.hiring_known:
        return "nothing is recorded of hiring"
    some = f"{c.hiring or 'none'} {c.hiring:has|have}"
    return f"{some} a hiring flag, open jobs or postings"


def _studied(c: Counts) -> str:
    """How many have a founder with a university, and what the service does not show."""
    some = f"{c.companies_linked or 'none'} {c.companies_linked:has|have}"
    linked = f"{some} a founder with an identified university"
    if not c.companies_withheld:
        return linked
    founders = f"the founders of {c.companies_withheld}"
    if c.companies_withheld == c.companies:
        founders = "their founders"
    hidden = f"the service does not show where {founders} studied"
    return f"{linked}; {hidden}" if c.companies_linked else hidden


def key_figures(c: Counts, currency: Currency) -> Iterator[tuple[str, str, str, bool]]:
    """How the rows were found, what is to be decided, and what is known of the
    companies; and whether the answer says the number.
    """
    by = c.by_grade
    by_domain = by.get("domain", 0)
    is_said = by_domain == c.at_least > 0
    yield "Found by domain", f"{by_domain:,}", f"of {c.list_rows:row}", is_said
    if "name and place" in by:
        yield "By name and place", f"{by['name and place']:,}", "", False
    yield "To be decided", f"{c.to_decide}", "one or several candidates", False
    if c.companies:
        known = f"of {c.companies:company}, in {currency}"
        yield "Total funding known", f"{c.funding_known}", known, False


def claims(c: Counts, _: Currency) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    found = f"{c.at_least:row} of the list in the records"
    equal = "the registered domain, unique in the records and in the list"
    yield c.at_least, found, "established", equal
    candidates = f"{c.to_decide:row} of the list with candidates"
    yield c.to_decide, candidates, "candidate", "a name, or a domain that several have"
    hires = f"{c.hiring:company} with a hiring flag, open jobs or postings"
    yield c.hiring, hires, "established", "company and job records"
    linked = f"{c.companies_linked:company} linked"
    entries = "education entries that carry the identifier of a university"
    yield c.companies_linked, linked, "established", entries


def caveats(c: Counts, _: Currency) -> Iterator[Caveat]:
    """What holding a list against the records cannot tell."""
    missing = c.list_rows - c.at_most
    if missing:
        yield material(3)(
            f"""{missing:row} of the list {missing:was|were} not found: the records
            can have {missing:it|them} under another name or domain, and a company that
            is not recorded may exist."""
        )
    if c.to_decide:
        yield material(2)(
            f"""{c.to_decide:row} with candidates only {c.to_decide:is|are} in no
            table but that of the rows to be decided."""
        )
    yield limit(2)(
        """Domains change hands: an equal domain can be that of an earlier owner where
        the list has no founding year. Amounts and dates in the list are never taken
        for records of the service."""
    )
