"""Role families by keywords in a job's title: an open list, shown in every report that uses it.

A keyword found in a title is a match of words. It is no proof that the company needs the role,
and a title without any of the words has no family.

A title names more than roles: the employer, addresses, pay. These are taken out first. Many
keywords are also everyday words ("data", "operations"): in brackets, a keyword counts only where
it is the role itself: an entry of a list, after "head of", or before "manager" and the like.
The regular expressions need no look-around and no word boundary, so that Rust and RE2 agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import polars as pl

_SOFTWARE: Final = (
    "software engineer, software engineering, software developer, software development, software …"
    " engineer, software architect, development role, [software], developer, dev, programmer, swe,"
    " sde, backend, back end, frontend, front end, full stack, [web], web engineer, [mobile], "
    "mobile engineer, product engineer, product … engineer, platform engineer, platform "
    "engineering, systems engineer, compiler engineer, game engineer, qa, sdet, test engineer, "
    "[security], security engineer, [fe], [fs], ui engineer, [distributed "
    "systems], [systems], blockchain engineer, database internals, ios, android, flutter, react, "
    "react native, vue, vuejs, angular, rails, ruby, django, laravel, php, python, java, "
    "javascript, typescript, node.js, nodejs, kotlin, swift, scala, clojure, elixir, erlang, "
    "haskell, ocaml, rust, golang, [go], c++, c#, .net, dotnet"
)
_KEYWORDS: Final = {
    # builds or tests software: developers, and engineers of a part or a language of it
    "software": _SOFTWARE,
    # every engineer or developer, whatever is built, and roles "in engineering"
    "engineering, any": (
        f"{_SOFTWARE}, engineer, engineering, eng, [tech], technical lead, technical staff, sre, "
        "devops, devsecops, fde, [infra], [infrastructure]"
    ),
    # prepares or analyses data, or builds what learns from it, data scientists included
    "data and AI": (
        "[data], data … engineer, data … eng, data scientist, data science, data analyst, data "
        "architect, data platform, data infrastructure, data infra, machine learning, deep "
        "learning, computer vision, nlp, ml, mle, mlops, ai … engineer, ai … eng, [ai agent], ai …"
        " developer, ai … scientist, ai … researcher, ai … architect, ai … specialist, ai … "
        "associate, ai … strategist, ai engineering, ai research, agent … engineer, agentic … "
        "engineer, agentic engineering, [ai], [llm], llm engineer, [analytics], analytics engineer"
    ),
    # runs what software runs on: cloud, networks, platforms, reliability, deployment
    "infrastructure": (
        "devops, devsecops, sre, site reliability, infrastructure, [infra], infra eng, infra "
        "engineer, [cloud], cloud … engineer, cloud … architect, cloud consultant, cloud "
        "consulting, [platform], platform engineer, platform engineering, platform … engineer, "
        "production engineer, [networking], network engineer, [kubernetes], kubernetes engineer, "
        "system administrator, systems administrator, sysadmin"
    ),
    # builds machines, electronics and what controls them, or makes them
    "hardware and engineering": (
        "[hardware], hardware … engineer, [firmware], firmware … engineer, [embedded], embedded … "
        "engineer, embedded software, embedded systems, mechanical, electrical … engineer, "
        "electronics, mechatronics, [robotics], robotics … engineer, robotic … engineer, "
        "[controls], controls engineer, control engineer, avionics, rf engineer, fpga, asic, "
        "[manufacturing], manufacturing engineer, field application, process engineer, technician,"
        " [drones]"
    ),
    # does research: researchers and scientists, data scientists included, clinical work
    "science and research": (
        "scientist, computational biology, [research], research engineer, research … engineer, "
        "research + engineer, research role, researcher, chemist, biologist, physicist, "
        "bioinformatician, bioinformatics, laboratory, clinical"
    ),
    # decides what a product does: product managers and owners, technical programme managers
    "product": (
        "product … manager, product management, product owner, product lead, product analyst, "
        "product specialist, product role, head of product, director of product, vp product, vp of"
        " product, pm, tpm, program manager, programme manager, eng + product, engineering + "
        "product, dev + product, design + product, infra + product, growth + product, gtm + "
        "product, product + eng, product + engineering, product + design, product + growth, "
        "product + gtm, product + sales, product + marketing, product + ops, product + support"
    ),
    # decides how a product looks and is used
    "design": ("designer, [design], product design, design engineer, ux, ui/ux, art director"),
    # sells: account executives and managers, representatives, partnerships
    "sales": (
        "[sales], sales engineer, technical sales, account exec, account executive, account "
        "manager, ae, [ams], technical am, business development, bizdev, [partnerships], "
        "partnership manager, gtm, go to market, sdr, bdr"
    ),
    # makes known and wins users: marketing, growth, content, community, developer relations
    "marketing": (
        "[marketing], product marketing, marketing engineer, marketer, [growth], growth engineer, "
        "growth marketing, [content], content writer, content strategist, copywriter, technical "
        "writer, seo, [brand], [community], devrel, developer relations, developer advocate, "
        "developer evangelist"
    ),
    # helps those who bought: support, success, implementation, solutions, forward deployment
    "customers": (
        "[customer success], customer success, [support], customer support, customer service, "
        "customer experience, support engineer, technical support, customer reliability, customer "
        "engineer, implementation, [implementation], [solutions], solutions engineer, solution "
        "engineer, solutions architect, solution architect, forward deployed, deployment "
        "strategist, fde, onboarding specialist"
    ),
    # keeps the company running: operations, chiefs of staff, assistants, supply
    "operations": (
        "[operations], operations engineer, [ops], [business operations], bizops, chief of staff, "
        "executive assistant, [ea], coo, [supply chain], [logistics], office manager, "
        "[procurement]"
    ),
    # keeps accounts, contracts and rules
    "finance, legal, regulatory": (
        "[finance], financial analyst, financial controller, accountant, [accounting], bookkeeper,"
        " [controller], fp&a, cfo, [legal], counsel, lawyer, attorney, paralegal, [compliance], "
        "[regulatory], regulatory affairs"
    ),
    # finds and looks after those who work there
    "people": (
        "recruiter, [recruiting], [recruitment], sourcer, hiring coordinator, [talent], talent "
        "acquisition, [people], people operations, people ops, people partner, [hr], [human "
        "resources]"
    ),
    # leads people or a function: chiefs, vice presidents, directors, heads, engineering managers,
    # and who is called a lead
    "leadership": (
        "head of, vp, vice president, director, chief, ceo, cto, cfo, coo, cpo, cmo, ciso, lead, "
        "leader, engineering manager, engineering management, em, development manager, general "
        "manager, team manager, senior manager, manager of"
    ),
    # among the first: founding members of a team, and co-founders
    "founding": "founding, co-founder, technical founder",
}
ROLES: Final[Mapping[str, Sequence[str]]] = {
    family: tuple(keywords.split(", ")) for family, keywords in _KEYWORDS.items()
}
"""Per family the words or phrases, singular or plural, case ignored; a title can match several.

