"""The bars of several universities side by side."""

from ventureframe.display.figure import GREY, Drawing, undrawn
from ventureframe.display.marks import Canvas
from ventureframe.display.pictures import Bar, bars
from ventureframe.display.wording import NOT_KNOWN, number
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.ranks import METHOD, ranked
from ventureframe.studies.spinouts.figures import known_total
from ventureframe.studies.universities.study import Study

_UNIVERSITIES = 20  # the first of those given are drawn


def universities(study: Study) -> Drawing:
    """The companies counted at each university with its rank, and the sum of known
    totals.
    """
    frame = study.frames["universities"]
    rows = frame.rows(named=True)[:_UNIVERSITIES]
    evidenced, totals, described = list[Bar](), list[Bar](), list[str]()
    for row, single in zip(rows, study.studies, strict=False):
        name, companies = row["university"], row["companies_evidenced"]
        is_silent = single.counts.silence is not None
        funded, total = row["funding_known"], row["funding_total"]
        note = NOT_KNOWN if is_silent else f"{number(companies)}{ranked(row['place'])}"
        length = None if is_silent else companies
        evidenced.append(Bar(name, length, note, id=row["university_uuid"]))
        totals.append(Bar(name, total, known_total(funded, total), GREY))
        described.append(
            f"{name}: companies counted {note}, "
            f"{known_total(funded, total, study.currency)}"
        )

    def draw(canvas: Canvas) -> None:
        if not study.counts.funding_known:
            bars(canvas.subplots(), evidenced)
            return
        rows, columns = (2, 1) if canvas.is_narrow else (1, 2)
        counts_axes, sums_axes = canvas.subplots(rows, columns, sharey=True)
        bars(counts_axes, evidenced)
        counts_axes.set_title("companies counted")
        bars(sums_axes, totals)
        sums_axes.set_title(f"sum of the known totals ({study.currency})")

    pairs = zip(evidenced, totals, strict=True)
    return Drawing(
        headline="Companies with a founder who studied there, and their known funding",
        alt=f"{'; '.join(described)}.",
        notes=[
            METHOD if frame["place"].count() else None,
            undrawn(frame.height - len(rows), "further university"),
            rate_day(study.source, "totals"),
        ],
        height=1.5 + 0.42 * len(rows),
        draw=draw,
        empty="" if study.counts.companies else "no company is counted",
        values=[(companies.value, total.value) for companies, total in pairs],
    )
