"""The panel of each study, fetched with the values given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ventureframe.interface.fields import Currency
from ventureframe.panel.choices import Choice, Entry, Exposure, Hiring, Range, Records, S, Spinouts
from ventureframe.panel.panel import Panel

if TYPE_CHECKING:
    from ventureframe.client.service import Service
    from ventureframe.studies import exposure as _exposure
    from ventureframe.studies import hiring as _hiring
    from ventureframe.studies import spinouts as _spinouts


def spinouts(
    service: Service,
    *,
    university: str,
    domain: str,
    currency: Currency | None = None,
    founded_from: int = 0,
) -> Panel[_spinouts.Study]:
    """The panel over the spinouts of one university, already fetched with these values.

    Raises what `Service.university` and `spinouts.study` raise.

    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> form = vf.panel.spinouts(svc, university="Stanford University", domain="stanford.edu")
    >>> form.show()
    """
    choice = Spinouts(
        university=university,
        domain=domain,
        currency=currency or service.currency,
        founded_from=founded_from,
    )
    return _fetched(service, choice)


def exposure(
    service: Service,
    *,
    lps: Sequence[Entry],
    since: int = 2021,
    currency: Currency | None = None,
) -> Panel[_exposure.Study]:
    """The panel over what LPs are exposed to, already fetched with these values.

    `lps` are names with website domains; `since` 0 asks for funds of any year. Raises what
    `Service.lp` and `exposure.study` raise.

    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> lps = [("Prairie Public Employees Fund", "prairiefund.example")]
    >>> form = vf.panel.exposure(svc, lps=lps)
    >>> form.show()
    """
    choice = Exposure(lps=tuple(lps), since=since, currency=currency or service.currency)
    return _fetched(service, choice)


def hiring(
    service: Service,
    *,
    tags: Sequence[Entry] = (),
    location: Entry | None = None,
    founded: Range | None = None,
    funding: Range | None = None,
    signal_rating: float | None = None,
    signal_timing: float | None = None,
    signal_team: float | None = None,
    is_hiring: bool | None = None,
    currency: Currency | None = None,
) -> Panel[_hiring.Study]:
    """The panel over who is hiring, already fetched with these values.

    `tags` are labels with types, all of which a company has, `location` a name with its type; the
    rest is as in `hiring.study`. What is None, empty or a score of 0 is no condition. Raises what
    `Service.tag`, `Service.location` and `hiring.study` raise.

    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> form = vf.panel.hiring(svc, tags=[("Robotics", "technology")], signal_team=60)
    >>> form.show()
    """
    choice = Hiring(
        tags=tuple(tags),
        location=location,
        founded=founded,
        funding=funding,
        signal_rating=signal_rating,
        signal_timing=signal_timing,
        signal_team=signal_team,
        is_hiring=is_hiring,
        currency=currency or service.currency,
    )
    return _fetched(service, choice)


def _fetched(service: Service, choice: Choice[S]) -> Panel[S]:
    records = Records(service)
    return Panel(service, choice, choice.study(records), records)
