"""Runs the examples of the pages in `docs/guide/adapters`."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

PAGES = Path(__file__).parents[4] / "docs" / "guide" / "adapters"


def python_blocks(name: str) -> list[str]:
    """Returns the Python blocks of the page of an adapter."""
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run_page(name: str) -> str:
    """Runs the complete example, which is the longest block, and returns what it prints."""
    blocks = python_blocks(name)
    assert blocks, f"the page {name} has no example"
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(max(blocks, key=len), f"{name}.md", "exec"), {"__name__": "__main__"})
    for block in blocks:
        compile(block, f"{name}.md", "exec", flags=0x2000)  # top-level await is allowed in short blocks
    return output.getvalue()
