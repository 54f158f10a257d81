"""A report in its other formats: the page printed as PDF, and the study as a
workbook.
"""

import os
import re
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

from ventureframe.errors import ReportError
from ventureframe.evidence.study import Study
from ventureframe.panel import Panel

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_CLOCK = re.compile(rb"/(CreationDate|ModDate) \(D:\d{14}([^)]*)\)")


def chromium() -> str:
    """The path of Chromium; raises `ReportError` where it, or what drives it, is not
    installed.
    """
    if find_spec("playwright") is None:
        raise ReportError(
            "a PDF needs playwright, which is not installed: pip install playwright"
        )
    if program := next(filter(None, map(shutil.which, _NAMES)), None):
        return program
    advice = "install one, or open the HTML report and print it"
    raise ReportError(
        f"a PDF is printed by Chromium or Chrome, and none is installed: {advice}"
    )


def printed(page: str) -> bytes:
    """Print the page, numbered by its own style, without the clock of the printing."""
    # playwright refuses to run beside an event loop, such as that of a notebook
    with ThreadPoolExecutor(1) as thread:
        content = thread.submit(_printed, page, chromium()).result()
    return _CLOCK.sub(rb"/\1 (D:20000101000000\2)", content)


def _printed(page: str, program: str) -> bytes:
    # only for a PDF
    from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415

    # Chromium has no sandbox for root
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    try:
        with (
            sync_playwright() as playwright,
            playwright.chromium.launch(
                executable_path=program, chromium_sandbox=not is_root
            ) as browser,
        ):
            document = browser.new_page(java_script_enabled=False, color_scheme="light")
            # a Chromium that cannot print what is folded prints it unfolded
            unfolded = page.replace("<details class", "<details open class")
            document.set_content(unfolded, wait_until="load")
            content: bytes = document.pdf(
                format="A4",
                prefer_css_page_size=True,
                print_background=True,
                outline=True,
                tagged=True,
            )
    except Error as error:
        raise ReportError(
            f"Chromium could not print the report: {error.message}"
        ) from error
    return content


def write_study(names: Mapping[str, object], target: str) -> None:
    """Write the study among these names: that of a form, else the one that was named
    last.

    Raises `ReportError` where there is none.
    """
    forms = [value.study for value in names.values() if isinstance(value, Panel)]
    studies = forms or [value for value in names.values() if isinstance(value, Study)]
    if not studies:
        raise ReportError(
            "this notebook makes no study, so there is nothing for a workbook"
        )
    studies[-1].save(target, overwrite=True)
