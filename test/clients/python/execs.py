"""Commands: results, input, ends, and streams."""

import asyncio
import hashlib

from caisson import Code, Conflict, InvalidArgument, NotFound, PolicyDenied
from place import case, ended, equal, joined, refused, until

for code in (0, 1, 42, 126, 127, 255):

    @case(f"execs.run.exit-{code}")
    async def _(place, code=code):
        ended((await place.sh(f"exit {code}")).exit, code)


for name in ("SIGTERM", "SIGKILL"):

    @case(f"execs.run.{name.lower()}")
    async def _(place, name=name):
        exit = (await place.sh(f"kill -{name[3:]} $$; sleep 5")).exit
        equal((exit.signal, exit.exit_code), (name, 137 if name == "SIGKILL" else 143))


@case("run.short")
async def _(place):
    result = await place.agent.run(["echo", "hi"], task=place.task)
    ended(result.exit, 0)
    equal((result.stdout.text, result.exit.ok), ("hi\n", True))


@case("execs.run.streams")
async def _(place):
    result = await place.sh("echo out; echo error >&2; echo more")
    equal((result.stdout.text, result.stderr.text), ("out\nmore\n", "error\n"))
    end = result.exit.stdout
    equal((end.bytes, end.truncated, end.complete), (9, False, True))


@case("execs.run.where")
async def _(place):
    result = await place.sh("true")
    sandbox = await place.agent.sandboxes.get(place.task)
    equal((result.where.sandbox_id, result.where.backend), (sandbox.id, place.backend))
    assert result.exec_id.startswith("exec_")


@case("execs.run.arguments")
async def _(place):
    words = ["", " ", "$HOME", "`id`", '"', "'", "a\nb", "-n", "\\", "*", "é世界😀", "\t"]
    result = await place.agent.run(["printf", "<%s>", *words], task=place.task)
    equal(result.stdout.text, "".join(f"<{word}>" for word in words))


@case("execs.run.environment")
async def _(place):
    say = 'printf "%s|%s|%s" "$GREETING" "${EMPTY-unset}" "${OTHER-unset}"'
    equal((await place.sh(say, env={"GREETING": 'a "b" $c\nd', "EMPTY": ""})).stdout.text, 'a "b" $c\nd||unset')
    equal((await place.sh(say)).stdout.text, "|unset|unset")


@case("execs.run.bad-environment")
async def _(place):
    await refused(place.sh("true", env={"": "x"}), InvalidArgument)


@case("execs.run.cwd")
async def _(place):
    equal((await place.agent.run(["pwd"], task=place.task, cwd="/usr")).stdout.text, "/usr\n")


@case("execs.run.cwd-missing")
async def _(place):
    await refused(place.sh("echo ran", cwd="/no/such/directory"), InvalidArgument)


@case("execs.run.missing-program")
async def _(place):
    result = await place.agent.run(["no-such-program-here"], task=place.task)
    ended(result.exit, 127)
    equal(result.stderr.text, "caisson: the program no-such-program-here was not found\n")


@case("execs.run.not-executable")
async def _(place):
    file = f"{await place.directory()}/plain"
    await place.sh(f"echo 'echo ran' >{file}; chmod 644 {file}")
    result = await place.agent.run([file], task=place.task)
    equal((result.exit.exit_code, result.stdout.text), (126, ""))


@case("execs.run.not-utf8")
async def _(place):
    result = await place.agent.run(["printf", r"a\377\000b"], task=place.task)
    equal((result.stdout.text, result.stdout.bytes), ("a\ufffd\0b", 4))


@case("execs.run.kept")
async def _(place):
    kept = (await place.sh('i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done')).stdout
    all = "".join(f"line {index}\n" for index in range(20_000))
    head, tail = kept.text[: kept.cut_at], kept.text[kept.cut_to :]
    assert kept.truncated and head and tail and all.startswith(head) and all.endswith(tail)
    equal(len(head) + len(tail) + kept.omitted_bytes, len(all))


@case("execs.run.redacted")
async def _(place):
    result = await place.sh('echo "<$MY_API_KEY>"', env={"MY_API_KEY": "a-value-to-hide"})
    assert "a-value-to-hide" not in result.stdout.text and result.stdout.text.startswith("<[REDACTED:")
    equal(result.exit.redactions, 1)


@case("execs.run.callbacks")
async def _(place):
    said = []
    text = "echo first; sleep 0.2; echo error >&2; sleep 0.2; echo last; exit 3"
    result = await place.sh(text, on_output=lambda stream, data: said.append((stream, data)))
    equal(joined(said), (b"first\nlast\n", b"error\n"))
    equal((result.exit.exit_code, result.stdout.text), (3, "first\nlast\n"))


