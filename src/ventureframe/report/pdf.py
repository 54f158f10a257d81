"""A page printed as PDF by an installed Chromium."""

import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Final

from ventureframe.errors import ReportError

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_CLOCK: Final = re.compile(rb"/(CreationDate|ModDate) \(D:\d{14}([^)]*)\)")


def chromium() -> str:
    """The path of Chromium; raises `ReportError` where it, or what drives it, is not installed."""
    if find_spec("playwright") is None:
        raise ReportError(
            "a PDF needs playwright, which is not installed: pip install 'ventureframe[pdf]'"
        )
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        raise ReportError(
            "a PDF is printed by Chromium or Chrome, and none is installed: install one, or open "
            "the HTML report and print it"
        )
    return found


def printed(page: str) -> bytes:
    """Print the page, numbered by its own style, without the clock of the printing."""
    # playwright refuses to run beside an event loop, such as that of a notebook
    with ThreadPoolExecutor(1) as beside:
        content = beside.submit(_printed, page, chromium()).result()
    return _CLOCK.sub(rb"/\1 (D:20000101000000\2)", content)


def _printed(page: str, program: str) -> bytes:
    from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415  # only for a PDF

    is_root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium has no sandbox for root
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=program, chromium_sandbox=not is_root
            )
            shown = browser.new_page(java_script_enabled=False, color_scheme="light")
            shown.set_content(page, wait_until="load")
            content: bytes = shown.pdf(
                format="A4",
                print_background=True,
                prefer_css_page_size=True,
                tagged=True,
                outline=True,
            )
            browser.close()
    except Error as error:
        raise ReportError(f"Chromium could not print the report: {error.message}") from error
    return content
