"""What two fetches differ in, drawn: the rounds that are new, the largest first."""

import polars as pl

from ventureframe.display.figure import TOP, Drawing, undrawn
from ventureframe.display.pictures import Bar, bar_chart
from ventureframe.display.wording import money
from ventureframe.studies.changes.study import Study


def newly_seen(study: Study) -> Drawing:
    """The newly seen rounds by amount."""
    seen = study.frames["newly_seen"]
    rounds = seen.filter(pl.col("amount") > 0, what="funding round")
    rounds = rounds.sort("amount", "record", descending=[True, False])
    bars = list[Bar]()
    for record, amount in rounds.select("record", "amount").head(TOP).iter_rows():
        bars.append(Bar(record, amount, money(amount, study.currency or "")))
    return bar_chart(
        bars,
        headline="Newly seen funding rounds by amount",
        alt="Newly seen funding rounds by amount.",
        notes=[study.day, undrawn(rounds.height - TOP, "round")],
        empty="no newly seen round with an amount was read",
    )
