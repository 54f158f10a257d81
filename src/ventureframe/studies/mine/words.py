"""What the study of a list says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import among, money, within
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.studies.mine.study import FOUND_BY, Counts


def answer(c: Counts) -> str:
    """What was matched, what is left, and what is known of the companies."""
    sentences = [*_matched(c), *_open_rows(c)]
    if c.companies:
        sentences += [*_recorded(c)]
    return " ".join(sentences)


def _matched(c: Counts) -> Iterator[str]:
    by = c.by_grade
    if not c.matched:
        yield "No row of your list is matched to a company."
    else:
        ways = ", ".join(
            f"{by[grade]:,} by {word}" for grade, word in FOUND_BY.items() if by[grade]
        )
        yield f"""{among(c.matched, c.list_rows, "row of your list")}
            {c.matched:matches|match} {c.records:company} ({ways})."""
    if c.renamed:
        yield f"""Another name is recorded for {within(c.renamed, by["domain"], "row")}
            matched by website."""


def _open_rows(c: Counts) -> Iterator[str]:
    if c.to_decide:
        yield f"{c.to_decide:row} {c.to_decide:needs|need} your decision."
    if c.site_alone:
        yield f"""Only the website is equal, under another name, for
            {within(c.site_alone, c.to_decide, "row")} to decide."""
    if c.not_found:
        yield f"{c.not_found:row} {c.not_found:was|were} not found."
    if c.not_looked_up:
        yield f"{c.not_looked_up:row} {c.not_looked_up:was|were} not looked up."


def _recorded(c: Counts) -> Iterator[str]:
    if c.flag_known:
        flagged = among(c.flagged, c.flag_known, "company with a recorded flag")
        yield f"{flagged} {'are' if c.flagged > 1 else 'is'} flagged as hiring."
    else:
        yield "No hiring flag is recorded."
    if c.education_entries:
        linked = within(c.companies_linked, c.companies, "company")
        yield f"A founder's university is identified for {linked}."
    elif not (c.founders_read or c.companies_withheld):
        yield "No record of a founder was read."
    elif not c.companies_withheld:
        yield "No education is recorded for any founder that was read."
    if c.companies_withheld:
        hidden = within(c.companies_withheld, c.companies, "company")
        yield f"The service does not show where the founders of {hidden} studied."


def key_figures(c: Counts) -> Iterator[tuple[str, str, str, bool]]:
    """What the companies raised, and that the answer does not say it."""
    if c.funding_known:
        companies = within(c.funding_known, c.companies, "company")
        total = money(c.funding, c.currency)
        yield "Total funding", total, f"recorded for {companies}", False


def claims(c: Counts) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    certain = c.matched - c.renamed
    basis = "the website, the name and the city, or your decision"
    yield certain, f"{certain:row} of the list matched", "established", basis
    renamed = f"{c.renamed:row} of the list matched under another name"
    also = "the website, and a similar name, the city or the founding year"
    yield c.renamed, renamed, "candidate", also
    undecided = f"{c.to_decide:row} of the list to decide"
    yield c.to_decide, undecided, "candidate", "a name or a website, and no more"
    hires = f"{c.flagged:company} flagged as hiring"
    yield c.flagged, hires, "established", "the company's record"
    linked = f"{c.companies_linked:company} with a founder of an identified university"
    entries = "education entries that carry the identifier of a university"
    yield c.companies_linked, linked, "established", entries


def caveats(c: Counts) -> Iterator[Caveat]:
    """What holding a list against the records cannot tell."""
    if c.not_found:
        yield material(3)(
            """A company that was not found can be recorded under another name or
            website, and one that is not recorded can exist."""
        )
    if c.renamed or c.site_alone:
        yield material(3)(
            """Where the website is equal and the name is not, the company was renamed
            or the website now belongs to another: the records do not say which."""
        )
    if c.rounds_read < c.companies:
        read = within(c.rounds_read, c.companies, "company")
        yield material(3)(
            f"Funding rounds were looked up for {read}: of the others none is shown."
        )
    if c.to_decide:
        yield material(3)(
            """Undecided rows appear only under 'To be decided' and in the list, row by
            row."""
        )
    if c.by_grade["refused by you"]:
        yield limit(3)("A row whose candidates you refused counts as not found.")
    yield limit(3)(
        """Websites change hands: where your list gives no founding year, an equal
        website can be that of an earlier owner. Amounts and dates of your list are
        never taken for those of the records."""
    )
