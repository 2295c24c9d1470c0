"""Commands whose output is read as it comes, and their records."""

import asyncio

from caisson import Code, FailedPrecondition, NotFound, Output, PolicyDenied
from place import case, ended, equal, joined, refused, until


@case("exec.short")
async def _(place):
    async with await place.agent.start(["echo", "hi"], task=place.task) as running:
        equal([output async for output in running], [Output("stdout", b"hi\n")])
        ended(running.exit, 0)


@case("execs.start.streams")
async def _(place):
    flag = f"{await place.directory()}/go"
    text = f"echo first; until [ -e {flag} ]; do sleep 0.05; done; echo error >&2; sleep 0.1; echo last; exit 3"
    running = await place.agent.start(["sh", "-c", text], task=place.task)
    found = []
    async for output in running:
        found.append((output.stream, output.data))
        if len(found) == 1:
            await place.sh(f": >{flag}")
    equal((found[0], joined(found)), (("stdout", b"first\n"), (b"first\nlast\n", b"error\n")))
    ended(running.exit, 3)


@case("execs.start.bytes")
async def _(place):
    text = r"""printf '\360\237'; sleep 0.2; printf '\230\200\0\377\342\200\250"\\'"""
    running = await place.agent.start(["sh", "-c", text], task=place.task)
    equal((await running.collect())[0].hex(), "f09f988000ffe280a8225c")


