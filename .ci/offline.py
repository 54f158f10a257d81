"""Let the pages of the built site ask nothing from outside: their worker for pages opened
from disk is `docs/offline.js`.
"""

import os
import sys
from pathlib import Path

OUTSIDE = "https://unpkg.com/iframe-worker/shim"


def main(site: Path) -> None:
    """Point every page to the script of the site itself."""
    for page in site.rglob("*.html"):
        own = os.path.relpath(site / "offline.js", page.parent)
        text = page.read_text("utf-8")
        page.write_text(text.replace(OUTSIDE, own), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
