"""Every sentence of every study, at no record, one, two and many: a file a study, to be
read.

`python -m tests.studies.test_told` writes them again, or those of the studies that
are named.
"""

import dataclasses
import datetime as dt
import difflib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Final

import polars as pl
import pytest

import ventureframe as vf
from tests.client.stand_in import company, uuid
from tests.studies import founding
from tests.studies import test_exposure as backing
from tests.studies import test_hiring as scan
from tests.studies.test_changes_compare import OCTOBER, fetched, later, one
from tests.studies.worlds import WORLD, Uni, folder, founds, key, service, studied
from tests.studies.worlds import company as company_of
from ventureframe.display.wording import Count, unwrap
from ventureframe.evidence.study import Study
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import FUNDS, JOBS, Currency
from ventureframe.interface.gaps import Gap
from ventureframe.interface.source import Source
from ventureframe.studies.mine import words as mine_words

FOLDER: Final = Path(__file__).parent / "told"
TODAY: Final = "2026-10-02"
LETTERS = ascii_lowercase + ascii_uppercase[:12]
ALL = (
    "Empty Pension",
    "Lone Trust, Inc.",
    "Single Pension",
    "Two Pension",
    "Many Pension",
)


Case = Callable[[], Study]


def asked(kind: Any, *, wire: str = "interface", **question: Any) -> Case:
    """The study of the small world that a question gives."""
    return lambda: kind.study(service(wire), **{"currency": "EUR", **question})


def university(name: str) -> Any:
    return key(f"{name} University")


def founded(name: str, **question: Any) -> Case:
    return asked(vf.spinouts, university=university(name), **question)


def compared(*names: str, **question: Any) -> Case:
    every = [(university(name), None) for name in names]
    return asked(vf.universities, universities=every, **question)


def backed(*names: str, **question: Any) -> Case:
    return asked(vf.exposure, lps=list(map(key, names or ALL)), **question)


def linked(*backed: str, funds: Any = (), **options: Any) -> Case:
    """The study of LPs that back managers of one letter each; a fund is its manager's
    letter and its size in millions.
    """
    lps = [{"uuid": f"lp{n}", "name": f"LP {'ABCD'[n]}"} for n in range(len(backed))]
    links = [
        {"lp_uuid": lp["uuid"], "uuid": letter, "name": f"Firm {letter}"}
        for lp, letters in zip(lps, backed, strict=True)
        for letter in letters
    ]
    vehicles = [
        backing.fund(
            manager, n, f"Fund {n}", date(2020, 1, n + 1), amount=size and size * 1e6
        )
        for n, (manager, size) in enumerate(funds)
    ]
    return lambda: backing.find(lps, links, vehicles, **options)


def hiring(tag: str, **question: Any) -> Case:
    return asked(vf.hiring, tags=[(tag, "technology")], **question)


def collected(name: str) -> Case:
    """The study of a university over whole collections."""
    own: Any = {"university": university(name), "currency": "USD"}
    return lambda: vf.spinouts.find(**vf.bulk.open(folder()), **own)


def every(*people: str, currency: Currency = "EUR", gaps: Any = ()) -> Case:
    """The study of every institution, where only these people have education
    entries, or all.
    """

    def made() -> Study:
        frames: Any = {**vf.bulk.open(folder())}
        kept = pl.col("founder_uuid").is_in(list(map(key, people))) | ("all" in people)
        frames["education"] = frames["education"].filter(kept)
        source = dataclasses.replace(frames["origin"].source, incomplete=gaps)
        frames["origin"] = dataclasses.replace(frames["origin"], source=source)
        return vf.institutions.find(**frames, currency=currency)

    return made


def silent(**emptied: list[Any]) -> Case:
    """A pool of which some records are missing."""
    return lambda: studied(dataclasses.replace(WORLD, **emptied))


def short(case: Case, of: int = 0) -> Case:
    """A study of which one fetch was not read to the end."""

    def made() -> Study:
        study = case()
        results = [*study.fetched]
        walk = dataclasses.replace(
            results[of].certificate, verdict="short", reported_last=999
        )
        results[of] = dataclasses.replace(results[of], certificate=walk)
        return study.resting_on(service().source, *results, question=study.question)

    return made