In brackets: only as the role itself. "…" stands for further words of one role, " + " for a comma,
an "and" or a sign for it. A space can be a hyphen or nothing.
"""

_START: Final = r"(?:^|[^\p{L}\p{N}_])"
_END: Final = r"(?:[^\p{L}\p{N}_]|$)"
_GAP: Final = r"[\s\p{Pd}]*"
_FURTHER: Final = r"[^\p{L}\p{N}_|;,()](?:[^|;,()]*[^\p{L}\p{N}_|;,()])?"
_BESIDE: Final = r"\s*(?:[,/+&;]|,?\s(?:and|or)\s)\s*"
_MARK: Final = r"[|,/+&;:()\[\]!*.]|(?:^|\s)\p{Pd}+\s"
_LISTED: Final = rf"(?:^|{_MARK}|\s(?:and|or|hiring|roles in|positions in)\s)"
_ENDED: Final = rf"(?:$|{_MARK}|\s(?:and|or)\s)"
_RANK: Final = (
    "senior|sr|junior|jr|staff|principal|lead|mid|founding|first|chief|associate|technical|"
    "multiple|various|remote|freelance|vp|vice president|director|head"
)
_HEAD: Final = "head|director|vp|vice president|lead|chief"
_POST: Final = (
    "manager|lead|leader|director|head|officer|specialist|associate|analyst|coordinator|partner|"
    "executive|representative|rep|assistant|administrator|architect|expert|consultant|advisor|"
    "intern|role|position|job|opening|team|generalist|professional"
)
_PERSON: Final = (
    "engineer|developer|dev|programmer|designer|scientist|researcher|analyst|recruiter|counsel|"
    "accountant|writer|technician|founder|swe|sre|devops|ae|sdr|bdr|cto|vp|head of|manager|"
    "director|officer|executive|representative|specialist|coordinator|assistant|architect|"
    "administrator|consultant|intern|role|position|lead|leader|strategist"
)
_HIRING: Final = r"(?i)^[^|]*?\s(?:is|are)\s+(?:now\s+)?hiring(?:\s|$)"
_PER: Final = r"(?:/|per\s|an?\s)\s*(?:hr|hour|yr|year)s?"
_TAKEN_OUT: Final = (
    r"(?:https?://|www\.)[^\s|)]+",
    r"[^\s|(]+@[^\s|)]+",
    # a domain, but not "Node.js"
    r"[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.(?:[a-ik-z][a-z]+|j[a-rt-z][a-z]*|js[a-z]+)[^\s|),]*",
    rf"(?i)[$€£¥]?\d[^\s|]*\s*(?:usd|eur|gbp|cad|chf|aud)?\s*{_PER}",
    r"[$€£¥]\s?\d[^\s|]*",
)


def found_in(titles: pl.DataFrame, role_words: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """The rows (title, company_name) with a flag per family and `families`: their names as text.

    Each text is read once. `families` is null, and every flag false, where no keyword is found.
    """
    rows = _without_names(titles)
    texts = rows.select("text").drop_nulls().unique()
    parts = texts.with_columns(part=role_part(pl.col("text"))).with_columns(
        pl.col("part").str.contains(pattern(each)).alias(flag(family))
        for family, each in role_words.items()
    )
    named = [pl.when(pl.col(flag(family))).then(pl.lit(family)) for family in sorted(role_words)]
    joined = pl.concat_str(named, separator="; ", ignore_nulls=True)
    parts = parts.with_columns(families=pl.when(joined != "").then(joined)).drop("part")
    rows = rows.join(parts, on="text", how="left", maintain_order="left").drop("text")
    return rows.with_columns(pl.col(*map(flag, role_words)).fill_null(value=False))


def flag(family: str) -> str:
    """The column that says whether a title names the family."""
    return f"names {family}"


def role_part(title: pl.Expr) -> pl.Expr:
    """The title without the employer, addresses and pay.

    The employer is what stands before "is hiring" or the first bar, unless that names a role.
    """
    part = (
        pl.when(title.str.contains(_HIRING))
        .then(title.str.replace(_HIRING, ""))
        .when(title.str.contains(_role_before_bar()))
        .then(title)
        .otherwise(title.str.replace(r"^[^|]*\|", ""))
    )
    for each in _TAKEN_OUT:
        part = part.str.replace_all(each, " ")
    return part


def _without_names(titles: pl.DataFrame) -> pl.DataFrame:
    """The rows with `text`: `without_name` of each, which few titles need."""
    title, name = (pl.col(each).str.to_lowercase() for each in ("title", "company_name"))
    rows = titles.with_columns(pl.col("title").alias("text"))
    with_it = rows.select(title.str.contains(name, literal=True).fill_null(value=False)).to_series()
    places = with_it.arg_true()
    texts = [without_name(*each) for each in rows[places].select("title", "company_name").rows()]
    text = rows["text"].scatter(places, pl.Series(texts, dtype=pl.String))
    return rows.with_columns(text.alias("text"))


def without_name(title: str | None, name: str | None) -> str | None:
    """The title without the company's own name, which can be a keyword.

    >>> without_name("Data Robotics: Sales Manager", "Data Robotics").strip()
    ': Sales Manager'
    """
    if not title or not name or name.lower() not in title.lower():
        return title
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", title, flags=re.IGNORECASE)


def pattern(keywords: Iterable[str]) -> str:
    """The regular expression that finds any of the keywords in the `role_part` of a title."""
    areas, phrases = _parted(keywords)
    found = [rf"{_START}(?:{phrases})s?{_END}"] if phrases else []
    if areas:
        found += [
            rf"{_LISTED}\s*(?:(?:{_RANK})(?:\.|\s+of)?[\s/]+)*(?:{areas})\s*{_ENDED}",
            rf"{_START}(?:{areas})\s+(?:{_POST})s?{_END}",
            rf"{_START}(?:{_HEAD})\s+of\s+(?:{areas}){_END}",
        ]
    return f"(?i)(?:{'|'.join(found)})"


def _role_before_bar() -> str:
    """Finds titles whose part before the first bar names a person's role, or is only areas."""
    areas, _ = _parted(word for words in ROLES.values() for word in words)
    person = rf"(?:[^|]*[^\p{{L}}\p{{N}}_|])?(?:{_PERSON})s?(?:[^\p{{L}}\p{{N}}_|][^|]*)?"
    return rf"(?i)^(?:{person}|\s*(?:(?:{areas})(?:{_BESIDE}|\s*))+)(?:\||$)"


def _parted(keywords: Iterable[str]) -> tuple[str, str]:
    """Those in brackets and the others, each as one expression."""
    words = list(keywords)
    areas = [_expression(word[1:-1]) for word in words if word.startswith("[")]
    phrases = [_expression(word) for word in words if not word.startswith("[")]
    return "|".join(areas), "|".join(phrases)


def _expression(word: str) -> str:
    """The keyword as an expression; a space in it can be a hyphen or nothing as well."""
    literal = re.sub(r"[.*?()|\[\]{}^$\\]|(?<! )\+", r"\\\g<0>", word)
    literal = literal.replace(" … ", _FURTHER).replace(" + ", _BESIDE)
    return literal.replace(" ", _GAP)
