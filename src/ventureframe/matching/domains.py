"""Registered domains of addresses, and whether an address is somebody else's page.

A page on a code host, in a directory or a mailbox says nothing of who owns the domain.
The signs are general (a path, a user, a subdomain beside `www`); the table in
`domains.toml` and the private section of the public-suffix list add to them.
"""

import tomllib
from functools import cache
from importlib.resources import files

import idna
import polars as pl
from polars import DataFrame, Series, col
from publicsuffixlist import PublicSuffixList

_TABLE = tomllib.loads(files(__package__).joinpath("domains.toml").read_text("utf-8"))
_HOSTS = [host for hosts in _TABLE.values() for host in hosts]
_RESERVED = (".example", ".test", ".invalid")  # by RFC 2606, in no list of suffixes
_ADDRESS = (
    r"(?P<user>[^\s/@<>()\[\]\x22',;:]+@)?"
    r"(?P<host>(?:[\p{L}\p{N}\p{M}_-]+\.)+[\p{L}\p{N}\p{M}-]{2,})(?::\d+)?"
    r"(?P<path>[/?#][^\s<>()\[\]\x22',;]*)?"
)
_SUFFIX = r"^[^.]+\.(.+)$"


def registered(texts: Series) -> Series:
    """Find the registered domain in addresses, hosts or e-mails; null for none.

    >>> sites = ["https://www.Acme.co.uk/team", "(jo@acme.co.uk)", "a.github.io", "N.A."]
    >>> registered(Series(sites)).to_list()
    ['acme.co.uk', 'acme.co.uk', 'a.github.io', None]
    """
    return addresses(texts)["site"]


def addresses(texts: Series) -> DataFrame:
    """Find the registered domain (`site`) of each address, whether the address
    `is_page` of a user there, and whether the site `is_host` to pages of others.

    >>> addresses(Series(["acme.com", "github.com/acme", "acme.github.io"])).rows()
    [('acme.com', False, False), ('github.com', True, True), ('acme.github.io', True, False)]
    """
    parts = parsed(texts)
    sites = {host: _site(host) for host in parts["host"].drop_nulls().unique()}
    site = col("host").replace_strict(sites, default=None, return_dtype=pl.String)
    parts = parts.with_columns(site=site, suffix=site.str.extract(_SUFFIX))
    suffixes = parts["suffix"].drop_nulls().unique()
    private = [suffix for suffix in suffixes if _is_private(suffix)]
    is_below = col("host").str.strip_prefix("www.") != col("site")
    has_path = col("path").str.contains(r"[^/?#]").fill_null(value=False)
    is_users = col("user").is_not_null() | col("suffix").is_in(private)
    is_page = is_below | has_path | is_users
    return parts.select("site", is_page=is_page, is_host=col("site").is_in(_HOSTS))


def parsed(texts: Series) -> DataFrame:
    """Split addresses into `user`, `host` (by IDNA 2008) and `path`; null for none.

    >>> parsed(Series(["<http://http://Straße.example/>", "n/a"]))["host"].to_list()
    ['xn--strae-oqa.example', None]
    """
    lower = texts.cast(pl.String).str.to_lowercase().str.replace_all("[。．｡]", ".")
    parts = lower.str.extract_groups(_ADDRESS).struct.unnest()
    hosts = parts["host"]
    foreign = hosts.filter(hosts.str.contains(r"[^\x00-\x7f]")).unique()
    return parts.with_columns(
        host=hosts.replace({host: _ascii(host) for host in foreign})
    )


def _ascii(host: str) -> str | None:
    try:
        return idna.encode(host, uts46=True).decode()
    except UnicodeError:
        return None


def _site(host: str) -> str | None:
    if host.endswith(_RESERVED):
        return ".".join(host.split(".")[-2:])
    return _suffixes().privatesuffix(host)


def _is_private(suffix: str) -> bool:
    """The suffix is not of a registry: its owner gives subdomains to users."""
    icann = _suffixes(only_icann=True)
    return _suffixes().is_public(suffix) and not icann.is_public(suffix)


@cache
def _suffixes(*, only_icann: bool = False) -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False, only_icann=only_icann)
