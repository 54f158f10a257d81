"""Finish the pages of the built site: they ask nothing from outside, since their worker
for pages opened from disk is `docs/offline.js`; what a docstring says of a reading rule
leads to the rule.
"""

import os
import re
import sys
from pathlib import Path

OUTSIDE = "https://unpkg.com/iframe-worker/shim"
RULE = re.compile(r"reading rules? (\d)")


def main(site: Path) -> None:
    """Point every page to the script of the site itself, and the reference to the
    rules.
    """
    for page in site.rglob("*.html"):
        own = os.path.relpath(site / "offline.js", page.parent)
        text = page.read_text("utf-8").replace(OUTSIDE, own)
        if page.parent.name == "reference":
            text = RULE.sub(r'<a href="../numbers/rules.html#rule-\1">\g<0></a>', text)
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
