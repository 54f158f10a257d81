"""What a study of LPs says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import among, listed, money, within
from ventureframe.evidence.claims import REACHABLE, Caveat, limit, material
from ventureframe.studies.exposure.study import Counts


def answer(c: Counts) -> str:
    """The bottom line: how many managers, which are shared, how many funds, and which
    is the largest.
    """
    if c.managers:
        return f"{_backed(c)} {_funds(c)} {_sizes(c)}"
    if c.lps_answered < c.lps:
        return f"No manager was read for {c.subject}."
    return f"""The data list no manager for {c.subject}, which does not mean that
        there is none."""


def _backed(c: Counts) -> str:
    """How many managers the LPs back, and which several of them back."""
    if c.lps == 1:
        return f"{c.subject} backs {c.managers:manager}."
    if c.lps == 2:
        return _by_two(c)
    some = among(c.lps_with_managers, c.lps, "LP")
    if c.lps_with_managers == 1:
        first, _ = c.first_lps[0]
        return f"{some}, {first}, backs {c.managers:manager}."
    backed = f"{some} together back {c.managers:manager}"
    if not c.managers_shared:
        return f"{backed}; no manager is recorded for two of these LPs."
    shared = within(c.managers_shared, c.managers, "manager")
    backed = f"{backed}; {shared} {c.managers_shared:is|are} backed by two or more LPs"
    if c.most_shared_of > 3:
        return f"{backed}."
    return f"{backed}, {listed(c.most_shared)} by {c.most_shared_by}."


def _by_two(c: Counts) -> str:
    (first, most), (second, managers) = c.first_lps
    backs = f"{first} backs {most:manager}"
    if managers is None:
        return f"{backs}; the managers of {second} could not be read."
    if not managers:
        return f"{backs}; no manager is recorded for {second}."
    backing = f"{backs} and {second} backs {managers}"
    if not c.managers_shared:
        return f"{backing}; no manager is recorded for both."
    if c.managers_shared > len(c.most_shared):
        return f"{backing}; they share {c.managers_shared}."
    return f"{backing}; they share {c.managers_shared}: {listed(c.most_shared)}."


def _funds(c: Counts) -> str:
    """How many funds are recorded, and of how many managers."""
    if not c.managers_read:
        return f"The funds of {c.managers:that manager|these managers} were not read."
    unknown = "which does not mean that none was raised"
    if c.funds:
        listed_funds = f"The data list {c.funds:fund}{c.window} for {c.funded}"
        if not c.managers_empty:
            return f"{listed_funds}."
        return f"""{listed_funds}; for the {c.managers_empty:other|others}, no
            fund{c.window} is recorded, {unknown}."""
    if c.managers_read < c.managers:
        some = within(c.managers_read, c.managers, "manager")
        return f"The funds of {some} were read: none{c.window} is recorded, {unknown}."
    managers = f"{c.managers:that manager|any of the managers}"
    return f"The data list no fund{c.window} for {managers}, {unknown}."


def _sizes(c: Counts) -> str:
    """Of how many funds the size is known, and the largest of them."""
    if not c.funds:
        return ""
    if c.largest_size is None:
        return f"No size in {c.currency} is known for {c.funds:that fund|those funds}."
    largest, amount = _largest(c), money(c.largest_size, c.currency)
    if c.funds == 1:
        return f"The fund is {largest}, {amount}."
    some = within(c.funds_sized, c.funds, "fund")
    beginning = f"A size in {c.currency} is known for {some}"
    if c.funds_sized == 1:
        return f"{beginning}: {largest}, {amount}."
    if c.largest_of == 1:
        return f"{beginning}; the largest is {largest}, {amount}."
    return f"{beginning}; {largest} have the largest, {amount}."


def _largest(c: Counts) -> str:
    """The funds of the largest known size, by name where they are few."""
    return listed(c.largest) if c.largest_of <= 3 else f"{c.largest_of:fund}"


def key_figures(c: Counts) -> Iterator[tuple[str, str, str, bool]]:
    """Managers, funds and the largest fund; and whether the answer says the number."""
    if c.managers:
        is_said = c.lps != 2 or c.managers_read == c.managers
        yield "Managers", f"{c.managers}", f"of {c.subject}", is_said
    if c.funds:
        yield f"Funds{c.window}", f"{c.funds}", f"for {c.funded}", True
    if c.largest_size is not None:
        amount = money(c.largest_size, c.currency)
        yield "Largest known fund", amount, _largest(c), True


def claims(c: Counts) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    backed = f"Links of {c.lps_with_managers:LP} to {c.managers:manager}"
    basis = "each manager is in the LP's list of managers"
    yield c.managers, backed, "established", basis
    run = f"Links of {c.managers_with_funds:manager} to {c.funds:fund}{c.window}"
    yield c.funds, run, "established", "each fund is in the manager's list of funds"
    none = f"Funds{c.window} of {c.managers_empty:manager}"
    basis = f"the list of funds{c.window} of each is empty"
    yield c.managers_empty, none, "not recorded", basis
    holding = "A holding of an LP in any fund"
    yield c.lps, holding, "not recorded", f"each fund is {REACHABLE}"


def caveats(c: Counts) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers; those that change its
    reading first.
    """
    if unread := c.lps - c.lps_answered:
        some = within(unread, c.lps, "LP")
        yield material(6)(f"For {some} the managers could not be read.")
    if unread := c.managers - c.managers_read:
        some = within(unread, c.managers, "manager")
        yield material(6)(f"For {some} the funds were not read.")
    yield material(5)(
        f"""No record says which funds {c.lps:the LP holds|the LPs hold}: an LP that
        backs a manager need not hold each of its funds."""
    )
    yield limit(5)(
        """What an LP put in is not recorded: the size of a fund is not the LP's
        commitment, nor assets under management, nor available capital. Sizes are not
        added up."""
    )
    if c.since is not None:
        yield limit(6)(f"Funds without a recorded date are not among those{c.window}.")
    if unsized := c.funds - c.funds_sized:
        some = within(unsized, c.funds, "fund")
        yield limit(3)(
            f"""For {some} no size in {c.currency} is known; a missing size is not
            filled from another fund."""
        )
    if c.funds_not_convertible:
        some = within(c.funds_not_convertible, c.funds, "fund")
        yield limit(3)(
            f"The recorded size of {some} is not convertible to {c.currency}."
        )
    yield limit(8)(
        """Links and funds can be of different dates; a link does not say when it
        began, or whether it still holds."""
    )