def mine(*rows: str, wire: str = "interface", **decided: str) -> Case:
    """The study of a list: each row is a name, a website and a city, with commas
    between; `decided` says yes or no to the records of these names.
    """

    def made() -> Study:
        folder = service(has_sites=True)
        cells = [[*row.split(","), "", ""][:3] for row in rows]
        heads = ["Company", "Website", "City"]
        table = pl.DataFrame(cells, dict.fromkeys(heads, pl.String), orient="row")
        found = vf.match(folder, table)
        if decided:
            said = pl.col("record_name").replace_strict(decided, default=None)
            check = found.to_check.frame.with_columns(decision=said)
            check = check.rename({"decision": "Decision", "record_uuid": "Record UUID"})
            found = vf.match(folder, table, decided=check)
        live = service(wire, has_sites=True)
        return vf.mine.study(live, list=found, currency="EUR")

    return made


def closed(case: Case, *, companies: int) -> Case:
    """The study of a list where of some companies the service withholds education."""

    def made() -> Study:
        study: Any = case()
        hidden = {"companies_withheld": Count(companies)}
        counts = dataclasses.replace(study.counts, **hidden)
        sentence = unwrap(mine_words.answer(counts))
        return dataclasses.replace(study, counts=counts, sentence=sentence)  # type: ignore[no-any-return]

    return made


def differ(old: list[Any], new: list[Any], **facts: Any) -> Case:
    """Two fetches of these companies compared, or of records of another resource."""
    both = {name: facts.pop(name) for name in ("resource", "about") if name in facts}
    return lambda: vf.changes.compare(fetched(old, **both), later(new, **both, **facts))


def posted(
    companies: str,
    day: dt.date | None = dt.date(2026, 2, 1),
    counts: str = "AAAAABBBBBCCCCCDDDDD",
    **of: Any,
) -> Case:
    """Hiring at companies that count open jobs, and have postings of one day."""
    listed = [
        {"uuid": uuid, "name": uuid, "open_jobs_count": counts.count(uuid)}
        for uuid in "ABCD"
    ]
    jobs = [
        {"id": at, "title": "Cook", "entity_id": uuid, "date_posted": day}
        for at, uuid in enumerate(companies)
    ]
    return lambda: scan.find({**scan.NONE, "companies": listed, "jobs": jobs}, **of)


def started(companies: str, posts: str = "", studies: str = "", **of: Any) -> Case:
    """The study of founders: see `founding.frames`."""
    return lambda: founding.study(companies, posts, studies, **of)


def firms(*numbers: int, **values: Any) -> list[Any]:
    return [company(n, **values) for n in numbers]


def fund(day: str | None, **values: Any) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(field.name for field in FUNDS.returned)
    return row | {"id": 1, "name": "Fund", "fund_date": day, **values}


