"""What a study of LPs says, computed from its counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ventureframe.display.wording import counted, number
from ventureframe.evidence.claims import Caveat, Claim, Rule, carried
from ventureframe.evidence.states import REACHABLE
from ventureframe.interface.fields import Currency


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of one study; none of them is an amount of money.

    `lp_names` are the first three LPs by the number of their managers; `since` None: any date.
    """

    lp_names: tuple[str, ...]
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
        return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "0 LPs"

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
    """The bottom line in one sentence."""
    c = counts
    if not c.managers:
        return (
            f"0 managers were returned for {counted(c.lps, 'LP')}, which is not evidence that "
            "they back none."
        )
    return (
        f"{counted(c.lps, 'LP')} with {counted(c.managers, 'distinct manager')} recorded, "
        f"{number(c.managers_shared)} of them backed by more than one; "
        f"{number(c.managers_with_funds)} of {number(c.managers_asked)} asked returned "
        f"{counted(c.funds, 'fund')} {c.window} ({number(c.funds_sized)} with a size"
        f"{_not_convertible(c)}), "
        f"{number(c.managers_empty)} returned none, which is not evidence that they raised none."
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
    """What this study cannot tell, with its own numbers."""
    c = counts
    unasked = c.managers - c.managers_asked
    is_partial = unasked or c.managers_failed or c.lps_answered < c.lps
    rules: dict[str, Rule | None] = {
        f"Of the managers of {c.subject}, {number(unasked)} were not asked for funds and "
        f"{number(c.managers_failed)} were asked without a complete answer; "
        f"{number(c.lps_answered)} of {counted(c.lps, 'LP')} answered.": "reading rule 6"
        if is_partial
        else None,
        f"Which funds are held by {c.subject}: a fund of a manager that an LP backs is "
        f"{REACHABLE}.": "reading rule 5",
        f"What {c.subject} put in: a fund's size is not the LP's commitment, nor assets under "
        "management, nor available capital. Sizes are not added up.": "reading rule 5",
        f"{counted(c.managers_empty, 'manager')} of {c.subject} returned no records {c.window}, "
        "which does not mean that they raised no funds.": "reading rule 6",
        f"{counted(c.managers_undated, 'manager')} of {c.subject} returned only funds without a "
        "date.": "reading rule 6" if c.managers_undated else None,
        f"A fund without a date is in no window, so it is not among the funds {c.window} of the "
        f"managers of {c.subject}.": None if c.since is None else "reading rule 6",
        f"For {counted(c.latest_several, 'manager')} of {c.subject} several funds share the latest "
        "date; none of them is chosen, so no size is shown as the latest.": "reading rule 3"
        if c.latest_several
        else None,
        f"The size in {c.currency} of the funds of the managers of {c.subject} is {sized(c)}, the "
        f"type for {number(c.funds_typed)}, the closed status for {number(c.funds_with_status)}; a "
        "missing size is not filled from another fund.": "reading rule 3",
        f"Links of {c.subject} and records of funds can be of different dates; a link does not say "
        "since when, or whether still.": "reading rule 8",
    }
    return tuple(Caveat(text, rule) for text, rule in rules.items() if rule)
