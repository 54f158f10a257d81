"""The words the sample is made of: invented names in real places, from `invented.json`.

Universities: name, domain, city, country, weight among founders, spinouts as the university counts
them. Places: continent > country > currency, weight, cities; "Region: City" names a region. Tags:
label, type, weight; a label can exist twice, as a sector and as a technology. LPs: name, domain,
city, country, managers it backs. Stages: name, size in millions.
"""

from __future__ import annotations

import json
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, Final

WORDS: Final[Any] = json.loads(
    files(__package__).joinpath("invented.json").read_text(encoding="utf-8"),
    object_hook=lambda words: SimpleNamespace(**words) if "universities" in words else words,
)
