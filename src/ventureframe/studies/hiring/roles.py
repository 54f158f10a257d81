"""Role families by keywords in a job's title: an open list, shown in every report that uses it.

A keyword found in a title is a match of words. It is no proof that the company needs the role,
and a title that names none of the words is of no family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

_KEYWORDS: Final = {
    "software": (
        "software, developer, developers, backend, back end, frontend, front end, full stack, "
        "fullstack, full-stack, platform engineer, web, mobile, rust, python, typescript, security "
        "engineer, systems engineer, systems engineers"
    ),
    "engineering, any": "engineer, engineers, engineering, swe",
    "data and AI": "data, machine learning, ml, ai, analytics, deep learning, llm",
    "infrastructure": "devops, sre, infrastructure, infra, cloud, reliability",
    "hardware and engineering": (
        "hardware, firmware, embedded, mechanical, electrical, controls, robotics, manufacturing, "
        "field application, process engineer"
    ),
    "science and research": (
        "scientist, scientists, research, researcher, chemist, biologist, biologists, laboratory, "
        "clinical"
    ),
    "product": "product manager, product managers, product lead, head of product, tpm",
    "design": "designer, designers, design, ux, ui",
    "sales": "sales, account executive, business development, partnerships, gtm, sdr",
    "marketing": "marketing, growth, content, brand, community, devrel",
    "customers": "customer success, customer support, support engineer, implementation",
    "operations": "operations, ops, chief of staff, supply chain, logistics, office",
    "finance, legal, regulatory": (
        "finance, accountant, accounting, controller, legal, counsel, compliance, regulatory"
    ),
    "people": "recruiter, recruiting, talent, people, hr, human resources",
    "leadership": "founding, head of, vp, director, chief, cto, cfo, coo, lead, manager, managers",
}
ROLES: Final[Mapping[str, Sequence[str]]] = {
    family: tuple(keywords.split(", ")) for family, keywords in _KEYWORDS.items()
}
"""Per family the words or phrases, matched whole and with case ignored; a title can match more."""
