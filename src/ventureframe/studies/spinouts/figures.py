"""What the figures of a study of a university's founders draw."""

import statistics
from collections import Counter, defaultdict

import polars as pl

from ventureframe.display import figure, pictures
from ventureframe.display.figure import (
    BLUE,
    GREY,
    GROUND,
    INK,
    ORANGE,
    TOP,
    Drawing,
)
from ventureframe.display.marks import Canvas
from ventureframe.display.pictures import Bar, bar_chart, bars
from ventureframe.display.statement import compares
from ventureframe.display.wording import (
    NOT_RECORDED,
    Count,
    among,
    counted,
    money,
    number,
    tags_in_words,
    within,
)
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import FEW, FEWEST, NAMES, Row
from ventureframe.interface.fields import RESOURCES, Currency
from ventureframe.studies import ranks, young
from ventureframe.studies.spinouts.study import (
    OF_A_POINT,
    STUDIED,
    TOP_TEN,
    WITH_ALUMNI,
    Study,
    kinds_not_counted,
)


def funnel(study: Study) -> Drawing:
    """From the companies found to those counted, with what was left behind at each
    step.
    """
    c, units, described = study.counts, defaultdict[str, list[Bar]](list), list[str]()
    for name, unit, count, lost, why in study.frames["funnel"].rows():
        is_last = name in (STUDIED, WITH_ALUMNI)
        if lost == 0 and not is_last:
            continue
        note = f"{number(count)} · −{number(lost)} {why}" if lost else number(count)
        units[unit].append(Bar(name, count, note, BLUE if is_last else GREY))
        described.append(f"{counted(count, RESOURCES[unit].singular)} {name}")

    def draw(canvas: Canvas) -> None:
        panels = canvas.subplots(
            len(units), 1, height_ratios=list(map(len, units.values()))
        )
        for axes, (unit, rows) in zip(panels, units.items(), strict=True):
            bars(axes, rows)
            axes.set_title(unit.capitalize())
        widest = max(axes.get_xlim()[1] for axes in panels)
        for axes in panels:
            axes.set_xlim(0, widest)  # one scale: more founders are drawn longer

    return Drawing(
        headline=(
            f"{c.companies_evidenced:company} and {c.founders_evidenced:founder} counted"
        ),
        alt=f"From found to counted, {study.subject}: {'; '.join(described)}.",
        notes=kinds_not_counted(c),
        height=1.2 + 0.36 * len(described),
        draw=draw,
        empty="" if c.founders_asked else c.nothing,
        values=[bar.value for rows in units.values() for bar in rows],
    )


def years(study: Study) -> Drawing:
    """Years from the latest recorded end of study to founding, where both are known."""
    differences: list[int] = study.frames["years"]["years"].drop_nulls().to_list()
    before = Count(sum(year < 0 for year in differences))
    pairs = Counter(differences)

    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        colours = [ORANGE if year < 0 else BLUE for year in pairs]
        axes.bar([*pairs], [*pairs.values()], width=0.9, color=colours)
        axes.axvline(-0.5, color=INK, linewidth=0.8)
        axes.locator_params(axis="y", integer=True, nbins=5)
        axes.locator_params(axis="x", integer=True)
        axes.set_xlabel("years from end of study to founding")
        axes.set_ylabel("pairs of company and founder")

    c = study.counts
    least, most = min(differences, default=0), max(differences, default=0)
    span = f"From {number(least)} to {number(most)}. "
    if least == most:
        span = f"Each is {number(most)}. "
    median, title = f"{FEW} known", f"{number(least)} to {number(most)} years"
    if len(differences) >= FEWEST:
        median = f"median {statistics.median(differences):g} years"
        title = median
    coloured = f"orange: {before} founded before it" if before else None
    return Drawing(
        headline=f"From study to founding: {title}",
        alt=(
            "Years from the end of study to founding:"
            f" {c.known_years}. {median.capitalize()}. {span}{before}"
            " founded before the recorded end of study."
        ),
        notes=[
            c.known_years,
            "founding year minus the last recorded year of study there",
            coloured,
        ],
        height=3.2,
        draw=draw,
        empty="" if differences else c.nothing or c.known_years,
        values=[*pairs.values()],
    )


def funding(study: Study) -> Drawing:
    """Total funding of the evidenced companies that have most, and how many report
    none.
    """
    c, currency = study.counts, study.currency
    funded = study.frames["companies"].drop_nulls("total_funding")
    largest = funded.select(OF_A_POINT).head(TOP).with_columns(NAMES)
    rows = [Bar(name, n, money(n, ""), id=uuid) for uuid, name, n in largest.rows()]
    further = c.funding_known - len(rows)
    missing = c.companies_evidenced - c.funding_known
    hollow = None
    if rows and missing:
        hollow = "hollow circle: amount not recorded"
        rows.append(Bar(f"{missing} without a total", None, NOT_RECORDED))
    total = money(c.funding_total, currency)
    top = f"; the ten largest hold {c.held_by_ten}" if c.funding_known > TOP_TEN else ""
    return bar_chart(
        rows,
        headline=f"Known total funding: {total}{top}",
        alt=f"Total funding in {currency}, {c.known_funding}.",
        notes=[
            f"total funding {c.known_funding}",
            rate_day(study.source, "totals"),
            figure.undrawn(further, "further company with a total"),
            hollow,
        ],
        empty=c.nothing or "no total funding is known",
    )