ASKED = {"about": {"filter": "and(launch_date[gte]:2005,is_hiring[eq]:true)"}}
BOOK = {
    "since": 2019,
    "failed": {"d": "504 after 3 tries", "lp4": "403"},
    "asked": list("abcd"),
}
STUDIES: Final[Mapping[str, Mapping[str, Case]]] = {
    "spinouts": {
        "no company": founded("Aldmoor"),
        "one company": founded("Brackwell"),
        "two companies": founded("Carrowdale"),
        "many companies": founded("Dunmere"),
        "many companies, in dollars": founded("Dunmere", currency="USD"),
        "some left out by the founding year": founded("Dunmere", since=2018),
        "all left out by the founding year": founded("Brackwell", since=2020),
        "all left out, one without a founding year": founded("Dunmere", since=2025),
        "only companies well rated": founded(
            "Dunmere", where=vf.company.signal_team >= 60
        ),
        "left out by a year and an amount": founded(
            "Carrowdale", since=2018, where=vf.company.total_funding >= 5e6
        ),
        "left out by a status": founded(
            "South Gainsby", where=vf.company.company_status == "acquired"
        ),
        "left out by a flag": founded("Brackwell", where=vf.company.is_hiring == False),  # noqa: E712
        "one of a status": founded(
            "Carrowdale", where=vf.company.company_status == "closed"
        ),
        "only an entry without an identifier": founded("Eskford"),
        "only another university of the same name": founded("North Gainsby"),
        "one of two universities of the same name": founded("South Gainsby"),
        "education withheld": founded("Farlow", wire=TODAY),
        "on today's wire": founded("Carrowdale", wire=TODAY),
        "a founder of each state": silent(),
        "one company without a total": silent(companies=WORLD.companies[2:3]),
        "two companies without a total": silent(
            companies=[WORLD.companies[2], {"uuid": "A", "name": "Alpha"}]
        ),
        "two companies, each with a total": founded(
            "Dunmere", where=vf.company.launch_date <= 2007
        ),
        "one founder, of another university": silent(
            companies=WORLD.companies[3:4],
            company_founders=founds("D", "bo"),
        ),
        "one company, of another university of the name": silent(
            companies=WORLD.companies[3:4], company_founders=founds("D", "na")
        ),
        "three companies, of another university of the name": silent(
            companies=WORLD.companies[2:],
            company_founders=[pair for firm in "CDE" for pair in founds(firm, "na")],
        ),
        "two companies share the largest total": silent(
            companies=[{**firm, "total_funding": 2e6} for firm in WORLD.companies[:2]]
        ),
        "many companies share the largest total": silent(
            companies=[company_of(n, total_funding=2e6) for n in "ABCDE"],
            company_founders=[pair for n in "ABCDE" for pair in founds(n, "ana")],
        ),
        "no company lost on the way": silent(
            companies=WORLD.companies[:2],
            company_founders=[*founds("A", "ana"), *founds("B", "ana")],
        ),
        "the companies of a list": asked(
            vf.spinouts,
            university=university("Brackwell"),
            companies=[key(name) for name in ("Acorn", "Birch", "Fir", "Nutmeg")],
        ),
        "no founder recorded": silent(company_founders=[]),
        "no education recorded": silent(education=[]),
        "one company, nothing recorded": silent(
            companies=WORLD.companies[4:], education=[]
        ),
        "a fetch cut short": short(founded("Carrowdale")),
        "whole collections, no company": collected("Aldmoor"),
        "whole collections, one company": collected("Brackwell"),
        "whole collections, many companies": collected("Dunmere"),
    },
    "universities": {
        "one university without a company": compared("Aldmoor"),
        "one university with one company": compared("Brackwell"),
        "two universities without a company": compared("Aldmoor", "Eskford"),
        "two universities that share no company": compared("Brackwell", "Aldmoor"),
        "two universities that share one company": compared("Carrowdale", "Dunmere"),
        "many universities": compared(
            "Brackwell", "Carrowdale", "Dunmere", "South Gainsby", "Aldmoor"
        ),
        "all left out by the founding year": compared(
            "Brackwell", "South Gainsby", since=2020
        ),
        "some left out by the founding year": compared(
            "Carrowdale", "Dunmere", "Brackwell", since=2015
        ),
        "some left out by a year and an amount": compared(
            "Dunmere", "Brackwell", since=2013, where=vf.company.total_funding >= 5e6
        ),
        "all left out by a status": compared(
            "Brackwell", "Dunmere", where=vf.company.company_status == "closed"
        ),
        "some left out by a flag": compared(
            "Carrowdale",
            "Dunmere",
            where=vf.company.is_hiring == True,  # noqa: E712
        ),
        "equally many companies": compared("Carrowdale", "South Gainsby"),
        "equally many companies, one of them not named": compared(
            "Brackwell",
            "Carrowdale",
            "South Gainsby",
            "Dunmere",
            where=vf.company.launch_date <= 2013,
        ),
        "one university named without its identifier": compared("Eskford"),
        "a university beside its namesake": compared("North Gainsby", "South Gainsby"),
        "one university with many companies": compared("Dunmere"),
        "education withheld at one of two": compared("Farlow", "Brackwell", wire=TODAY),
        "education withheld": compared("Farlow", wire=TODAY),
        "no total recorded": compared(
            "Carrowdale", "Brackwell", where=vf.company.launch_date <= 2013
        ),
        "a fetch cut short": lambda: vf.universities.compare(
            [founded("Brackwell")(), short(founded("Carrowdale"))()]  # type: ignore[list-item]
        ),
    },
    "institutions": {
        "nothing recorded": every(),
        "one entry with the name alone": every("Kim"),
        "education withheld": every(
            gaps=(Gap("withheld", "founders", "education", rows=23, of=24),)
        ),
        "not every founder read": every(
            "all", gaps=(Gap("short", "founders", rows=24, of=30),)
        ),
        "one institution": every("Ada"),
        "one institution, no total": every("Ben"),
        "two institutions": every("Ada", "Ben", "Cai"),
        "two institutions, equally many companies": every("Ada", "Ben", "Kim"),
        "four institutions, equally many companies": every("Ada", "Ben", "Gil", "Jan"),
        "many institutions": every("all"),
        "many institutions, in dollars": every("all", currency="USD"),
    },
    "exposure": {
        "one LP without a manager": backed("Empty Pension"),
        "two LPs without a manager": backed("Empty Pension", "Bare Endowment"),
        "one LP, one manager without a fund": backed("Lone Trust, Inc."),
        "one LP, one manager, one fund": backed("Single Pension"),
        "one LP, one manager, no fund since": backed("Single Pension", since=2025),
        "one LP, two managers": backed("Two Pension"),
        "one LP, two managers, in dollars": backed("Two Pension", currency="USD"),
        "one LP, many managers": backed("Many Pension"),
        "two LPs that share no manager": backed("Single Pension", "Other Endowment"),
        "two LPs that share one manager": backed("Single Pension", "Two Pension"),
        "two LPs, one of them without a manager": backed(
            "Single Pension", "Empty Pension"
        ),
        "three LPs": backed("Single Pension", "Two Pension", "Many Pension"),
        "many LPs": backed(),
        "many LPs, funds since a year": backed(since=2022),
        "many LPs, the funds of one manager": backed(funds_of=1),
        "many LPs, a fetch cut short": short(backed()),
        "some not requested, some failed": lambda: backing.find(
            backing.LPS, backing.BACKED, backing.FUNDS, **BOOK
        ),
        "dates shared and missing": lambda: backing.find(
            backing.LPS[:2], backing.BACKED, backing.UNUSUAL, asked=list("abcd")
        ),
        "one LP alone, more managers than are drawn": linked(
            LETTERS, funds=[("k", 5), ("b", None)]
        ),
        "one LP alone, the funds of five managers, none recorded": linked(
            LETTERS, asked=list(LETTERS[:5])
        ),
        "one LP alone, the funds of five managers, some recorded": linked(
            LETTERS, asked=list(LETTERS[:5]), funds=[("a", 5), ("a", None), ("c", 2)]
        ),
        "one LP that was not read": linked("", failed={"lp0": "403"}),
        "one LP, the funds of its managers not looked up": linked("abc", asked=[]),
        "two LPs, one of them not read": linked("a", "", failed={"lp1": "403"}),
        "two LPs that share more managers than are named": linked(LETTERS, LETTERS),
        "three LPs that share no manager, more than are drawn": linked(
            LETTERS[:20], LETTERS[20:30], LETTERS[30:], funds=[("z", 3)]
        ),
        "three LPs, two of them without a manager": linked("ab", "", ""),
        "three LPs, every manager of all": linked("ab", "ab", "ab"),
        "four LPs, two managers backed by most": linked("abc", "abc", "ab", "d"),
        "four LPs, many managers backed by most": linked("abcde", "abcd", "e", ""),
        "two largest funds": linked("ab", funds=[("a", 7), ("b", 7), ("a", 2)]),
        "two largest funds, a size missing": linked(
            "ab", funds=[("a", 7), ("b", 7), ("a", None)]
        ),
        "four largest funds": linked(
            "ab", funds=[("a", 7), ("b", 7), ("a", 7), ("b", 7), ("b", 1)]
        ),
        "one known size of several": linked("ab", funds=[("a", 7), ("b", None)]),
        "one fund, its size missing": linked("a", funds=[("a", None)]),
        "several funds, no size known": linked("ab", funds=[("a", None), ("b", None)]),
    },
    "hiring": {
        "no company": hiring("Empty"),
        "one company": hiring("Single"),
        "one company of which nothing is recorded": hiring("Silent", status="closed"),
        "two companies of which nothing is recorded": hiring("Silent"),
        "two companies": hiring("Pair"),
        "many companies": hiring("Crowd"),
        "many companies, in dollars": hiring("Crowd", currency="USD"),
        "no posting": hiring("Crowd", founded=(2015, 2020), rounds_of=0),
        "all left out by the founding year": hiring("Pair", founded=(2025, None)),
        "some left out by the founding year": hiring("Crowd", founded=(2010, 2014)),
        "a status": hiring("Crowd", status="operational"),
        "several statuses": hiring("Crowd", status=["operational", "closed"]),
        "a flag": hiring("Crowd", is_hiring=True),
        "a flag that says no": hiring("Crowd", is_hiring=False),
        "a flag and a status, which no company has": hiring(
            "Crowd", is_hiring=True, status="closed"
        ),
        "two conditions on numbers": hiring(
            "Crowd", founded=(2010, 2020), funding=(2e6, 9e6)
        ),
        "two conditions on numbers, which no company meets": hiring(
            "Crowd", founded=(2012, 2020), funding=(None, 3e6)
        ),
        "a condition on a text": hiring(
            "Crowd", where=vf.company.company_status == "operational"
        ),
        "a role family": hiring("Crowd", roles=["Sales"]),
        "own words": hiring("Pair", roles=["gardener", "head of sales"]),
        "a role of which no title speaks": hiring("Crowd", roles=["gardener"]),
        "a score": hiring("Crowd", signal_team=60),
        "rounds of one company": hiring("Pair", rounds_of=1),
        "rounds of one company, none recorded": hiring("Silent", rounds_of=1),
        "on today's wire": hiring("Crowd", wire=TODAY),
        "a fetch cut short": short(hiring("Pair"), 1),
        "flags, counts and rounds missing": lambda: scan.find(
            scan.WORLD, rounds_asked=["A", "B"]
        ),
        "no job record read": lambda: scan.find(
            scan.WORLD | {"jobs": []}, jobs_asked=[]
        ),
        "the job records of two read": lambda: scan.find(
            scan.WORLD | {"jobs": scan.WORLD["jobs"][:2]},
            jobs_asked=["A", "B"],
            seen=dt.date(2022, 6, 1),
        ),
        "the newest of two companies": posted("AB"),
        "the newest of four companies": posted("ABCD"),
        "the newest of two companies, of a role": posted("AABC", roles=["cook"]),
        "postings without a date": posted("AB", day=None),
        "counts that are the postings": posted("AAABBC", counts="AAABBC"),
        "counts that are the postings, most at two": posted(
            "AAABBBCCDD", counts="AAABBBCCDD"
        ),
        "no open job": posted("", counts=""),
    },
    "mine": {
        "nothing found": mine("No Such Firm", "Nor This"),
        "one row, not found": mine("No Such Firm"),
        "one row, to decide": mine("Acorn"),
        "one row, by website": mine("Acorn,acorn.example"),
        "one row, by name and city": mine("Acorn,,Berlin"),
        "one row, by website under another name": mine("Renamed,acorn.example,Berlin"),
        "one row, only the website": mine("Renamed,acorn.example"),
        "two rows of one company": mine("Acorn,acorn.example", "Acorn,,Berlin"),
        "every row under another name": mine(
            *(f"Oak {n} Labs,oak{n}.example" for n in range(1, 13))
        ),
        "rows of every kind": mine(
            *(f"Oak {n},oak{n}.example" for n in range(1, 8)),
            "Oak 8 Labs,oak8.example",
            "Another Name,oak9.example",
            "Cedar,,Berlin",
            "Acorn Inc,,Berlin",
            "Elm",
            "Fir",
            "No Such Firm",
        ),
        "recorded under another name and website": mine(
            "Acorn,acorn.example", "Oak Four,oakfour.example"
        ),
        "a yes": mine("Elm", "Acorn,,Berlin", Elm="yes"),
        "a no": mine("Elm", "Acorn,,Berlin", Elm="no"),
        "a yes and a no": mine("Elm", "Fir", Elm="yes", Fir="no"),
        "a no to all": mine("Elm", Elm="no"),
        "no hiring flag and no founder": mine("Nutmeg,nutmeg.example"),
        "no identifier of a university": mine("Kapok,kapok.example"),
        "the record of a founder is missing": mine(
            "Larch,larch.example", "Acorn,acorn.example", wire=TODAY
        ),
        "the records of all founders are missing": mine(
            "Larch,larch.example", "Maple,maple.example", wire=TODAY
        ),
        "education withheld for one": closed(
            mine("Nutmeg,nutmeg.example", "Acorn,acorn.example"), companies=1
        ),
        "education withheld for all": closed(
            mine("Larch,larch.example", "Maple,maple.example", wire=TODAY), companies=2
        ),
    },
    "founders": {
        "no company": asked(vf.founders, tags=[("Empty", "technology")]),
        "one company without a founder": started("A 2005:"),
        "companies without a founder": started("A 2005:; B:"),
        "one founder, nothing recorded": started("A 2005: ana"),
        "one founder, one post": started("A 2005: ana", "ana: Google*, Engineer"),
        "one founder, a post at the own company": started(
            "A 2005: ana", "ana: A*, Founder"
        ),
        "one founder of two companies": started(
            "A 2005: ana; B 2009: ana",
            "ana: A*, Founder, 2008",
            "ana: Harrow*, BSc/Law",
        ),
        "one founder, a founder before by the title": started(
            "A 2005: ana", "ana: Bolt*, Co-Founder & CEO"
        ),
        "two founders of one company": started(
            "A 2005: ana bo", "ana: Google*; bo: Google*", "ana: Harrow*, BSc/Law, 2001"
        ),
        "two founders, one employer": started(
            "A 2005: ana; B: bo", "ana: Google*; bo: Google*", "bo: Harrow"
        ),
        "two founders, an employer by its name": started(
            "A 2005: ana; B: bo", "ana: Bolt Inc.; bo: BOLT, Cook"
        ),
        "many founders": started(
            "A 2005: ana bo cy; B: bo di; C 2001: ed; D: fay; E 2003: gus",
            "ana: Google*; bo: Google*, Engineer, 2000; cy: Bolt; di: Bolt; ed: Google*;"
            " fay: Bolt; gus: Cog*, Founder, 2001; ana: Cog*",
            "ana: Harrow*, BSc/Law, 1999; bo: Harrow*, MBA, 1998; cy: Tarn; di: Tarn*;"
            " ed: Harrow*, /Law, 2000; fay: Tarn*; gus: Tarn*, BSc, 2005; cy: Harrow*,"
            " PhD, 2004",
        ),
        "four employers, equally many companies": started(
            "A: ana; B: bo",
            "; ".join(f"{who}: {of}*" for who in ("ana", "bo") for of in "KLMN"),
        ),
        "founders at an employer": started(
            "A 2005: ana bo; B: bo di; C 2001: ed; Google: gus",
            "ana: Google*; bo: Google*; di: Google; ed: Bolt; bo: Bolt; gus: Google*",
            employer="Google",
            origin=founding.WHOLE,
        ),
        "founders at an employer alone": started(
            "A 2005: ana", "ana: Google*", employer="google", origin=founding.WHOLE
        ),
        "alumni": started(
            "A 2005: ana; B: bo; C: cy",
            "ana: Google*",
            "ana: Harrow*; bo: Harrow*, BSc/Law; bo: Tarn*; cy: Harrow",
            university=Uni("uuid Harrow", "Harrow"),
        ),
        "records missing": started("A 2005: ana bo; B:", "ana: Google*", missing="bo"),
        "posts withheld for one": started(
            "A 2005: ana; B: bo",
            "ana: Google*",
            posts_withheld=["bo"],
            education_withheld=["bo"],
        ),
        "posts withheld for all": started(
            "A 2005: ana; B: bo", posts_withheld=["ana", "bo"]
        ),
        "founders withheld": started(
            "A 2005:; B:", companies_withheld=["uuid A", "uuid B"]
        ),
        "all left out by the founding year": asked(
            vf.founders, tags=[("Pair", "technology")], founded=(2025, None)
        ),
        "some left out by the founding year": asked(
            vf.founders, tags=[("Crowd", "technology")], founded=(2010, 2014)
        ),
        "a status": asked(
            vf.founders, tags=[("Crowd", "technology")], status="operational"
        ),
        "a score": asked(vf.founders, where=vf.company.signal_team >= 60),
        "alumni of a university": asked(
            vf.founders, university=university("Dunmere"), founded=(2010, None)
        ),
        "the companies of a list": asked(
            vf.founders,
            companies=[key(name) for name in ("Acorn", "Birch", "Fir", "Nutmeg")],
        ),
        "on today's wire": asked(
            vf.founders, tags=[("Crowd", "technology")], wire=TODAY
        ),
        "education and posts withheld": asked(
            vf.founders, companies=[key("Larch"), key("Maple")], wire=TODAY
        ),
        "a fetch cut short": short(
            asked(vf.founders, tags=[("Crowd", "technology")]), 1
        ),
        "whole collections": lambda: vf.founders.find(
            **vf.bulk.open(folder()), currency="EUR"
        ),
    },
    "changes": {
        "nothing on either side": differ([], []),
        "nothing changed, one company": differ(firms(1), firms(1)),
        "one new": differ(firms(1), firms(1, 2)),
        "one gone": differ(firms(1, 2), firms(1)),
        "one changed": differ(firms(1), firms(1, company_status="closed")),
        "two of each": differ(
            firms(1, 2, 3, 4, 5),
            [*firms(3, 4, company_status="closed", launch_date=2001), *firms(5, 6, 7)],
        ),
        "many, with a filter": differ(
            firms(*range(1, 30)),
            [
                *firms(*range(4, 10), company_status="closed"),
                *firms(*range(10, 14), name="Other", founders=[uuid(1)]),
                *firms(
                    14, launch_date=1999, tags=[], total_funding=7.0, is_hiring=True
                ),
                *firms(*range(15, 40)),
            ],
            **ASKED,
        ),
        "some amounts moved as rates can": differ(
            firms(1, 2, 3, total_funding=100.0),
            [
                *firms(1, 2, total_funding=101.0),
                *firms(3, total_funding=100.0),
            ],
        ),
        "one changed, others moved as rates can": differ(
            firms(1, 2, 3, 4, total_funding=100.0),
            [
                *firms(1, 2, total_funding=101.0),
                *firms(3, total_funding=100.0),
                *firms(4, total_funding=100.0, is_startup=True),
            ],
        ),
        "a place and an amount as conditions": differ(
            firms(1),
            firms(1, 2),
            about={"filter": "and(hq_location[eq]:7896,total_funding[gte]:5000000)"},
        ),
        "another source, and another company": lambda: vf.changes.compare(
            fetched(firms(1, 2), asked=[uuid(1), uuid(2)]),
            later(
                firms(1, 3),
                asked=[uuid(1), uuid(3)],
                about={"source": Source("oak-10", as_of=OCTOBER)},
            ),
        ),
        "an amount moved as rates can": differ(
            firms(1, 2, total_funding=100.0), firms(1, 2, total_funding=101.0)
        ),
        "the second fetch cut short": differ(
            firms(1, 2),
            firms(2, 3),
            certificate=Certificate(9, 2, 2, 0, 1, 0, 0.0, "short"),
        ),
        "new funds with and without a date": differ(
            [],
            [fund("2013-08-01"), fund(None, id=2), fund("2001-01-01", id=3)],
            resource=FUNDS,
        ),
        "a posting gone": differ(one(JOBS), [], resource=JOBS),
        "two studies": lambda: vf.changes.compare(
            founded("Carrowdale")(), founded("Carrowdale")()
        ),
    },
}


