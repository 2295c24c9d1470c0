"""Sandboxes, sessions, processes, approvals and verdicts."""

import asyncio
import math

from caisson import Conflict, FailedPrecondition, InvalidArgument, NotFound, PolicyDenied, SandboxSpec
from place import case, ended, equal, refused, until


@case("sandboxes.create.created")
async def _(place):
    task = place.name()
    made = await place.agent.sandboxes.create(task)
    sandbox = made.sandbox
    equal((made.how, sandbox.task_id, sandbox.backend, sandbox.state), ("created", task, place.backend, "ready"))
    equal((sandbox.labels, sandbox.generation, sandbox.spec["network"]), ({}, 1, "open"))


@case("sandboxes.create.found")
async def _(place):
    task = await place.fresh()
    first = await place.agent.sandboxes.get(task)
    again = await place.other.sandboxes.create(task)
    equal((again.how, again.sandbox.id), ("found", first.id))


@case("sandboxes.create.at-once")
async def _(place):
    task = place.name()
    made = await asyncio.gather(*(api.sandboxes.create(task) for api in [place.agent, place.other] * 2))
    equal((len({each.sandbox.id for each in made}), [each.how for each in made].count("created")), (1, 1))


@case("sandboxes.create.labels")
async def _(place):
    task = await place.fresh(labels={"team": "a", "example.com/stage": "test"})
    made = await place.agent.sandboxes.create(task, SandboxSpec(labels={"team": "b"}))
    equal(made.sandbox.labels, {"team": "b", "example.com/stage": "test"})


@case("sandboxes.create.times")
async def _(place):
    task = await place.fresh(idle_timeout=600, lifetime=3600)
    found = await place.agent.sandboxes.get(task)
    equal((found.idle_timeout_ms, found.lifetime_ms), (600_000, 3_600_000))
    assert any(end["by"] == "lifetime" for end in found.ends_by)


@case("sandboxes.create.conflict")
async def _(place):
    task = await place.fresh()
    spec = SandboxSpec(limits={"cpuCores": 0.5}, allow_degraded=True)
    await refused(place.agent.sandboxes.create(task, spec), Conflict)


@case("sandboxes.create.recreate")
async def _(place):
    task = await place.fresh()
    made = await place.agent.sandboxes.create(
        task, SandboxSpec(limits={"cpuCores": 0.5}, allow_degraded=True, recreate=True)
    )
    equal((made.how, made.sandbox.spec["limits"]["cpuCores"]), ("created", 0.5))


NAMES = {"empty": "", "upper": "Build", "dash": "-build", "dot": "alice.build", "slash": "a/b", "long": "x" * 64}
for name, task in {**NAMES, "sandbox": "sbx_0123456789abcdef"}.items():

    @case(f"sandboxes.create.name-{name}")
    async def _(place, task=task):
        await refused(place.agent.sandboxes.create(task), InvalidArgument)


BAD = {"backend": {"backend": "nowhere"}, "network": {"network": "most"}, "label": {"labels": {"caisson.task": "x"}}}
BAD.update({"time": {"idle_timeout": 0}, "lifetime": {"lifetime": 0.0015}, "cwd": {"cwd": "relative"}})
for name, given in BAD.items():

    @case(f"sandboxes.create.bad-{name}")
    async def _(place, given=given):
        task = place.name()
        await refused(place.agent.sandboxes.create(task, SandboxSpec(**given)), InvalidArgument)
        equal((await place.agent.sandboxes.list(task=task)).items, [])


@case("sandboxes.list.filter")
async def _(place):
    mark = place.name("kind")
    task = await place.fresh(labels={"kind": mark, "part": "1"})

    async def tasks(**given):
        return [sandbox.task_id for sandbox in (await place.agent.sandboxes.list(**given)).items]

    equal(await tasks(task=task), [task])
    equal(await tasks(labels={"kind": mark, "part": "1"}, backend=place.backend, state="ready"), [task])
    equal(await tasks(labels={"kind": mark, "part": "2"}), [])


