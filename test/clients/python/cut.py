"""Streams whose connections break at random bytes: both clients read on until the exit. Prints what each has read.

    python3 cut.py FIRST COUNT FILE
"""

import asyncio
import hashlib
import json
import sys

import caisson

LINES = 40
#: Text, bytes that are no UTF-8, characters cut in two, and lines longer than most events; every tenth line to stderr.
SCRIPT = r"""
echo "$1" >>"$2"; i=0
while [ $i -lt 40 ]; do
  i=$((i+1)); printf '%s-%s \303' "$1" $i; printf '\251 \377\n'
  [ $((i % 10)) -gt 0 ] || { head -c 3000 /dev/zero | tr '\0' x; echo err-$i >&2; sleep 0.05; }
done
"""


def written(name):
    lines = range(1, LINES + 1)
    out = b"".join(f"{name}-{i} é ".encode() + b"\xff\n" + b"x" * (3000 if i % 10 == 0 else 0) for i in lines)
    return out, b"".join(f"err-{i}\n".encode() for i in lines if i % 10 == 0)


def command(name):
    return ["sh", "-c", SCRIPT, "sh", name, sys.argv[3]]


def blocking(name):
    with caisson.Caisson.from_environment() as agent:
        with agent.start(command(name), task="cut", exec_id=f"exec_{name}") as running:
            return running.collect(), running.exit


async def by_asyncio(name):
    async with caisson.AsyncCaisson.from_environment() as agent:
        async with await agent.start(command(name), task="cut", exec_id=f"exec_{name}") as running:
            return await running.collect(), running.exit


async def one(index, turns):
    name = f"cut-{index}"
    async with turns:
        found, exit = await (asyncio.to_thread(blocking, name) if index % 2 else by_asyncio(name))
    fault = None if found == written(name) else f"{[hashlib.sha256(each).hexdigest()[:8] for each in found]}"
    if not exit.ok or exit.notes or exit.stdout.complete is not True:
        fault = f"{fault} {exit}"
    print(json.dumps({"name": name, "fault": fault, "bytes": sum(map(len, found))}), flush=True)


async def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    turns = asyncio.Semaphore(8)
    await asyncio.gather(*(one(index, turns) for index in range(first, first + count)))


asyncio.run(main())