def places(study: Study) -> Drawing:
    """Companies per country, and at the bar what is known of their funding."""
    rows, bars = study.frames["places"].rows(), list[Bar]()
    for country, companies, funded, total, _ in rows[:TOP]:
        note = f"{companies:,} · {known_total(funded, total)}"
        if country:
            bars.append(Bar(country, companies, note, BLUE))
        else:
            bars.append(Bar("country not recorded", companies, note, GROUND))
    c, by_country = study.counts, [n for country, n, *_ in rows if country]
    located = sum(by_country)
    whom = within(located, c.companies_evidenced, "company")
    headline = "Companies by headquarters country"
    if ranks.leads(by_country):
        most = among(by_country[0], located, "company with a recorded country")
        country = bars[0].label.replace("United ", "the United ")
        headline = f"{most} are in {country}"
    return bar_chart(
        bars if located else [],
        headline=headline,
        alt="Companies by country.",
        notes=[
            f"country recorded for {whom}",
            f"companies, then the sum of the known totals in {study.currency}",
            rate_day(study.source, "totals"),
            figure.undrawn(len(rows) - len(bars), "further country"),
        ],
        empty=c.nothing or "no country is recorded",
    )


def known_total(count: int, total: float | None, currency: str = "") -> str:
    """The sum of the known totals of some companies, and how many are known."""
    return f"{money(total, currency)} ({count:,} known)" if count else "no total known"


def founded(study: Study) -> Drawing:
    """The evidenced companies by founding year, and the sum of their known totals."""
    c = study.counts
    rows = study.founded.to_polars().drop_nulls("launch_date")
    years, companies = rows["launch_date"].to_list(), rows["companies"].to_list()
    dated, peak = Count(sum(companies)), young.peak(rows, "launch_date", "companies")
    # of a year without a company the sum is zero
    is_unknown = (pl.col("companies") > 0) & pl.col("funding_total").is_null()
    total = pl.when(~is_unknown).then(pl.col("funding_total").fill_null(0) / 1e6)
    millions = rows.select(total).to_series().to_list()
    settled = pl.when("still_arriving").then(None).otherwise("companies")
    has_totals = compares(millions)

    def draw(canvas: Canvas) -> None:
        panels = canvas.subplots(1 + has_totals, 1, sharex=True, squeeze=False)
        young_years = rows["still_arriving"].to_list()
        title = "companies founded"
        pictures.years(panels[0, 0], years, companies, title=title, young=young_years)
        if has_totals:
            title = f"sum of the known totals, million {study.currency}"
            pictures.years(
                panels[1, 0],
                years,
                millions,
                title=title,
                young=young_years,
                colour=GREY,
            )

    rate = rate_day(study.source, "totals")
    hollow = None
    if has_totals and None in millions:
        hollow = "hollow circle: no total known"
    whom = within(dated, c.companies_evidenced, "company")
    details = "; ".join(
        f"{at}: {n}, {known_total(*funding)}" for at, n, *funding, _ in rows.rows() if n
    )
    return Drawing(
        headline=f"Founded {min(years, default='')} to {max(years, default='')}{peak}",
        alt=(
            f"Companies by founding year with the sum of their known totals. {details}."
        ),
        notes=[
            f"founding year recorded for {whom}",
            rate if has_totals else None,
            hollow,
            young.note(rows, "launch_date"),
        ],
        height=3.6 if has_totals else 2.4,
        draw=draw,
        empty="" if years else c.nothing or "no founding year is recorded",
        # a year that is still arriving is compared with none
        values=rows.select(settled).to_series().to_list(),
    )


def sectors(study: Study) -> Drawing:
    """The known totals of the evidenced companies in each sector, with the median of
    each.
    """
    c, currency = study.counts, study.currency
    points = study.frames["sector_companies"].group_by("sector").agg(*OF_A_POINT)
    table = study.frames["sectors"].join(
        points, on="sector", how="left", nulls_equal=True, maintain_order="left"
    )
    words = pl.col("sector").map_elements(tags_in_words, pl.String)
    labelled = table.with_columns(label=words.fill_null(f"sector {NOT_RECORDED}"))
    strips, described = list[pictures.Strip](), list[str]()
    for row in labelled.head(TOP).rows(named=True):
        companies = counted(row["companies"], "company")
        text = f"{row['label']}: {companies}, {row['funding_known']} with a total"
        if row["median"] is not None:
            text = f"{text}, median {money(row['median'], currency)}"
        described.append(text)
        strips.append(_strip(row, currency))
    whom = within(c.funding_known, c.companies_evidenced, "company")
    return Drawing(
        headline="Total funding of the companies in each sector",
        alt=f"Known totals in {currency} by sector. {'; '.join(described)}.",
        notes=[
            f"total funding known for {whom}",
            rate_day(study.source, "totals"),
            f"a bar: the median, where {FEWEST} or more totals are known",
            "a company with several sectors is in each of them",
            figure.undrawn(table.height - len(strips), "further sector"),
        ],
        height=1.6 + 0.27 * len(strips),
        draw=lambda canvas: pictures.strip(canvas.subplots(), strips, currency),
        empty="" if c.funding_known else c.nothing or "no total funding is known",
        values=table["total_funding"].explode().to_list(),
    )


def _strip(row: Row, currency: Currency) -> pictures.Strip:
    """The known totals of the companies of a sector, and their median."""
    dots = [
        (uuid, f"{name}: {money(amount, currency)}", amount)
        for uuid, name, amount in zip(*map(row.get, OF_A_POINT), strict=True)
        if amount is not None
    ]
    note = f"{len(dots)} of {row['companies']} known"
    return pictures.Strip(row["label"], dots, row["median"], note)