@case("sandboxes.list.pages")
async def _(place):
    mark = place.name("kind")
    made = [await place.fresh(labels={"kind": mark}) for _ in range(3)]
    found, cursor = [], None
    while True:
        page = await place.agent.sandboxes.list(limit=2, labels={"kind": mark}, cursor=cursor)
        found += [sandbox.task_id for sandbox in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    equal(found, made)


@case("sandboxes.get.missing")
async def _(place):
    await refused(place.agent.sandboxes.get("never-made"), NotFound)


@case("sandboxes.get.malformed")
async def _(place):
    await refused(place.agent.sandboxes.get("../../v1/tokens"), InvalidArgument)
    await refused(place.agent.sandboxes.get(".."), InvalidArgument)


@case("sandboxes.update.labels")
async def _(place):
    task = await place.fresh(labels={"a": "1", "b": "2"})
    equal((await place.agent.sandboxes.update(task, labels={"a": None, "c": "3"})).labels, {"b": "2", "c": "3"})


@case("sandboxes.update.times")
async def _(place):
    task = await place.fresh(idle_timeout=600, lifetime=3600)
    changed = await place.agent.sandboxes.update(task, lifetime=math.inf)
    equal((changed.idle_timeout_ms, changed.lifetime_ms), (600_000, None))


@case("sandboxes.stop.stopped")
async def _(place):
    task = await place.fresh()
    await place.agent.sandboxes.stop(task)
    await place.agent.sandboxes.stop(task)
    equal((await place.agent.sandboxes.get(task)).state, "stopped")


@case("sandboxes.touch.used")
async def _(place):
    task = await place.fresh()
    before = (await place.agent.sandboxes.get(task)).used_at
    await asyncio.sleep(0.02)
    touched = await place.agent.sandboxes.touch(task)
    equal((touched.used_at > before, (await place.agent.sandboxes.get(task)).used_at), (True, touched.used_at))
    await place.agent.sandboxes.stop(task)
    await refused(place.agent.sandboxes.touch(task), FailedPrecondition)


@case("sandboxes.start.started")
async def _(place):
    task = await place.fresh()
    await place.agent.sandboxes.stop(task)
    equal((await place.agent.sandboxes.start(task)).how, "started")


@case("sandboxes.remove.gone")
async def _(place):
    task = await place.fresh()
    await place.agent.sandboxes.remove(task)
    await refused(place.agent.sandboxes.get(task), NotFound)
    await refused(place.agent.sandboxes.remove(task), NotFound)


@case("sandboxes.limits.page")
async def _(place):
    limits = await place.agent.sandboxes.limits(place.task)
    equal((limits["taskId"], type(limits["limits"])), (place.task, list))


@case("sessions.run.state")
async def _(place):
    name = place.name("session")
    say = lambda text: place.agent.sessions.run(place.task, name, text)  # noqa: E731
    first = await say('cd /usr; X="a  b"; export Y=exported; f() { echo "f $1 $X"; }')
    ended(first.exit, 0)
    equal((first.restored, first.lost, first.session_ended), (False, [], False))
    second = await say("pwd; f one; printenv Y; echo err >&2; (exit 7)")
    equal((second.stdout.text, second.stderr.text), ("/usr\nf one a  b\nexported\n", "err\n"))
    ended(second.exit, 7)


@case("sessions.run.environment")
async def _(place):
    name = place.name("session")
    given = await place.agent.sessions.run(place.task, name, "echo $WORD", env={"WORD": "given"})
    after = await place.agent.sessions.run(place.task, name, 'echo "<$WORD>"')
    equal((given.stdout.text, after.stdout.text), ("given\n", "<>\n"))


@case("sessions.run.same-id")
async def _(place):
    name, text = place.name("session"), "echo $((N+=1))"
    given = {"exec_id": f"exec_{place.name('text')}"}
    first, second = [await place.agent.sessions.run(place.task, name, text, **given) for _ in range(2)]
    equal((first.stdout.text, second.stdout.text), ("1\n", "1\n"))
    equal((await place.agent.sessions.run(place.task, name, "echo $N")).stdout.text, "1\n")


@case("sessions.run.missing")
async def _(place):
    await refused(place.agent.sessions.run("never-made", "a", "true"), NotFound)


@case("sessions.run.timeout")
async def _(place):
    result = await place.agent.sessions.run(place.task, place.name("session"), "echo up; sleep 60", timeout=1)
    equal((result.stdout.text, result.exit.reason), ("up\n", "timed-out"))


@case("sessions.exec.streams")
async def _(place):
    running = await place.agent.sessions.start(place.task, place.name("session"), "echo one; sleep 0.1; echo two")
    equal((await running.collect())[0], b"one\ntwo\n")
    ended(running.exit, 0)


@case("sessions.list.kept")
async def _(place):
    name = place.name("session")
    opened = await place.agent.sessions.open(place.task, name)
    equal((opened.name, opened.open), (name, True))
    assert name in [session.name for session in await place.other.sessions.list(place.task)]
    await place.agent.sessions.close(place.task, name)


@case("processes.start.started")
async def _(place):
    made = await place.agent.processes.start(["sh", "-c", "sleep 0.3; exit 4"], task=place.task)
    equal((made.started, made.where.task_id), (True, place.task))
    process = await place.other.processes.wait(made.id)
    equal((process.state, process.exit_code, process.supervised), ("exited", 4, True))


@case("processes.list.task")
async def _(place):
    task = await place.fresh()
    made = await place.agent.processes.start(["sleep", "300"], task=task)
    listed = await place.other.processes.list(task=task)
    equal([(process.id, process.state, process.task_id) for process in listed], [(made.id, "running", task)])
    await place.agent.processes.kill(made.id)


@case("processes.get.missing")
async def _(place):
    await refused(place.agent.processes.get("exec_never"), NotFound)


@case("processes.input.passed")
async def _(place):
    file = f"{await place.directory()}/said"
    made = await place.agent.processes.start(["sh", "-c", f"cat >{file}; exit 3"], task=place.task, stdin=True)
    await place.agent.processes.input(made.id, [b"one\n", bytes([0, 255])])
    equal((await place.agent.processes.wait(made.id)).exit_code, 3)
    equal(await place.agent.files.read_whole(place.task, file), b"one\n\x00\xff")


@case("processes.input.closed")
async def _(place):
    made = await place.agent.processes.start(["sleep", "300"], task=place.task)
    await refused(place.agent.processes.input(made.id, b"x"), FailedPrecondition)
    await place.agent.processes.kill(made.id)


@case("processes.kill.tree")
async def _(place):
    made = await place.agent.processes.start(["sh", "-c", "sleep 300 & wait"], task=place.task)
    killed = await place.agent.processes.kill(made.id)
    equal((killed.process.id, killed.survivors), (made.id, []))


@case("processes.kill.signal")
async def _(place):
    text = 'trap "exit 9" USR1; echo up; while :; do sleep 0.1; done'
    made = await place.agent.processes.start(["sh", "-c", text], task=place.task)
    async for event in place.agent.execs.logs(made.id, follow=True):
        if event.type == "stdout":
            break
    await place.agent.processes.kill(made.id, "USR1")
    equal((await place.agent.processes.wait(made.id)).exit_code, 9)


async def asked(place):
    """A task whose `touch` is asked about, a file in it, and its question once it waits."""
    task = await place.fresh("asked")
    path = f"{await place.directory(task)}/f"
    running = asyncio.ensure_future(place.agent.run(["touch", path], task=task))

    async def question():
        return [each for each in await place.person.approvals.list() if each.task_id == task]

    return task, path, running, (await until(question))[0]


@case("approvals.list.waiting")
async def _(place):
    _, path, running, question = await asked(place)
    equal((question.state, question.display, question.diff), ("pending", f"touch {path}", None))
    await place.person.approvals.answer(question.id, "once")
    ended((await running).exit, 0)


@case("approvals.answer.deny")
async def _(place):
    task, path, running, question = await asked(place)
    await place.person.approvals.answer(question.id, "deny")
    await refused(running, PolicyDenied)
    equal(await place.is_there(path, task), False)


@case("approvals.answer.late")
async def _(place):
    _, _, running, question = await asked(place)
    await place.person.approvals.answer(question.id, "once")
    await running
    await refused(place.person.approvals.answer(question.id, "deny"), Conflict)
    equal((await place.person.approvals.get(question.id)).state, "used")


@case("approvals.answer.missing")
async def _(place):
    await refused(place.person.approvals.answer(f"apr_{'0' * 24}", "once"), NotFound)


@case("approvals.answerAll.task")
async def _(place):
    task, _, running, question = await asked(place)
    answered = await place.person.approvals.answer_all(task, "once")
    equal((answered.answered, answered.left), ([question.id], []))
    ended((await running).exit, 0)


@case("policy.checker.tiers")
async def _(place):
    safe, fatal = [await place.agent.check(text) for text in ("echo hi", "rm -rf /")]
    equal((safe.verdict, fatal.verdict, fatal.tier), ("allow", "deny", "hardline"))
