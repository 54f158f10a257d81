"""Registered domains of addresses, and whether an address is somebody else's page.

A page on a code host, in a directory or a mailbox says nothing of who owns the domain.
The signs are general (a path, a user, a subdomain beside `www`); the table in
`domains.toml` and the private section of the public-suffix list add to them.
"""

import tomllib
from functools import cache
from importlib.resources import files

import idna
from polars import DataFrame, Expr, Series, String, col
from publicsuffixlist import PublicSuffixList

_TABLE = tomllib.loads(files(__package__).joinpath("domains.toml").read_text("utf-8"))
_HOSTS = [host for hosts in _TABLE.values() for host in hosts]
_RESERVED = (".example", ".test", ".invalid")  # by RFC 2606, in no list of suffixes
_ADDRESS = (
    r"(?P<user>[^\s/@<>()\[\]\x22',;:]+@)?"
    r"(?P<host>(?:[\p{L}\p{N}\p{M}_-]+\.)+[\p{L}\p{N}\p{M}-]{2,})(?::\d+)?"
    r"(?P<path>[/?#][^\s<>()\[\]\x22',;]*)?"
)
_suffixes = cache(PublicSuffixList)


def registered(texts: Series) -> Series:
    """Find the registered domain in addresses, hosts or e-mails; null for none.

    >>> sites = ["https://www.Acme.co.uk/team", "(jo@acme.co.uk)", "a.github.io", "N.A"]
    >>> registered(Series(sites)).to_list()
    ['acme.co.uk', 'acme.co.uk', 'a.github.io', None]
    """
    return addresses(texts)["site"]


def addresses(texts: Series) -> DataFrame:
    """Find the registered domain (`site`) of each address, whether the address
    `is_page` of a user there, and whether the site `is_host` to pages of others.

    >>> texts = Series(["acme.com", "github.com/acme", "acme.github.io"])
    >>> addresses(texts)["is_page"].to_list()
    [False, True, True]
    """
    parts = parsed(texts)
    hosts = parts["host"].drop_nulls().unique()
    site, owner = _sites(hosts), _sites(hosts, only_icann=True)
    is_below = col.host.str.strip_prefix("www.") != owner
    has_path = col.path.str.contains(r"[^/?#]").fill_null(value=False)
    is_page = is_below | has_path | col.user.is_not_null()
    return parts.select(site=site, is_page=is_page, is_host=site.is_in(_HOSTS))


def parsed(texts: Series) -> DataFrame:
    """Split addresses into `user`, `host` (by IDNA 2008) and `path`; null for none.

    >>> parsed(Series(["<http://http://Straße.example/>", "n/a"]))["host"].to_list()
    ['xn--strae-oqa.example', None]
    """
    lower = texts.cast(String).str.to_lowercase().str.replace_all("[。．｡]", ".")
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


def _sites(hosts: Series, *, only_icann: bool = False) -> Expr:
    """The registered domain of each host; with `only_icann`, `github.io` is a domain of
    its owner and no suffix.
    """
    suffixes = _suffixes(accept_unknown=False, only_icann=only_icann)
    sites = dict[str, str | None]()
    for host in hosts:
        sites[host] = suffixes.privatesuffix(host)
        if host.endswith(_RESERVED):
            sites[host] = ".".join(host.split(".")[-2:])
    return col.host.replace_strict(sites, default=None, return_dtype=String)
