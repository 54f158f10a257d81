"""What a study of founders says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import Count, among, counted, listed, within
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.evidence.dropped import sentences
from ventureframe.studies.founders.study import Counts
from ventureframe.studies.ranks import Most


def answer(c: Counts) -> str:
    """The bottom line: earlier employers, further companies, universities."""
    if not c.companies:
        none = "No company was found."
        if c.whose:
            none = f"No founder{c.whose[:-1]} was read."
        return f"{none} {sentences(c.dropped)}".strip()
    if c.withheld:
        return c.withheld
    if not c.founders:
        silent = within(c.companies - c.companies_withheld, c.companies, "company")
        return f"No founder is recorded for {silent}."
    return f"{_employers(c)} {_repeated(c)} {_studies(c)}"


def _employers(c: Counts) -> str:
    """For how many founders earlier posts are recorded, and where the most are."""
    most = _most(c.most_employers, "employer|employers")
    if c.employer:
        whom = within(c.founders_with_employer, c.founders, "founder")
        return f"Besides {c.employer}, earlier posts are recorded for {whom}{most}."
    whom = within(c.founders_with_posts, c.founders, "founder")
    return f"Earlier posts are recorded for {whom}{most}."


def _repeated(c: Counts) -> str:
    """How many founders are recorded with more than one company, and how."""
    if not c.founders_repeated:
        return f"""No earlier company is recorded for
            {c.founders:this founder|these founders}."""
    whom = among(c.founders_repeated, c.founders, "founder")
    text = f"{whom} founded more than one company by these records"
    titled = c.founders_repeated - c.founders_listed_again
    if titled == c.founders_repeated:
        return f"{text}, as the title of an earlier post says."
    if titled:
        return f"{text}, {titled} of these according to the title of an earlier post."
    return f"{text}."


def _studies(c: Counts) -> str:
    """For how many founders education is recorded, and where the most studied."""
    most = _most(c.most_universities, "university|universities")
    if c.university:
        whom = within(c.founders_elsewhere, c.founders, "founder")
        return f"Besides {c.university}, education is recorded for {whom}{most}."
    whom = within(c.founders_with_education, c.founders, "founder")
    return f"Education is recorded for {whom}{most}."


def _most(most: Most, kinds: str) -> str:
    """What several founders share in most companies, to end a sentence; nothing where
    more than three names tie.
    """
    names = [f"{name} ({counted(n, 'company')})" for n, names in most for name in names]
    count = Count(len(names))
    first = f"; the {count:{kinds}} shared most {count:is|are} {listed(names)}"
    return first if names else ""


def key_figures(c: Counts) -> Iterator[tuple[str, str, str, bool]]:
    """Founders with posts, those of several companies, the years from study to
    founding; and whether the answer says the number.
    """
    if c.withheld or not c.founders:
        return
    of = f"of the {c.founders:founder}"
    if c.employer:
        besides = f"Founders with an earlier post besides {c.employer}"
        yield besides, f"{c.founders_with_employer}", of, True
    else:
        yield "Founders with an earlier post", f"{c.founders_with_posts}", of, True
    yield "Founders of more than one company", f"{c.founders_repeated}", of, True
    if c.years is not None:
        note = f"known for {within(c.years_known, c.founders, 'founder')}"
        yield "Median years from study to founding", f"{c.years:g}", note, False


def claims(c: Counts) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    identified = c.founders_identified
    besides = f" besides {c.employer}" if c.employer else ""
    yield (
        identified,
        f"{identified:founder} with an earlier employer{besides}",
        "established",
        "earlier posts that carry the identifier of another company than their own",
    )
    named = c.founders_with_employer - identified
    yield (
        named,
        f"{named:founder} with an earlier employer{besides} by its name alone",
        "candidate",
        "the posts carry no identifier",
    )
    again = c.founders_listed_again
    yield (
        again,
        f"{again:founder} of more than one company",
        "established",
        "the companies' own lists of founders",
    )
    silent = c.founders_silent
    yield (
        silent,
        f"Earlier posts of {silent:founder}",
        "not recorded",
        "no earlier post was read",
    )


def caveats(c: Counts) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers."""
    if c.founders_silent:
        yield material(3)(
            f"""For {within(c.founders_silent, c.founders, "founder")}, no earlier post
            is recorded: this does not mean that there was none, or that the company
            is their first."""
        )
    if c.employers_named:
        named = among(c.employers_named, c.employers, "shared employer")
        yield material(2)(
            f"""{named} {c.employers_named:is|are} known by the name as recorded alone:
            two organisations can share it, and one can have several."""
        )
    yield from _gaps(c)
    yield limit(3)(
        """Founders are those that a company's record lists, former ones as far as the
        service lists them. A company is not counted as its own founder's earlier
        employer, but can be one for the founder's other companies. A founder's further
        companies are known where one that was read lists the founder, or an earlier
        post has the title of a founder."""
    )
    yield limit(8)(
        "Posts, education and companies can be recorded as of different dates."
    )
    yield from (
        drop.caveat for drop in c.dropped if drop.leaves_out and drop.not_recorded != 0
    )


def _gaps(c: Counts) -> Iterator[Caveat]:
    """Companies without founders, and founders without a record or not shown."""
    if c.companies_unseen:
        yield limit(3)(
            f"""The service does not show the founders of {c.companies_unseen:company}:
            whether they belong here is not known."""
        )
    silent = c.companies - c.companies_withheld - c.companies_with_founder
    firms = (c.companies, "company")
    people = (c.founders, "founder")
    gaps = [
        ("no founder is recorded", silent, firms),
        ("the service does not show founders", c.companies_withheld, firms),
        ("the record is missing", c.founders_missing, people),
        ("the service does not show earlier posts", c.posts_withheld, people),
        ("the service does not show education", c.education_withheld, people),
    ]
    for text, count, of in gaps:
        if count:
            yield limit(3)(f"For {within(count, *of)}, {text}.")
