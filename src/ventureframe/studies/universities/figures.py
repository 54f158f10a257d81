"""What the figures of several universities draw: their bars side by side, and the network."""

from typing import Final

from ventureframe.display.figure import BLUE, GREY, GROUND, Bar, Drawing, bars
from ventureframe.display.marks import Canvas
from ventureframe.display.wording import counted, money, number
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.spinouts import figures as spinouts
from ventureframe.studies.universities.study import Study

_UNIVERSITIES: Final = 20  # the first of those given are drawn


def universities(study: Study) -> Drawing:
    """Evidenced companies within the pool of each university, and the sum of known totals."""
    rows = study.frames["universities"].rows(named=True)[:_UNIVERSITIES]
    c, currency = study.counts, study.currency
    evidenced = [row["companies_evidenced"] for row in rows]
    others = [row["companies_same_name"] for row in rows]
    pools, totals, described = list[Bar](), list[Bar](), list[str]()
    for row in rows:
        name, known, total = row["university"], row["funding_known"], row["funding_total"]
        part = f"{number(row['companies_evidenced'])} of {number(row['pool'])}"
        pools.append(Bar(name, row["pool"], part, GROUND, row["university_uuid"]))
        note = f"{money(total, currency)} · {known} known" if known else "not reported"
        totals.append(Bar(name, total or 0, note, GREY))
        described.append(
            f"{name}: {part} companies evidenced, {number(row['companies_same_name'])} only of "
            f"another institution of that name, {number(row['founders_evidenced'])} founders, "
            f"known totals {money(total, currency)} ({known} known)"
        )

    def draw(canvas: Canvas) -> None:
        left, right = canvas.subplots(1, 2, sharey=True, width_ratios=(1.4, 1))
        bars(left, pools, reach=1.5)
        left.barh(range(len(rows)), evidenced, color=BLUE, height=0.66)
        left.barh(range(len(rows)), others, left=evidenced, color=GREY, height=0.66)
        left.set_title("companies evidenced, of the pool")
        bars(right, totals, reach=2.9)
        right.set_title("sum of the known totals")
        left.invert_yaxis()  # both panels inverted the axis they share

    return Drawing(
        headline=f"{c.companies:company} evidenced at {counted(len(c.studies), 'university')}, "
        f"{c.shared} at several",
        alt=f"{'; '.join(described)}.",
        notes=[
            f"{c.shared} of {c.companies:company} at two or more",
            "hollow: candidates in the pool",
            "grey: in the pool only through another institution of that name",
            f"total funding in {currency}",
            rate_day(study.source, "totals"),
            "a smaller number can be a smaller record",
        ],
        height=1.5 + 0.42 * len(rows),
        draw=draw,
    )


def spread(study: Study) -> Drawing:
    """The known totals of the evidenced companies of each university, with the median of each."""
    c, currency = study.counts, study.currency
    rows = study.frames["spread"].rename({"university": "label"}).rows(named=True)[:_UNIVERSITIES]
    known = sum(each.counts.funding_known for each in study.studies)
    described = (
        f"{row['label']}: {row['funding_known']} of {counted(row['companies'], 'company')} "
        f"with a total{spinouts.median_of(row, currency)}"
        for row in rows
    )
    rate = rate_day(study.source, "totals")
    several = "a company of several universities counts at each"
    return Drawing(
        headline=f"{counted(known, 'known total')} at {counted(len(c.studies), 'university')}",
        alt=f"Known totals in {currency} by university. {'; '.join(described) or 'No company'}.",
        notes=[f"total funding in {currency}", rate, spinouts.MEDIAN, several],
        height=1.6 + 0.3 * len(rows),
        draw=lambda canvas: spinouts.spread(canvas, rows, currency),
        empty="" if rows else "no company is evidenced",
    )


def network(study: Study) -> Drawing:
    """The universities, their founders and their companies with the entries that join them."""
    order = study.frames["companies"]["company_uuid"].to_list()
    # the companies evidenced nowhere: candidates somewhere, and the others; each once
    pools = (each.frames["pool"]["company_uuid", "status"].rows() for each in study.studies)
    seen = {row for pool in pools for row in pool}
    linked, candidates, others = (
        {uuid for uuid, status in seen if status == kind}
        for kind in ("established", "candidate", "same_name_other_id")
    )
    candidates, others = candidates - linked, others - linked - candidates
    return spinouts.joined(study.frames["links"], order, len(candidates), len(others))
