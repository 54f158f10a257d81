"""The bars of several universities side by side."""

from ventureframe.display.figure import GREY, Drawing
from ventureframe.display.marks import Canvas
from ventureframe.display.pictures import Bar, bars
from ventureframe.display.wording import NOT_RECORDED, counted, money, number
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.ranks import METHOD
from ventureframe.studies.universities.study import Study

_UNIVERSITIES = 20  # the first of those given are drawn


def universities(study: Study) -> Drawing:
    """The companies counted at each university with its place, and the sum of known
    totals.
    """
    rows = study.frames["universities"].rows(named=True)[:_UNIVERSITIES]
    c, currency = study.counts, study.currency
    evidenced, totals, described = list[Bar](), list[Bar](), list[str]()
    for row in rows:
        name, known, total = (
            row["university"],
            row["funding_known"],
            row["funding_total"],
        )
        many = row["companies_evidenced"]
        place = f" · place {row['place']}" if row["place"] else ""
        evidenced.append(
            Bar(name, many, f"{number(many)}{place}", id=row["university_uuid"])
        )
        note = f"{money(total, '')} · {known} known" if known else NOT_RECORDED
        totals.append(Bar(name, total or 0, note, GREY))
        described.append(
            f"{name}: {counted(many, 'company')} counted{place}, "
            f"{counted(row['founders_evidenced'], 'founder')}, "
            f"known totals {money(total, currency)} ({known} known)"
        )

    def draw(canvas: Canvas) -> None:
        left, right = canvas.subplots(1, 2, sharey=True)
        bars(left, evidenced)
        left.set_title("companies counted")
        bars(right, totals)
        right.set_title(f"sum of the known totals ({currency})")
        left.invert_yaxis()  # both panels inverted the axis they share

    return Drawing(
        headline=(
            f"{c.companies:company} at {counted(len(c.studies), 'university')}, "
            f"{c.shared} at several"
        ),
        alt=f"{'; '.join(described)}.",
        notes=[
            METHOD if any(row["place"] for row in rows) else None,
            rate_day(study.source, "totals"),
        ],
        height=1.5 + 0.42 * len(rows),
        draw=draw,
        empty="" if any(row["pool"] for row in rows) else "no company is found",
    )
