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
        some = (
            "The" if c.lps_with_managers == c.lps else f"{c.lps_with_managers} of the"
        )
        return (
            f"{some} {c.lps:LP} {c.lps_with_managers:backs|together back}"
            f" {c.managers:manager}"
        )
    (name, most), *others = c.first_lps
    counts = [
        (name, "an unknown number" if n is None else n or "none on record")
        for name, n in others
    ]
    return ", ".join(
        [f"{name} backs {most:manager}", *map("{0[0]} {0[1]}".format, counts)]
    )


def _shared(c: Counts) -> str:
    """How many managers several of the LPs back, and which, where these are few."""
    if c.lps_with_managers < 2:
        return ""
    most = len(c.most_shared) if c.lps == 2 else 3  # a tie of more is not listed
    named = "" if c.most_shared_of > most else listed(c.most_shared)
    if c.lps == 2:
        return f"; they share {c.managers_shared or 'none'}{named and f': {named}'}"
    by = f", {named} by {c.most_shared_by}{c.most_shared_of:| each}"
    each = by if c.most_shared_by > 2 else f": {named}"
    shared = (
        f"{c.managers_shared or 'none'} {c.managers_shared:is|are} backed by two or"
        " more"
    )
    return f"; {shared}{each if named and c.most_shared_by < c.lps else ''}"


def _funds(c: Counts) -> str:
    """How many funds are recorded, and of how many managers."""
    if not c.managers_read:
        return "No list of their funds was read."
    which = "" if c.managers_read == c.managers else " whose funds were read"
    who = within(c.managers_with_funds, c.managers_read, f"manager{which}")
    who = "that manager" if c.managers == 1 else who
    silent = c.managers_empty
    none = f"which does not mean that {silent:it|they} raised none"
    if not c.funds:
        return (
            f"The data list no fund{c.window} for {who.replace('none of', 'any of')},"
            f" {none}."
        )
    rest = f"; for the {silent:other|others} none is recorded, {none}" if silent else ""
    return f"The data list {c.funds:fund}{c.window} for {who}{rest}."


def _sizes(c: Counts) -> str:
    """Of how many funds the size is known, and the largest of them."""
    if c.largest is None:
        return f" A size in {c.currency} is {c.sized}." if c.funds else ""
    fund, manager, amount = c.largest
    of = "" if fund.startswith(manager) else f" of {manager}"
    largest = f"{fund}{of}, {money(amount, c.currency)}"
    if c.funds == 1:
        return f" It is {largest}."
    known = "The" if c.funds_sized == c.funds else f"A size is {c.sized}; the"
    return f" {known} largest is {largest}."


def key_figures(c: Counts) -> Iterator[tuple[str, str, str, bool]]:
    """Managers, funds and the largest fund; and whether the answer says the number."""
    is_every_read = c.managers_read == c.managers > 0
    is_said = is_every_read or not 1 < c.lps <= 3
    yield "Managers", f"{c.managers}", f"of {c.subject}{c.shared}", is_said
    some = (
        f"for {within(c.managers_with_funds, c.managers, 'manager')}" if c.funds else ""
    )
    yield f"Funds{c.window}", f"{c.funds}", some, c.funds > 0
    fund, manager, amount = c.largest or ("no size is known", None, None)
    if c.funds:
        whose = ", ".join(filter(None, (fund, manager)))
        is_said = amount is not None
        yield "Largest known fund", money(amount, c.currency), whose, is_said


def claims(c: Counts) -> Iterator[tuple[int, str, str, str]]:
    """What the study states, with the records that carry each statement."""
    backed = f"{c.managers:manager} backed by {c.lps_with_managers:LP}"
    yield (
        c.managers,
        backed,
        "established",
        "each manager is in the LP's list of managers",
    )
    run = f"{c.funds:fund}{c.window} run by {c.managers_with_funds:manager}"
    yield c.funds, run, "established", "each fund is in the manager's list of funds"
    none = f"Funds{c.window} of {c.managers_empty:manager}"
    yield c.managers_empty, none, "not recorded", "the list of funds of each is empty"
    yield (
        c.lps,
        "A holding of an LP in any fund",
        "not recorded",
        f"each fund is {REACHABLE}",
    )


def caveats(c: Counts) -> Iterator[Caveat]:
    """What this study cannot tell, with its own numbers; those that change its
    reading first.
    """
    gaps = {
        "managers of {:LP} could not be read": c.lps - c.lps_answered,
        "funds of {:manager} could not be read": c.managers_failed,
        "funds of {:manager} were not looked up": c.managers - c.managers_asked,
    }
    if said := [f"the {gap.format(many)}" for gap, many in gaps.items() if many]:
        yield material(6)(f"Incomplete: {listed(said)}.")
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
