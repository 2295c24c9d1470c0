"""Runs the cases of the table and prints one line of JSON for each; `--list` prints their ids alone.

    python3 table.py blocking|asyncio [ID...]
"""

import asyncio
import json
import sys
import time
import traceback

import adapters  # noqa: F401
import execs  # noqa: F401
import files  # noqa: F401
import leaving  # noqa: F401
import others  # noqa: F401
import streams  # noqa: F401
from place import CASES, Place

#: Most cases wait for the service, and the clients are for use by many at once.
AT_ONCE = 4


async def one(place, name):
    began = time.monotonic()
    try:
        await asyncio.wait_for(CASES[name](place), 60)
        error = None
    except BaseException:
        error = traceback.format_exc()
    print(json.dumps({"id": name, "error": error, "ms": round((time.monotonic() - began) * 1000)}), flush=True)


async def main(flavour, names):
    place = Place(flavour == "blocking")
    await place.agent.sandboxes.create(place.task)
    turns = asyncio.Semaphore(AT_ONCE)

    async def in_turn(name):
        async with turns:
            await one(place, name)

    await asyncio.gather(*(in_turn(name) for name in names or CASES))
    for api in (place.agent, place.other, place.person):
        await api.close()


if sys.argv[1] == "--list":
    print(json.dumps(list(CASES)))
else:
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