def sentences(study: Study) -> Iterator[tuple[str, str]]:
    """What a study says, as a reader meets it: the kind of each sentence, and its
    text.
    """
    yield "title", study.title
    yield "answer", str(study.answer)
    yield from (("key figure", str(figure)) for figure in study.key_figures)
    for kind, is_material in (("main limit", True), ("limit", False)):
        chosen = (one for one in study.limits if one.is_material is is_material)
        yield from ((kind, f"{one.text} *({one.rule})*") for one in chosen)
        if is_material:
            claims = (
                (one.statement, one.status, one.basis) for one in study.statements
            )
            yield from (("claim", "{} *({}: {})*".format(*claim)) for claim in claims)
    for name in study.findings():
        finding = getattr(study, name)
        yield "finding", f"{finding.title} · {finding.caption}".rstrip(" ·")
        if finding.drawing is not None:
            drawn = finding.drawn_by()
            said = (drawn.headline, *drawn.notes)
            if drawn.empty:
                said = ("Nothing to draw", drawn.empty)
            yield "finding", " · ".join(filter(None, said))


@cache
def told(name: str) -> Mapping[str, list[tuple[str, str]]]:
    """By case every sentence of a study, with its kind."""
    return {case: [*sentences(made())] for case, made in STUDIES[name].items()}