@case("execs.run.at-once")
async def _(place):
    results = await asyncio.gather(*(place.sh(f"sleep 0.2; echo {index}") for index in range(8)))
    equal([result.stdout.text for result in results], [f"{index}\n" for index in range(8)])
    equal(len({result.exec_id for result in results}), 8)


@case("execs.run.ephemeral")
async def _(place):
    result = await place.agent.run(["echo", "once"])
    equal(result.stdout.text, "once\n")

    async def is_gone():
        listed = await place.agent.sandboxes.list(limit=1000)
        return result.where.sandbox_id not in [sandbox.id for sandbox in listed.items]

    await until(is_gone, 20)


INPUTS = {"text": "héllo\nthere", "empty": "", "bytes": bytes([0, 255, 10, 13, 0]), "large": b"x" * (3 * 2**20)}
for name, given in INPUTS.items():

    @case(f"execs.run.input-{name}")
    async def _(place, given=given):
        result = await place.agent.run(["sha256sum"], task=place.task, input=given)
        data = given.encode() if isinstance(given, str) else given
        equal(result.stdout.text.split()[0], hashlib.sha256(data).hexdigest())


@case("execs.run.input-absent")
async def _(place):
    result = await place.agent.run(["cat"], task=place.task)
    ended(result.exit, 0)
    equal(result.stdout.text, "")


@case("execs.run.input-unread")
async def _(place):
    ended((await place.sh("exit 3", input="x" * 2**20)).exit, 3)


@case("execs.run.timeout")
async def _(place):
    result = await place.sh("echo begun; sleep 60", timeout=0.7)
    equal((result.exit.reason, result.exit.survivors, result.stdout.text), ("timed-out", [], "begun\n"))


@case("execs.run.output-limit")
async def _(place):
    exit = (await place.sh("while :; do echo 0123456789; done", output_limit=10_000)).exit
    assert exit.reason == "output-limit" and exit.stdout.bytes >= 10_000


@case("execs.run.background")
async def _(place):
    result = await place.sh("sleep 3 & echo done")
    equal((result.stdout.text, result.exit.background_open), ("done\n", True))
    assert result.exit.duration_ms < 2500


@case("execs.run.id")
async def _(place):
    file = f"{await place.directory()}/count"
    name, command = f"exec_{place.name('same')}", ["sh", "-c", f"echo x >>{file}; echo ran; exit 4"]
    first = await place.agent.run(command, task=place.task, exec_id=name)
    second = await place.other.run(command, task=place.task, exec_id=name)
    equal((first.exec_id, first.exit, second.exit), (name, second.exit, first.exit))
    equal((await place.sh(f"cat {file}")).stdout.text, "x\n")


@case("execs.run.id-conflict")
async def _(place):
    name = f"exec_{place.name('used')}"
    await place.agent.run(["true"], task=place.task, exec_id=name)
    await refused(place.agent.run(["false"], task=place.task, exec_id=name), Conflict)


for name, given in {"prefix": "mine", "empty": "exec_", "long": f"exec_{'x' * 65}"}.items():

    @case(f"execs.run.id-{name}")
    async def _(place, given=given):
        await refused(place.sh("true", exec_id=given), InvalidArgument)


BAD = {"no-command": {"command": []}, "timeout": {"timeout": 0}, "output-limit": {"output_limit": -1}}
BAD.update({"cwd": {"cwd": "a\0b"}, "argument": {"command": ["echo", "a\0b"]}})
BAD["code-language"] = {"command": Code("cobol", "")}
for name, given in BAD.items():

    @case(f"execs.run.bad-{name}")
    async def _(place, given=given):
        await refused(place.agent.run(**{"command": ["true"], "task": place.task, **given}), InvalidArgument)


@case("execs.run.denied")
async def _(place):
    task = await place.fresh("asked")
    error = await refused(place.agent.run(["mkfifo", "pipe"], task=task), PolicyDenied)
    assert error.status is None or error.status == 403


@case("execs.run.code")
async def _(place):
    code = Code("bash", 'pwd; [[ -t 0 ]]; echo "$? ${BASH_VERSION:+bash}"; exit 5')
    result = await place.agent.run(code, task=place.task)
    directory, said = result.stdout.text.splitlines()
    ended(result.exit, 5)
    equal((said, await place.is_there(directory)), ("1 bash", False))


@case("execs.get.ended")
async def _(place):
    result = await place.sh("echo hi; exit 7")
    view = await place.other.execs.get(result.exec_id)
    equal((view.command, view.exit, view.where), (["sh", "-c", "echo hi; exit 7"], result.exit, result.where))


@case("execs.get.missing")
async def _(place):
    await refused(place.agent.execs.get("exec_never"), NotFound)
