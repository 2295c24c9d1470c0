"""Runs the Python of a page, block by block, each in a namespace of its own: `python3 documented.py PAGE`."""

import re
import sys

import fits

for name in ("hermes", "inspect_ai", "deepagents", "swe_rex", "harbor"):
    fits.base(name)

with open(sys.argv[1]) as file:
    page = file.read()
for found in re.finditer(r"(<!-- not run: [^>]+ -->\n)?^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
    if found[1] is None:
        exec(compile(found[2], sys.argv[1], "exec"), {"__name__": "documented"})
