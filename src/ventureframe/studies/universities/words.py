"""What a comparison of universities says, computed from its counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ventureframe.display.wording import number
from ventureframe.evidence.claims import Caveat, Rule
from ventureframe.studies.spinouts.words import ALUMNI, companies


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of a comparison: per university, in the order given, and across them.

    `is_asked_alike`: whether every pool was requested with the same conditions.
    """

    names: Sequence[str]
    evidenced: Sequence[int]
    companies: int
    shared: int
    is_asked_alike: bool


def answer(counts: Counts) -> str:
    """The bottom line in two sentences."""
    c = counts
    each = "; ".join(
        f"{name}: {number(found)}" for name, found in zip(c.names, c.evidenced, strict=True)
    )
    return (
        f"Companies founded by alumni of each – {each}. "
        f"{number(c.shared)} of the {companies(c.companies)} "
        f"{'was' if c.shared == 1 else 'were'} founded by alumni of two or more of them."
    )


def caveats(counts: Counts) -> tuple[Caveat, ...]:
    """What setting universities side by side cannot tell."""
    apart: Mapping[str, Rule] = {
        "The pools of the universities were narrowed by different conditions.": "filter conventions"
    }
    said: Mapping[str, Rule] = {
        **({} if counts.is_asked_alike else apart),
        f"A company with founders of two universities counts at both ({number(counts.shared)} "
        "here), so the columns are not added up.": "reading rule 2",
        "Universities are recorded to different degrees: a smaller number can be a smaller record. "
        "The coverage of each stands beside it.": "reading rule 3",
        "Founder alumni and the university-level aggregate spinout_count are other populations "
        "than the evidenced companies; they are shown as reported for each university and not "
        "divided by one another.": ("reading rule 4"),
    }
    return (ALUMNI, *(Caveat(text, rule) for text, rule in said.items()))
