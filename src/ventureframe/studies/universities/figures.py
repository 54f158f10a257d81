"""What the figures of several universities draw: their bars side by side, and the network."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from matplotlib.figure import Figure as Canvas

from ventureframe.display.figure import BLUE, GREY, GROUND, Bar, Drawing, bars
from ventureframe.display.wording import counted, money, number
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.spinouts.figures import FEWEST, joined, median_of
from ventureframe.studies.spinouts.figures import spread as _spread
from ventureframe.studies.universities.study import Study

_UNIVERSITIES: Final = 20
"""Most universities drawn: the first of those given."""


def universities(study: Study) -> Drawing:
    """Evidenced companies within the pool of each university, and the sum of known totals."""
    rows = study.frames["universities"].rows(named=True)[:_UNIVERSITIES]
    c, currency = study.counts, str(study.currency)
    said = "; ".join(
        f"{row['university']}: {number(row['companies_evidenced'])} of {number(row['pool'])} "
        f"companies evidenced, {number(row['companies_same_name'])} only of another institution of "
        f"that name, {number(row['founders_evidenced'])} founders, known totals "
        f"{money(row['funding_total'], currency)} ({row['funding_known']} known)"
        for row in rows
    )
    found = counted(c.companies, "company")
    return Drawing(
        headline=f"{found} evidenced at {counted(len(c.names), 'university')}, "
        f"{number(c.shared)} at several",
        alt=f"{said}.",
        notes=[
            f"{number(c.shared)} of {found} at two or more",
            "hollow: candidates in the pool",
            "grey: in the pool only through another institution of that name",
            f"total funding in {currency}",
            rate_day(study.source, "totals"),
            "a smaller number can be a smaller record",
        ],
        height=1.5 + 0.42 * len(rows),
        draw=lambda canvas: _side_by_side(canvas, rows, currency),
    )


def _side_by_side(canvas: Canvas, rows: Sequence[Mapping[str, Any]], currency: str) -> None:
    left, right = canvas.subplots(1, 2, sharey=True, width_ratios=(1.4, 1))
    found = [row["companies_evidenced"] for row in rows]
    pools = [
        Bar(
            row["university"],
            row["pool"],
            f"{number(row['companies_evidenced'])} of {number(row['pool'])}",
            GROUND,
            row["university_uuid"],
        )
        for row in rows
    ]
    bars(left, pools, reach=1.5)
    left.barh(range(len(rows)), found, color=BLUE, height=0.66)
    other = [row["companies_same_name"] for row in rows]
    left.barh(range(len(rows)), other, left=found, color=GREY, height=0.66)
    left.set_title("companies evidenced, of the pool")
    totals = [
        Bar(
            row["university"],
            row["funding_total"] or 0,
            f"{money(row['funding_total'], currency)} · {row['funding_known']} known"
            if row["funding_known"]
            else "not reported",
            GREY,
        )
        for row in rows
    ]
    bars(right, totals, reach=2.9)
    right.set_title("sum of the known totals")
    left.invert_yaxis()  # both panels inverted the axis they share


def spread(study: Study) -> Drawing:
    """The known totals of the evidenced companies of each university, with the median of each."""
    rows = study.frames["spread"].rows(named=True)[:_UNIVERSITIES]
    known = sum(study.counts.funding_known)
    said = "; ".join(
        f"{row['university']}: {row['funding_known']} of {counted(row['companies'], 'company')} "
        f"with a total{median_of(row, str(study.currency))}"
        for row in rows
    )
    return Drawing(
        headline=f"{counted(known, 'known total')} at "
        f"{counted(len(study.counts.names), 'university')}",
        alt=f"Known totals in {study.currency} by university. {said or 'No company'}.",
        notes=[
            f"total funding in {study.currency}",
            rate_day(study.source, "totals"),
            f"a bar: the median, where {FEWEST} or more totals are known",
            "a company of several universities counts at each",
        ],
        height=1.6 + 0.3 * len(rows),
        draw=lambda canvas: _spread(
            canvas, rows, [row["university"] for row in rows], study.currency
        ),
    )


def network(study: Study) -> Drawing:
    """The universities, their founders and their companies with the entries that join them."""
    links = study.frames["links"].rows(named=True)
    order = study.frames["companies"]["company_uuid"].to_list()
    # the companies evidenced nowhere: candidates somewhere, and the others; each once
    pools = [
        set(each.frames["pool"].select("company_uuid", "status").rows()) for each in study.studies
    ]
    seen = set().union(*pools)
    linked = {uuid for uuid, status in seen if status == "established"}
    candidates = {uuid for uuid, status in seen if status == "candidate"} - linked
    others = {uuid for uuid, _ in seen} - linked - candidates
    return joined(links, order, not_joined=(len(candidates), len(others)))
