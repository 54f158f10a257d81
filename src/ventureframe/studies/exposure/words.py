"""What a study of LPs says, computed from its counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ventureframe.display.wording import among, counted, listed, money, number, verb
from ventureframe.evidence.claims import Caveat, Claim, KeyFigure, Rule, carried
from ventureframe.evidence.states import REACHABLE
from ventureframe.interface.fields import Currency


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of one study.

    `lp_names` are the first three LPs by the number of their managers, `most_shared` the first
    of the `most_shared_of` managers that most of the LPs back, `most_shared_by` how many LPs that
    is, `largest` the fund of the largest known
    size, its manager and that size in `currency`. `since` None: any date.
    """

    lp_names: tuple[str, ...]
    most_shared: tuple[str | None, ...]
    most_shared_of: int
    most_shared_by: int
    largest: tuple[str | None, str | None, float] | None
    lps: int
    lps_answered: int
    lps_with_managers: int
    managers: int
    managers_shared: int
    managers_asked: int
    managers_with_funds: int
    managers_undated: int
    managers_empty: int
    managers_failed: int
    funds: int
    funds_dated: int
    funds_sized: int
    funds_not_convertible: int
    latest_several: int
    funds_typed: int
    funds_with_status: int
    since: int | None
    currency: Currency

    @property
    def subject(self) -> str:
        """The LPs, by name where they are few."""
        named = self.lp_names if self.lps <= 3 else self.lp_names[:1]
        others = self.lps - len(named)
        names = [*named, *([counted(others, "other LP")] if others else [])]
        return listed(names) or "0 LPs"

    @property
    def window(self) -> str:
        """The window in words."""
        return "of any date" if self.since is None else f"since {self.since}"


NOT_FILLED: Final = "a missing size stays missing even where an older fund has one"


def sized(counts: Counts) -> str:
    """How many funds have a known size, of how many, and how many have one without a rate."""
    known = f"known for {number(counts.funds_sized)} of {counted(counts.funds, 'fund')}"
    return f"{known}{_not_convertible(counts)}"


def _not_convertible(counts: Counts) -> str:
    lost = counts.funds_not_convertible
    return f", not convertible for {number(lost)}" if lost else ""


def answer(counts: Counts) -> str:
    """The bottom line: how many managers, which are shared, and which fund is the largest."""
    c = counts
    if not c.managers:
        return (
            f"No manager was returned for {counted(c.lps, 'LP')}, which is not evidence that "
            f"{verb(c.lps, 'it backs', 'they back')} none."
        )
    many = f"{counted(c.lps, 'LP')} {verb(c.lps, 'backs', 'back')} {counted(c.managers, 'manager')}"
    return f"{many}{_shared(c)}. {_funds(c)}"


def _shared(counts: Counts) -> str:
    """How many managers several of the LPs back, and which most of them do."""
    c = counts
    if c.lps == 1:
        return ""
    if not c.managers_shared:
        return "; none of them is backed by more than one"
    rest = c.most_shared_of - len(c.most_shared)
    named = [name or "a manager without a name" for name in c.most_shared]
    return (
        f"; {number(c.managers_shared)} of them {verb(c.managers_shared, 'is', 'are')} backed by "
        f"two or more. {listed([*named, *([counted(rest, 'other')] if rest else [])])} "
        f"{verb(c.most_shared_of, 'has', 'have')} the most: {number(c.most_shared_by)} LPs"
        f"{' each' if c.most_shared_of > 1 else ''}"
    )


def _funds(counts: Counts) -> str:
    """How many funds were returned of how many managers, and the largest of them."""
    c = counts
    if not c.managers_asked:
        return "No manager was asked for its funds."
    is_one, asked = c.managers_asked == 1, f"the {number(c.managers_asked)} managers asked"
    if not c.funds:
        nobody = f"The manager asked returned no fund {c.window}"
        none = nobody if is_one else f"None of {asked} returned a fund {c.window}"
        return f"{none}, which is not evidence that none was raised."
    many = among(c.managers_with_funds, c.managers_asked, "manager asked", "managers asked")
    who = "The manager asked" if is_one else many
    said = (
        f"{who} returned {counted(c.funds, 'fund')} {c.window} ({_of_size(c)}{_not_convertible(c)})"
    )
    if c.largest is None:
        said += f"; no size is known in {c.currency}"
    else:
        fund, manager, size = c.largest
        named = fund or "a fund without a name"
        said += (
            f"; the largest is {named} of "
            f"{manager or 'a manager without a name'}, {money(size, c.currency)}"
        )
    silent = c.managers_empty
    if not silent:
        return f"{said}."
    return (
        f"{said}. {number(silent)} returned none, which is not evidence that "
        f"{verb(silent, 'it', 'they')} raised none."
    )