@case("execs.start.large")
async def _(place):
    text = 'for c in a b c d e f g h; do head -c 1000000 /dev/zero | tr "\\0" $c; done'
    running = await place.agent.start(["sh", "-c", text], task=place.task)
    stdout, _ = await running.collect()
    assert stdout == b"".join(letter * 1_000_000 for letter in (b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h"))
    equal((running.exit.stdout.bytes, running.exit.stdout.complete), (8_000_000, True))


@case("execs.start.late-reader")
async def _(place):
    running = await place.agent.start(["head", "-c", "3000000", "/dev/zero"], task=place.task)
    await asyncio.sleep(0.5)
    equal(len((await running.collect())[0]), 3_000_000)


@case("execs.start.ignore")
async def _(place):
    running = await place.agent.start(["head", "-c", "3000000", "/dev/zero"], task=place.task)
    equal((await running.wait()).stdout.bytes, 3_000_000)


@case("execs.start.seen")
async def _(place):
    running = await place.agent.start(["true"], task=place.task)
    sandbox = await place.agent.sandboxes.get(place.task)
    equal((running.where.sandbox_id, running.where.task_id), (sandbox.id, place.task))
    await running.wait()


@case("execs.start.new-task")
async def _(place):
    task = place.name()
    running = await place.agent.start(["echo", "there"], task=task)
    equal((await running.collect())[0], b"there\n")
    equal((await place.agent.sandboxes.get(task)).id, running.where.sandbox_id)


@case("execs.start.same-id")
async def _(place):
    file = f"{await place.directory()}/count"
    command = ["sh", "-c", f"echo x >>{file}; echo one; sleep 0.5; echo two"]
    name = f"exec_{place.name('joined')}"
    running = [await api.start(command, task=place.task, exec_id=name) for api in (place.agent, place.other)]
    equal(await asyncio.gather(*(each.collect() for each in running)), [(b"one\ntwo\n", b"")] * 2)
    equal((await place.sh(f"cat {file}")).stdout.text, "x\n")


@case("execs.start.code")
async def _(place):
    running = await place.agent.start(Code("bash", "echo one; echo two >&2; exit 6"), task=place.task)
    equal(await running.collect(), (b"one\n", b"two\n"))
    ended(running.exit, 6)


@case("execs.start.stdin")
async def _(place):
    text = 'while read -r line; do echo "got $line"; done; echo bye'
    running = await place.agent.start(["sh", "-c", text], task=place.task, stdin=True)
    await running.write("one\ntwo\n")
    await running.write(b"three\n")
    await running.end_input()
    equal((await running.collect())[0], b"got one\ngot two\ngot three\nbye\n")


@case("execs.start.stdin-absent")
async def _(place):
    running = await place.agent.start(["cat"], task=place.task)
    equal(await running.collect(), (b"", b""))
    ended(running.exit, 0)


@case("execs.start.cancel")
async def _(place):
    running = await place.agent.start(["sh", "-c", "sleep 300 & echo $!; wait"], task=place.task)
    pid = ""
    async for output in running:
        pid = output.data.decode()
        break
    exit = await running.cancel()
    equal((exit.reason, exit.survivors, await place.is_alive(pid)), ("canceled", [], False))


@case("execs.start.timeout")
async def _(place):
    running = await place.agent.start(["sh", "-c", "echo up; sleep 300"], task=place.task, timeout=0.5)
    equal(((await running.collect())[0], running.exit.reason), (b"up\n", "timed-out"))


@case("execs.cancel.own")
async def _(place):
    running = await place.agent.start(["sleep", "300"], task=place.task)
    await place.other.execs.cancel(running.id)
    equal((await running.wait()).reason, "canceled")


@case("execs.cancel.missing")
async def _(place):
    await refused(place.agent.execs.cancel("exec_never"), NotFound)


@case("python.forget")
async def _(place):
    """A command whose reading was given up goes on, and its record has all of it."""
    running = await place.agent.start(["sh", "-c", "echo one; sleep 0.5; echo two"], task=place.task)
    running.forget()
    await refused(running.wait(), FailedPrecondition)
    events = [event async for event in place.agent.execs.logs(running.id, follow=True)]
    equal((joined((e.type, e.data) for e in events[1:-1])[0], events[-1].exit.exit_code), (b"one\ntwo\n", 0))


@case("execs.logs.whole")
async def _(place):
    result = await place.sh("echo out; sleep 0.1; echo error >&2; exit 3")
    events = [event async for event in place.other.execs.logs(result.exec_id)]
    equal((events[0].type, events[-1].type, events[-1].exit), ("started", "exit", result.exit))
    equal(joined((event.type, event.data) for event in events[1:-1]), (b"out\n", b"error\n"))


@case("execs.logs.after")
async def _(place):
    result = await place.sh("echo one; sleep 0.1; echo two")
    whole = [event async for event in place.agent.execs.logs(result.exec_id)]
    for after in range(len(whole) + 1):
        rest = [event async for event in place.agent.execs.logs(result.exec_id, after=after)]
        equal(rest, whole[after:])


@case("execs.logs.follow")
async def _(place):
    running = await place.agent.start(["sh", "-c", "echo one; sleep 0.4; echo two"], task=place.task)
    events = [event.type async for event in place.other.execs.logs(running.id, follow=True)]
    assert events[0] == "started" and events[-1] == "exit", events
    await running.wait()


@case("execs.logs.missing")
async def _(place):
    async def read():
        return [event async for event in place.agent.execs.logs("exec_never")]

    await refused(read(), NotFound)


@case("execs.list.task")
async def _(place):
    task = await place.fresh()
    for code in (0, 1, 2):
        await place.sh(f"exit {code}", task=task)
    page = await place.other.execs.list(task=task)
    equal([view.exit.exit_code for view in page.items], [2, 1, 0])
    equal(page.next_cursor, None)


@case("execs.list.pages")
async def _(place):
    task = await place.fresh()
    made = [(await place.sh("true", task=task)).exec_id for _ in range(3)]
    found, cursor = [], None
    while True:
        page = await place.agent.execs.list(task=task, limit=2, cursor=cursor)
        found += [view.id for view in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    equal(found, made[::-1])


@case("execs.run.abort")
async def _(place):
    """A block that is left before the end of its command ends the command."""
    running = await place.agent.start(["sh", "-c", "echo up; sleep 300"], task=place.task)
    async with running:
        async for _ in running:
            break

    async def exit_of():
        with_exit = await place.agent.execs.get(running.id)
        return with_exit.exit

    equal((await until(exit_of)).reason, "canceled")


@case("events.follow.kept")
async def _(place):
    task = await place.fresh()
    seen = [event async for event in place.agent.events() if event.data.get("taskId") == task]
    assert any(event.type == "sandbox.state" and event.data.get("to") == "ready" for event in seen), seen
    numbers = [event.seq for event in seen]
    equal(numbers, sorted(numbers))


@case("execs.start.refused")
async def _(place):
    await refused(place.agent.start(["mkfifo", "pipe"], task=await place.fresh("asked")), PolicyDenied)
