"""What a study of LPs says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import among, listed, money
from ventureframe.evidence.claims import REACHABLE, Caveat, limit, material
from ventureframe.studies.exposure.study import Counts


def answer(c: Counts) -> str:
    """The bottom line: how many managers, which are shared, and which fund is the largest."""
    if not c.managers:
        return f"""No manager was returned for {c.lps:LP}, which is not evidence that
            {c.lps:it backs|they back} none."""
    return f"{c.lps:LP} {c.lps:backs|back} {c.managers:manager}{_shared(c)}. {_funds(c)}"


def _shared(c: Counts) -> str:
    """How many managers several of the LPs back, and which most of them do."""
    if c.lps == 1:
        return ""
    if not c.managers_shared:
        return "; none of them is backed by more than one"
    names = [name or "a manager without a name" for name in c.most_shared]
    if others := c.most_shared_of - len(names):
        names.append(f"{others:other}")
    most = f"{listed(names)} {c.most_shared_of:has|have} the most"
    return f"""; {c.managers_shared} of them {c.managers_shared:is|are} backed by two or more.
        {most}: {c.most_shared_by} LPs{c.most_shared_of:| each}"""


def _funds(c: Counts) -> str:
    """How many funds were returned of how many managers, and the largest of them."""
    if not c.managers_asked:
        return "No manager was asked for its funds."
    is_one = c.managers_asked == 1
    if not c.funds:
        none = f"None of the {c.managers_asked} managers asked returned a fund"
        none = "The manager asked returned no fund" if is_one else none
        return f"{none} {c.window}, which is not evidence that none was raised."
    who = "The manager asked"
    if not is_one:
        who = among(c.managers_with_funds, c.managers_asked, "manager asked", "managers asked")
    size = f"{'all' if c.funds_sized == c.funds else c.funds_sized or 'none'} with a size"
    if c.funds == 1:
        size = "with a size" if c.funds_sized else "without a size"
    largest = f"no size is known in {c.currency}"
    if c.largest is not None:
        fund, manager, amount = c.largest
        fund, manager = fund or "a fund without a name", manager or "a manager without a name"
        largest = f"the largest is {fund} of {manager}, {money(amount, c.currency)}"
    silent = c.managers_empty
    rest = f" {silent} returned none, which is not evidence that {silent:it|they} raised none."
    funds = f"{c.funds:fund} {c.window} ({size}{c.not_convertible})"
    return f"{who} returned {funds}; {largest}.{rest if silent else ''}"


def key_figures(c: Counts) -> Iterator[tuple[str, str, str]]:
    """Managers, funds and the largest fund."""
    shared = f"{c.managers_shared} backed by two or more " if c.lps > 1 else ""
    yield "Managers", f"{c.managers}", f"{shared}of {c.lps:LP}"
    managers = f"of {c.managers_with_funds} of {c.managers_asked:manager} asked"
    yield f"Funds {c.window}", f"{c.funds}", managers
    fund, manager, amount = c.largest or (None, None, None)
    names = ", ".join(filter(None, (fund, manager))) or f"size known for 0 of {c.funds:fund}"
    yield "Largest known fund", money(amount, c.currency), names


def claims(c: Counts) -> Iterator[tuple[str, str, str]]:
    """What the study states, with the records that carry each statement."""
    backed = f"{c.managers:manager} backed by {c.lps_with_managers:LP}"
    yield backed, "established", "each manager is in the lp-funds answer of the LP"
    run = f"{c.funds:fund} {c.window} run by {c.managers_with_funds:manager}"
    yield run, "established", "each fund is in the funds answer of the manager"
    none = f"funds {c.window} of {c.managers_empty:manager}"
    yield none, "not recorded", "the funds answer of each had zero rows"
    basis = f"no response states one; each fund is {REACHABLE}"
    yield "a holding of an LP in any fund", "not recorded", basis


def caveats(c: Counts) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers; those that change its reading first."""
    missing = c.managers - c.managers_asked
    if missing or c.managers_failed or c.lps_answered < c.lps:
        yield material(6)(f"""Of the managers of {c.subject}, {missing} {missing:was|were} not
            asked for funds and {c.managers_failed} gave no complete answer; {c.lps_answered} of
            {c.lps:LP} answered.""")
    yield material(5)(f"""Which funds {c.subject} {c.lps:holds|hold} is not recorded: a fund of a
        manager that an LP backs is {REACHABLE}.""")
    if c.managers_empty:
        yield material(6)(f"""{c.managers_empty:manager} of {c.subject} returned no records
            {c.window}, which does not mean that {c.managers_empty:it|they} raised no funds.""")
    yield limit(5)(f"""What {c.subject} put in is not recorded: a fund's size is not the LP's
        commitment, nor assets under management, nor available capital. Sizes are not added up.""")
    if c.managers_undated:
        undated = f"{c.managers_undated:manager} of {c.subject}"
        yield limit(6)(f"{undated} returned only funds without a date.")
    if c.since is not None:
        yield limit(6)(f"""A fund without a date belongs to no year, so it is not among the funds
            {c.window} of the managers of {c.subject}.""")
    if c.latest_several:
        yield limit(3)(f"""For {c.latest_several:manager} of {c.subject} several funds share the
            latest date; none of them is chosen, so no size is shown as the latest.""")
    if c.funds:
        yield limit(3)(f"""The size in {c.currency} of the funds of the managers of {c.subject} is
            {c.sized}, the type for {c.funds_typed}, the closed status for {c.funds_with_status}; a
            missing size is not filled from another fund.""")
    yield limit(8)(f"""Links of {c.subject} and records of funds can be of different dates; a link
        does not say when it began, or whether it still holds.""")