def _of_size(counts: Counts) -> str:
    """How many of the funds have a size."""
    if counts.funds == 1:
        return "with a size" if counts.funds_sized else "without a size"
    if not counts.funds_sized:
        return "none with a size"
    is_all = counts.funds_sized == counts.funds
    return f"{'all' if is_all else number(counts.funds_sized)} with a size"


def key_figures(counts: Counts) -> tuple[KeyFigure, ...]:
    """Managers, funds and the largest fund."""
    c = counts
    size = None if c.largest is None else c.largest[2]
    of = "" if c.largest is None else listed(filter(None, c.largest[:2])).replace(" and ", ", ")
    return (
        KeyFigure(
            "Managers",
            number(c.managers),
            f"{number(c.managers_shared)} backed by two or more of {counted(c.lps, 'LP')}"
            if c.lps > 1
            else f"of {counted(c.lps, 'LP')}",
        ),
        KeyFigure(
            f"Funds {c.window}",
            number(c.funds),
            f"of {number(c.managers_with_funds)} of {counted(c.managers_asked, 'manager')} asked",
        ),
        KeyFigure(
            "Largest known fund",
            money(size, c.currency),
            of or f"size known for 0 of {counted(c.funds, 'fund')}",
        ),
    )


def claims(counts: Counts) -> tuple[Claim, ...]:
    """What the study states, with the records that carry each statement."""
    c = counts
    return (
        Claim(
            f"{counted(c.managers, 'manager')} backed by {counted(c.lps_with_managers, 'LP')}",
            carried(c.managers, "established"),
            "each manager is in the lp-funds answer of the LP",
        ),
        Claim(
            f"{counted(c.funds, 'fund')} {c.window} run by "
            f"{counted(c.managers_with_funds, 'manager')}",
            carried(c.funds, "established"),
            "each fund is in the funds answer of the manager",
        ),
        Claim(
            f"funds {c.window} of {counted(c.managers_empty, 'manager')}",
            "not recorded",
            "the funds answer of each had zero rows",
        ),
        Claim(
            "a holding of an LP in any fund",
            "not recorded",
            f"no response states one; each fund is {REACHABLE}",
        ),
    )


def caveats(counts: Counts) -> tuple[Caveat, ...]:
    """What this study cannot tell, with its own numbers; those that change its reading first."""
    c = counts
    unasked = c.managers - c.managers_asked
    is_partial = unasked or c.managers_failed or c.lps_answered < c.lps
    material: dict[str, Rule | None] = {
        f"Of the managers of {c.subject}, {number(unasked)} {verb(unasked, 'was', 'were')} not "
        f"asked for funds and {number(c.managers_failed)} gave no complete answer; "
        f"{number(c.lps_answered)} of {counted(c.lps, 'LP')} answered.": "reading rule 6"
        if is_partial
        else None,
        f"Which funds {c.subject} {verb(c.lps, 'holds', 'hold')} is not recorded: a fund of a "
        f"manager that an LP backs is {REACHABLE}.": "reading rule 5",
        f"{counted(c.managers_empty, 'manager')} of {c.subject} returned no records {c.window}, "
        f"which does not mean that {verb(c.managers_empty, 'it', 'they')} raised no funds.": (
            "reading rule 6" if c.managers_empty else None
        ),
    }
    others: dict[str, Rule | None] = {
        f"What {c.subject} put in is not recorded: a fund's size is not the LP's commitment, nor "
        "assets under management, nor available capital. Sizes are not added up.": "reading rule 5",
        f"{counted(c.managers_undated, 'manager')} of {c.subject} returned only funds without a "
        "date.": "reading rule 6" if c.managers_undated else None,
        f"A fund without a date belongs to no year, so it is not among the funds {c.window} of the "
        f"managers of {c.subject}.": None if c.since is None else "reading rule 6",
        f"For {counted(c.latest_several, 'manager')} of {c.subject} several funds share the latest "
        "date; none of them is chosen, so no size is shown as the latest.": "reading rule 3"
        if c.latest_several
        else None,
        f"The size in {c.currency} of the funds of the managers of {c.subject} is {sized(c)}, the "
        f"type for {number(c.funds_typed)}, the closed status for {number(c.funds_with_status)}; a "
        "missing size is not filled from another fund.": "reading rule 3" if c.funds else None,
        f"Links of {c.subject} and records of funds can be of different dates; a link does not say "
        "when it began, or whether it still holds.": "reading rule 8",
    }
    return tuple(
        Caveat(text, rule, is_material=texts is material)
        for texts in (material, others)
        for text, rule in texts.items()
        if rule
    )