def page(name: str) -> str:
    """The file of a study: limits and findings where no case above has them in these
    words.
    """
    lines, above = [f"# What the study of {name} says", ""], set[str]()
    lines += ["Claims, limits and findings stand where they are first worded so."]
    for case, texts in told(name).items():
        (_, title), (_, answer), *rest = texts
        lines += [
            "",
            f"## {case[0].upper()}{case[1:]}",
            f"**{title}**",
            "",
            "> " + answer.replace("\n", "\n>\n> "),
        ]
        last, subject = "", title.partition(": ")[0]
        for kind, text in rest:
            worded = re.sub(r"\d[\d,.]*\d|[2-9]", "2", text.replace(subject, ""))
            worded = re.sub(r"[A-Z][a-z]+ University", "", worded)
            if kind in ("claim", "limit", "finding") and worded in above:
                continue
            lines += ["", f"*{kind.capitalize()}s*", ""] if kind != last else []
            lines, last = [*lines, f"- {text}"], kind
            above.add(worded)
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_says_what_its_file_holds(name: str) -> None:
    path = FOLDER / f"{name}.md"
    held = path.read_text("utf-8") if path.exists() else ""
    changes = difflib.unified_diff(
        held.splitlines(), page(name).splitlines(), "held", "said", "", "", 0, ""
    )
    said = "\n".join(changes)
    assert not said, (
        f"{said}\n\nRead it; then renew it: python -m tests.studies.test_told {name}"
    )


