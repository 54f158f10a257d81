"""What a record can show: closed sets of states, none of them a "no".

A relationship is established by a record, suggested by one, or not recorded; absence of a record
is not evidence that a relationship does not exist (interface, reading rule 3).
"""

from collections.abc import Mapping
from typing import Final, Literal

State = Literal[
    "evidenced",
    "other_institutions_only",
    "same_name_other_id",
    "entry_without_institution_id",
    "withheld",
    "education_not_recorded",
    "founder_not_returned",
]
"""What was observed for one founder asked about one university: exactly one of these holds."""

STATES: Final[Mapping[State, str]] = {
    "evidenced": "an education entry carries the university's UUID",
    "other_institutions_only": "every education entry carries the UUID of another institution",
    "same_name_other_id": "an entry names the university and carries another institution's UUID",
    "entry_without_institution_id": "an education entry lacks an institution UUID: it is open",
    "withheld": "the service does not show the founder's education: nothing follows",
    "education_not_recorded": "the founder was returned, with education left empty",
    "founder_not_returned": "the founder was asked for and is missing from the reply",
}
"""The states with what was seen in each.

Where several hold for a founder: `evidenced` first, then entries that name the university
(`entry_without_institution_id` before `same_name_other_id`), then its other entries.
"""

Window = Literal[
    "records_returned",
    "records_without_a_date",
    "no_records_returned",
    "could_not_ask",
    "not_asked",
]
"""What asking for the records of a date window gave: exactly one of these holds."""

WINDOWS: Final[Mapping[Window, str]] = {
    "records_returned": "at least one record with a date was returned",
    "records_without_a_date": "records were returned, and none of them has a date",
    "no_records_returned": "asked and answered with zero records, which is not evidence of none",
    "could_not_ask": "the service was asked and did not give a complete answer",
    "not_asked": "the question was not sent",
}
"""The outcomes with what each means (interface, reading rule 6)."""

Amount = Literal["converted", "not_convertible", "not_reported"]
"""What is known of an amount in the currency asked for: exactly one of these holds."""

AMOUNTS: Final[Mapping[Amount, str]] = {
    "converted": "the service gives the amount in this currency",
    "not_convertible": "an amount is reported in another currency and is not converted to this one",
    "not_reported": "no amount is reported in any currency",
}
"""The states of an amount of a fund or a round with what each means."""

Edge = Literal["LP → manager", "manager → fund"]
"""The relationships that records carry; there is none from an LP to a fund (reading rule 5)."""

EDGES: Final[Mapping[Edge, str]] = {
    "LP → manager": "/data/investors/{uuid}/lp-funds",
    "manager → fund": "/data/investors/{uuid}/funds",
}
"""The request whose answer establishes each relationship."""

REACHABLE: Final = "reachable through the manager, not evidenced as a holding"
"""How a fund stands to an LP that backs its manager: this is said, and never made a link."""

Status = Literal["established", "candidate", "same_name_other_id", "not recorded"]
"""How far a record carries a claim; there is no status for "does not exist".

A candidate lacks the identifier; `same_name_other_id` names what is asked about and carries the
identifier of another record.
"""
