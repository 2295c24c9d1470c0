"""Tools of the cases: the clients, a sandbox that they share, and names that no other case has."""

import asyncio
import itertools
import os
import secrets

import caisson

CASES = {}


def case(name):
    """Registers a case under the id that it has in the suite of the API."""

    def register(body):
        assert name not in CASES, name
        CASES[name] = body
        return body

    return register


async def refused(attempt, kind):
    """A refusal of this class, and of no other one."""
    try:
        found = await attempt
    except caisson.CaissonError as error:
        assert type(error) is kind, repr(error)
        return error
    raise AssertionError(f"it was not refused: {found!r}")


def equal(found, wanted):
    assert found == wanted, f"{found!r} is not {wanted!r}"


def joined(outputs):
    """Bytes of each stream: how they were cut, and which stream came first, is not the same each time."""
    found = {"stdout": b"", "stderr": b""}
    for stream, data in outputs:
        found[stream] += data
    return found["stdout"], found["stderr"]


def ended(exit, code):
    equal((exit.reason, exit.exit_code, exit.signal), ("exited", code, None))


class Lifted:
    """A client that blocks, as the cases call it: each call in a thread of its own, as programs with threads do."""

    def __init__(self, of):
        self._of = of

    def __getattr__(self, name):
        found = getattr(self._of, name)
        if not callable(found):
            return Lifted(found) if hasattr(found, "_of") else found
        if name == "forget":
            return found
        if name in STREAMS:
            return lambda *given, **named: each(found(*given, **named))

        async def call(*given, **named):
            answer = await asyncio.to_thread(found, *given, **named)
            return Lifted(answer) if isinstance(answer, caisson.Running) else answer

        return call

    def __aiter__(self):
        return each(iter(self._of))

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await asyncio.to_thread(self._of.__exit__)


STREAMS = ("logs", "stream", "archive", "watch", "events")


async def each(items):
    try:
        while True:
            item = await asyncio.to_thread(next, items, None)
            if item is None:
                return
            yield item
    finally:
        if hasattr(items, "close"):
            await asyncio.to_thread(items.close)


class Place:
    task = "shared"

    def __init__(self, blocking):
        url = os.environ["CAISSON_URL"]

        def client(token):
            return Lifted(caisson.Caisson(url, token)) if blocking else caisson.AsyncCaisson(url, token)

        self.agent = client(os.environ["CAISSON_TOKEN"])
        self.other = client(os.environ["CAISSON_OTHER"])
        self.person = client(os.environ["CAISSON_PERSON"])
        self.backend = os.environ["CAISSON_PLACE"]
        self._names = itertools.count(1)
        self._mark = secrets.token_hex(3)

    def name(self, before="task"):
        return f"{before}-{self._mark}-{next(self._names)}"

    async def fresh(self, before="task", **wanted):
        task = self.name(before)
        await self.agent.sandboxes.create(task, caisson.SandboxSpec(**wanted))
        return task

    async def sh(self, text, **more):
        return await self.agent.run(["sh", "-c", text], **{"task": self.task, **more})

    async def directory(self, task=None):
        made = await self.sh('cd "$(mktemp -d /tmp/api-suite-XXXXXX)" && pwd -P', task=task or self.task)
        path = made.stdout.text.strip()
        assert path, made.stderr.text
        return path

    async def is_there(self, path, task=None):
        return (await self.agent.run(["test", "-e", path], task=task or self.task)).exit.exit_code == 0

    async def is_alive(self, pid):
        found = await self.sh(f"sed -n 's/^State:.//p' /proc/{pid.strip()}/status 2>/dev/null")
        return found.stdout.text != "" and found.stdout.text.strip()[0] not in "ZX"


async def until(look, seconds=10):
    """Polls `look` until it gives something."""
    for _ in range(int(seconds / 0.05)):
        found = await look()
        if found:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError("it did not come")
