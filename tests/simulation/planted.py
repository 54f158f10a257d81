"""Faults to plant in the client, by name (`planted.txt`)."""

from pathlib import Path
from typing import Final

from tests.planted import read

PLANTED: Final = read(Path(__file__).with_suffix(".txt"))
