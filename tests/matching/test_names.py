"""Legal forms, letters and domains as people write them."""

import polars as pl
import pytest

from ventureframe.matching import domains, names

FORMS = """
Pelorus AS|Pelorus A/S|Pelorus s.r.o.|Pelorus spol. s r. o.|Pelorus GmbH & Co. KG
Pelorus UG (haftungsbeschränkt)|Pelorus Pvt. Ltd.|Pelorus (Pty) Ltd|Pelorus Sp. z o.o.
Pelorus S.L.|Pelorus d.o.o.|Pelorus OÜ|Pelorus PBC|Pelorus Ltda.|Pelorus, Inc.
Pelorus S.à r.l.|Pelorus SpA|Pelorus S.p.A.|Pelorus, Spa|Pelorus Kft.|Pelorus Oyj
Pelorus K.K.|株式会社Pelorus|Pelorus有限公司|주식회사 Pelorus|(주)Pelorus|PT Pelorus Tbk
UAB "Pelorus"|ООО «Pelorus»|Pelorus A.Ş.|Pelorus Ltd. Şti.|Pelorus S.A. de C.V.
Pelorus Sdn. Bhd.|Pelorus Unipessoal, Lda|Pelorus e.K.|Pelorus ehf.|Pelorus ЕООД
Pelorus Co., Ltd.|Pelorus KGaA|Pelorus B.V.|Pelorus Α.Ε.|Pelorus Zrt.|Pelorus SIA
"""
NO_FORMS = """
Pelorus Spa|PELORUS SPA|Pelorus Company|Pelorus as|Pelorus Labs|Pelorus Too
"""


def listed(text: str) -> list[str]:
    return [name for line in text.strip().splitlines() for name in line.split("|")]


@pytest.mark.parametrize("name", listed(FORMS))
def test_a_legal_form_is_no_part_of_the_name(name: str) -> None:
    assert _is_equal(name, "Pelorus")
    assert _is_equal(name, name.upper().replace("SS", "ß"))


@pytest.mark.parametrize("name", listed(NO_FORMS))
def test_a_last_word_that_is_a_word_is_part_of_the_name(name: str) -> None:
    assert not _is_equal(name, "Pelorus")
    assert _is_equal(name, name.lower())


@pytest.mark.parametrize(
    ("one", "other"),
    [("SA", "AG"), ("Ltd", "PLC"), ("GmbH", "GmbH & Co. KG"), ("AS", "ASA")],
)
def test_two_legal_forms_are_two_companies(one: str, other: str) -> None:
    assert not _is_equal(f"Pelorus {one}", f"Pelorus {other}")


def _is_equal(one: str, other: str) -> bool:
    pair = pl.DataFrame({"one": [one], "other": [other]})
    is_key = names.name_key(pl.col("one")) == names.name_key(pl.col("other"))
    same = names.same_form(pl.col("one"), pl.col("other"))
    return bool(pair.select(is_key & same).item())


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("Ærø Strøm", "aerostrom"),
        ("Großmann & Söhne", "grossmannandsohne"),
        ("Þór™ (R)", "thor"),
        ("Đuro Œuvre®", "durooeuvre"),
        ("IŞIK ışık", "isikisik"),
    ],
)
def test_letters_are_those_that_people_type(typed: str, key: str) -> None:
    assert pl.select(names.name_key(pl.lit(typed))).item() == key


@pytest.mark.parametrize(
    ("text", "site"),
    [
        ("<https://pelorus.example>", "pelorus.example"),
        ("[Pelorus Inc.](https://www.pelorus.example/en)", "pelorus.example"),
        ("Web: pelorus.example", "pelorus.example"),
        ("http://http://pelorus.example", "pelorus.example"),
        ("view-source:https://pelorus.example/", "pelorus.example"),
        ("pelorus．example", "pelorus.example"),
        ("MÜLLER.de", "xn--mller-kva.de"),
        ("https://straße.example", "xn--strae-oqa.example"),
        ("xn--strae-oqa.example", "xn--strae-oqa.example"),
        ("user:word@mail.acme.co.uk:8080", "acme.co.uk"),
        *[(no, None) for no in ("N.A.", "k.A.", "t.b.d.", "e.g. later", "12.5", "n/a")],
        *[(no, None) for no in ("co.uk", "127.0.0.1", "deck.pdf", "-", "")],
    ],
)
def test_a_domain_is_read_as_it_is_written(text: str, site: str | None) -> None:
    assert domains.registered(pl.Series([text])).to_list() == [site]


@pytest.mark.parametrize(
    "text",
    [
        "jo@acme.com",
        "acme.com/about",
        "blog.acme.com",
        "acme.myshopify.com",
        "https://acme.com/?ref=1",
    ],
)
def test_a_page_below_a_domain_is_told_from_the_domain(text: str) -> None:
    assert domains.addresses(pl.Series([text, "www.acme.com/"]))[
        "is_page"
    ].to_list() == [
        True,
        False,
    ]
