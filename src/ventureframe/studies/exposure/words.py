"""What a study of LPs says, computed from its counts."""

from collections.abc import Iterator

from ventureframe.display.wording import listed, money, within
from ventureframe.evidence.claims import REACHABLE, Caveat, limit, material
from ventureframe.studies.exposure.study import Counts


def answer(c: Counts) -> str:
    """The bottom line: how many managers, which are shared, and which fund is the
    largest.
    """
    if not c.managers:
        return f"""The data list no manager for {c.subject}, which does not mean that
            {c.lps:it backs|they back} none."""
    return f"{_backed(c)}{_shared(c)}. {_funds(c)}{_sizes(c)}"


def _backed(c: Counts) -> str:
    """How many managers the LPs back: each of them where they are few, else
    together.
    """
    if c.lps > 3:
        back = f"{c.lps_with_managers:backs|together back} {c.managers:manager}"
        if c.lps_with_managers == c.lps:
            return f"The {c.lps:LP} {back}"
        return f"{c.lps_with_managers} of the {c.lps:LP} {back}"
    (first, most), *others = c.first_lps
    parts = [f"{first} backs {most:manager}"]
    for name, managers in others:
        if managers is None:
            parts.append(f"{name} an unknown number")
        else:
            parts.append(f"{name} {managers or 'none on record'}")
    return ", ".join(parts)


def _shared(c: Counts) -> str:
    """How many managers several of the LPs back, and which, where these are few."""
    if c.lps_with_managers < 2:
        return ""
    some, names = f"{c.managers_shared or 'none'}", listed(c.most_shared)
    if c.lps == 2:
        is_named = 0 < c.most_shared_of == len(c.most_shared)
        return f"; they share {some}: {names}" if is_named else f"; they share {some}"
    shared = f"; {some} {c.managers_shared:is|are} backed by two or more"
    # a tie of more than three is not listed
    if not 0 < c.most_shared_of <= 3 or c.most_shared_by == c.lps:
        return shared
    if c.most_shared_by == 2:
        return f"{shared}: {names}"
    return f"{shared}, {names} by {c.most_shared_by}{c.most_shared_of:| each}"


def _funds(c: Counts) -> str:
    """How many funds are recorded, and of how many managers."""
    if not c.managers_read:
        return "No list of their funds was read."
    silent = c.managers_empty
    none = f"which does not mean that {silent:it|they} raised none"
    if not c.funds:
        return f"The data list no fund{c.window} for {_silent(c)}, {none}."
    listed_funds = f"The data list {c.funds:fund}{c.window} for {_whose(c)}"
    if not silent:
        return f"{listed_funds}."
    return f"{listed_funds}; for the {silent:other|others} none is recorded, {none}."


def _silent(c: Counts) -> str:
    """The managers without any recorded fund."""
    if c.managers == 1:
        return "that manager"
    if c.managers_read == c.managers:
        return f"any of the {c.managers:manager}"
    if c.managers_read == 1:
        return "the manager whose funds were read"
    return f"any of the {c.managers_read:manager} whose funds were read"


def _whose(c: Counts) -> str:
    if c.managers == 1:
        return "that manager"
    if c.managers_read == c.managers:
        return within(c.managers_with_funds, c.managers, "manager")
    manager = "manager whose funds were read"
    return within(c.managers_with_funds, c.managers_read, manager)


def _sizes(c: Counts) -> str:
    """Of how many funds the size is known, and the largest of them."""
    if not c.funds:
        return ""
    if c.largest is None:
        return f" A size in {c.currency} is {c.sized}."
    fund, manager, amount = c.largest
    if not fund.startswith(manager):
        fund = f"{fund} of {manager}"
    largest = f"{fund}, {money(amount, c.currency)}"
    if c.funds == 1:
        return f" It is {largest}."
    if c.funds_sized == c.funds:
        return f" The largest is {largest}."
    return f" A size is {c.sized}; the largest is {largest}."


def key_figures(c: Counts) -> Iterator[tuple[str, str, str, bool]]:
    """Managers, funds and the largest fund; and whether the answer says the number."""
    is_every_read = c.managers_read == c.managers > 0
    is_said = is_every_read or not 1 < c.lps <= 3
    yield "Managers", f"{c.managers}", f"of {c.subject}{c.shared}", is_said
    if not c.funds:
        yield f"Funds{c.window}", "0", "", False
        return
    some = f"for {within(c.managers_with_funds, c.managers, 'manager')}"
    yield f"Funds{c.window}", f"{c.funds}", some, True
    label = "Largest known fund"
    if c.largest is None:
        yield label, money(None, c.currency), "no size is known", False
        return
    fund, manager, amount = c.largest
    yield label, money(amount, c.currency), f"{fund}, {manager}", True


def claims(c: Counts) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    backed = f"{c.managers:manager} backed by {c.lps_with_managers:LP}"
    basis = "each manager is in the LP's list of managers"
    yield c.managers, backed, "established", basis
    run = f"{c.funds:fund}{c.window} run by {c.managers_with_funds:manager}"
    yield c.funds, run, "established", "each fund is in the manager's list of funds"
    none = f"Funds{c.window} of {c.managers_empty:manager}"
    yield c.managers_empty, none, "not recorded", "the list of funds of each is empty"
    holding = "A holding of an LP in any fund"
    yield c.lps, holding, "not recorded", f"each fund is {REACHABLE}"


def caveats(c: Counts) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers; those that change its
    reading first.
    """
    gaps = list[str]()
    if unread := c.lps - c.lps_answered:
        gaps.append(f"the managers of {unread:LP} could not be read")
    if c.managers_failed:
        gaps.append(f"the funds of {c.managers_failed:manager} could not be read")
    if skipped := c.managers - c.managers_asked:
        gaps.append(f"the funds of {skipped:manager} were not looked up")
    if gaps:
        yield material(6)(f"Incomplete: {listed(gaps)}.")
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
    if c.funds:
        yield limit(3)(f"""The size in {c.currency} is {c.sized}, the type for
            {c.funds_typed or "none"}, the closed status for {c.funds_with_status or "none"}; a
            missing size is not filled from another fund.""")
    yield limit(8)(
        """Links and funds can be of different dates; a link does not say when it
        began, or whether it still holds."""
    )