_ONE: Final = r"(?<![\d.,−-])1"
_NOUNS: Final = (
    "companies|founders|managers|funds|LPs|entries|postings|records|institutions|rounds"
)
EVERY: Final = (
    "title",
    "answer",
    "key figure",
    "main limit",
    "limit",
    "claim",
    "finding",
)
WRONG: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "a word of the wire": (
        ("title", "answer", "key figure"),
        (
            r"\b(asked|returned|fetched|requested|evidenced|UUID|entry 0|pool|same name"
            r" other)\b"
        ),
    ),
    "a claim about nothing": (("claim",), r"^(0|No) |\b(0|no) [a-z]"),
    "a main limit about nothing": (
        ("main limit",),
        r"\b0 (?!of )[a-z]|\bno (company|record)",
    ),
    "one in the plural": (
        EVERY,
        rf"{_ONE} ({_NOUNS})\b|None of the 1\b|other 1\b|\b[02-9] \w+ was\b",
    ),
    "a verb in the plural": (
        EVERY,
        rf"(?<!of ){_ONE} (\w+ |of the [\d,]+ \w+ )?(were|are|have|carry|report)\b",
    ),
    "none of none": (EVERY, r"\bof no |\(0 |\b0 of (0|no)\b"),
    "two marks or spaces": (EVERY, r"  | [.,;:)]|\.\.|,,|\( "),
    "a call in Python": (EVERY, r"\w\("),
    "a name of the code": (
        EVERY,
        r"\b[a-z]+_[a-z_]+\b|[{}]|\bnan\b|\bNone$|\b(True|False)\b",
    ),
    "an identifier": (EVERY, r"\b[0-9a-f]{8}-[0-9a-f]{4}-"),
    "a small letter first": (("answer", "main limit", "limit", "claim"), r"^[a-z]"),
    "all as a part": (EVERY, r"(?<![\d.,])(\d+) of (the )?\1\b(?![,.]\d)"),
    "few in per cent": (("answer", "key figure"), r" %.*\bof \d\b(?!,)"),
    "no full stop": (("answer", "main limit", "limit"), r"[^.]$"),
}
"""What no sentence of these kinds holds, as a pattern; its basis and its rule are
left out.
"""


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("what", WRONG)
def test_no_sentence_holds(what: str, name: str) -> None:
    kinds, pattern = WRONG[what]
    found = [
        text
        for texts in told(name).values()
        for kind, full in texts
        if kind in kinds and re.search(pattern, text := full.partition(" *(")[0])
    ]
    assert not found, "\n".join(dict.fromkeys(found))


if __name__ == "__main__":
    for name in sys.argv[1:] or STUDIES:
        (FOLDER / f"{name}.md").write_text(page(name), "utf-8")
