"""What a study of LPs says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import among, listed, money
from ventureframe.evidence.claims import REACHABLE, Caveat, Claim, KeyFigure, carried
from ventureframe.studies.exposure.study import Counts


def answer(c: Counts) -> str:
    """The bottom line: how many managers, which are shared, and which fund is the largest."""
    if not c.managers:
        return (
            f"No manager was returned for {c.lps:LP}, "
            f"which is not evidence that {c.lps:it backs|they back} none."
        )
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
    return (
        f"; {c.managers_shared} of them {c.managers_shared:is|are} backed by two or more. "
        f"{listed(names)} {c.most_shared_of:has|have} the most: "
        f"{c.most_shared_by} LPs{c.most_shared_of:| each}"
    )


def _funds(c: Counts) -> str:
    """How many funds were returned of how many managers, and the largest of them."""
    if not c.managers_asked:
        return "No manager was asked for its funds."
    is_one = c.managers_asked == 1
    if not c.funds:
        nobody = "The manager asked" if is_one else f"None of the {c.managers_asked} managers asked"
        return (
            f"{nobody} returned {'no' if is_one else 'a'} fund {c.window}, "
            "which is not evidence that none was raised."
        )
    who = "The manager asked"
    if not is_one:
        who = among(c.managers_with_funds, c.managers_asked, "manager asked", "managers asked")
    size = f"{'all' if c.funds_sized == c.funds else c.funds_sized or 'none'} with a size"
    if c.funds == 1:
        size = "with a size" if c.funds_sized else "without a size"
    largest = f"no size is known in {c.currency}"
    if c.largest is not None:
        fund, manager, amount = c.largest
        largest = (
            f"the largest is {fund or 'a fund without a name'} "
            f"of {manager or 'a manager without a name'}, {money(amount, c.currency)}"
        )
    silent = c.managers_empty
    rest = f" {silent} returned none, which is not evidence that {silent:it|they} raised none."
    return (
        f"{who} returned {c.funds:fund} {c.window} ({size}{c.not_convertible}); {largest}."
        f"{rest if silent else ''}"
    )


def key_figures(c: Counts) -> tuple[KeyFigure, ...]:
    """Managers, funds and the largest fund."""
    lps = f"{c.lps:LP}"
    shared = f"{c.managers_shared} backed by two or more of {lps}"
    names = ", ".join(name for name in (c.largest or ())[:2] if name)
    return (
        KeyFigure("Managers", f"{c.managers}", shared if c.lps > 1 else f"of {lps}"),
        KeyFigure(
            f"Funds {c.window}",
            f"{c.funds}",
            f"of {c.managers_with_funds} of {c.managers_asked:manager} asked",
        ),
        KeyFigure(
            "Largest known fund",
            money(c.largest and c.largest[2], c.currency),
            names or f"size known for 0 of {c.funds:fund}",
        ),
    )


def claims(c: Counts) -> tuple[Claim, ...]:
    """What the study states, with the records that carry each statement."""
    return (
        Claim(
            f"{c.managers:manager} backed by {c.lps_with_managers:LP}",
            carried(c.managers, "established"),
            "each manager is in the lp-funds answer of the LP",
        ),
        Claim(
            f"{c.funds:fund} {c.window} run by {c.managers_with_funds:manager}",
            carried(c.funds, "established"),
            "each fund is in the funds answer of the manager",
        ),
        Claim(
            f"funds {c.window} of {c.managers_empty:manager}",
            "not recorded",
            "the funds answer of each had zero rows",
        ),
        Claim(
            "a holding of an LP in any fund",
            "not recorded",
            f"no response states one; each fund is {REACHABLE}",
        ),
    )


def caveats(c: Counts) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers; those that change its reading first."""
    missing = c.managers - c.managers_asked
    if missing or c.managers_failed or c.lps_answered < c.lps:
        yield Caveat(
            f"Of the managers of {c.subject}, {missing} {missing:was|were} not asked for funds "
            f"and {c.managers_failed} gave no complete answer; "
            f"{c.lps_answered} of {c.lps:LP} answered.",
            "reading rule 6",
            is_material=True,
        )
    yield Caveat(
        f"Which funds {c.subject} {c.lps:holds|hold} is not recorded: "
        f"a fund of a manager that an LP backs is {REACHABLE}.",
        "reading rule 5",
        is_material=True,
    )
    if c.managers_empty:
        yield Caveat(
            f"{c.managers_empty:manager} of {c.subject} returned no records {c.window}, "
            f"which does not mean that {c.managers_empty:it|they} raised no funds.",
            "reading rule 6",
            is_material=True,
        )
    yield Caveat(
        f"What {c.subject} put in is not recorded: a fund's size is not the LP's commitment, "
        "nor assets under management, nor available capital. Sizes are not added up.",
        "reading rule 5",
    )
    if c.managers_undated:
        yield Caveat(
            f"{c.managers_undated:manager} of {c.subject} returned only funds without a date.",
            "reading rule 6",
        )
    if c.since is not None:
        yield Caveat(
            "A fund without a date belongs to no year, "
            f"so it is not among the funds {c.window} of the managers of {c.subject}.",
            "reading rule 6",
        )
    if c.latest_several:
        yield Caveat(
            f"For {c.latest_several:manager} of {c.subject} several funds share the latest date; "
            "none of them is chosen, so no size is shown as the latest.",
            "reading rule 3",
        )
    if c.funds:
        yield Caveat(
            f"The size in {c.currency} of the funds of the managers of {c.subject} is {c.sized}, "
            f"the type for {c.funds_typed}, the closed status for {c.funds_with_status}; "
            "a missing size is not filled from another fund.",
            "reading rule 3",
        )
    yield Caveat(
        f"Links of {c.subject} and records of funds can be of different dates; "
        "a link does not say when it began, or whether it still holds.",
        "reading rule 8",
    )
