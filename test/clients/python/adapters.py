"""The adapters against the signatures of their frameworks, and at work on a service."""

import asyncio
import os
import tempfile
import types

import fits
from place import case, equal

BASES = {name: fits.base(name) for name in ("hermes", "inspect_ai", "deepagents", "swe_rex", "harbor")}

import caisson  # noqa: E402
import caisson_deepagents  # noqa: E402
import caisson_harbor  # noqa: E402
import caisson_hermes  # noqa: E402
import caisson_inspect_ai  # noqa: E402
import caisson_swe_rex  # noqa: E402

ADAPTERS = {
    "hermes": [caisson_hermes.CaissonProvider, caisson_hermes.CaissonEnvironment],
    "inspect_ai": [caisson_inspect_ai.CaissonSandboxEnvironment],
    "deepagents": [caisson_deepagents.CaissonSandbox],
    "swe_rex": [caisson_swe_rex.CaissonRuntime],
    "harbor": [caisson_harbor.CaissonEnvironment],
}
for name, kinds in ADAPTERS.items():

    @case(f"adapter.signature.{name}")
    async def _(_place, name=name, kinds=kinds):
        for kind in kinds:
            equal(fits.faults(kind), [])
        assert all(len(commit) == 40 for _, _, commit in BASES[name].SOURCE)


@case("adapter.signature.faults")
async def _(_place):
    """Each of these would not work in the place of its base."""
    of_base = BASES["harbor"].BaseEnvironment

    class Wrong(of_base):
        type = staticmethod(lambda: "wrong")

        async def start(self, force): ...

        async def stop(self): ...

        async def exec(self, command, cwd=None, env=None, timeout_sec=60, user=None): ...

        def upload_file(self, source_path, target_path): ...

        async def upload_dir(self, target_dir, source_dir): ...

        async def download_file(self, source_path, target_path, mode): ...

        def capabilities(self): ...

        def _validate_definition(self): ...

    found = fits.faults(Wrong)
    for part in ("download_dir is missing", "start: the argument force_build", "stop: the argument delete"):
        assert any(fault.startswith(part) for fault in found), (part, found)
    for part in ("exec: the default", "upload_file: one of", "upload_dir: the arguments", "download_file: mode"):
        assert any(fault.startswith(part) for fault in found), (part, found)
    assert any(fault.startswith("capabilities: it is a function") for fault in found), found


def finished(handle):
    """Reads to the end and then asks for the code, like Hermes."""
    text = handle.stdout.read()
    return handle.wait(20), text


@case("adapter.hermes.runs")
async def _(place):
    provider = caisson_hermes.CaissonProvider()
    equal((provider.name, provider.is_available(), await asyncio.to_thread(provider.probe)), ("caisson", True, ("ready", "")))
    registered = []
    caisson_hermes.register(types.SimpleNamespace(register_terminal_environment_provider=registered.append))
    equal([(each.name, each.name in BASES["hermes"].BUILT_IN) for each in registered], [("caisson", False)])

    def work():
        made = provider.create_environment(cwd="", timeout=60, task_id=place.name("Session:1"), host_cwd="/ignored")
        try:
            said = finished(made._run_bash("echo out; echo error >&2; exit 3"))
            read = finished(made._run_bash("cat; pwd", stdin_data="in\n"))
            return said, read, made.cwd
        finally:
            made.cleanup()
            made.cleanup()

    said, read, cwd = await asyncio.to_thread(work)
    equal((said[0], sorted(said[1].split())), (3, ["error", "out"]))
    equal((read[0], read[1].split("\n")[0]), (0, "in"))
    assert cwd.startswith("/"), cwd


@case("adapter.hermes.killed")
async def _(place):
    def work():
        made = caisson_hermes.CaissonProvider().create_environment(cwd="", timeout=60, task_id=place.name("k"))
        try:
            handle = made._run_bash("echo up; sleep 300")
            equal((handle.stdout.readline(), handle.poll()), ("up\n", None))
            handle.kill()
            return handle.wait(20), handle.poll()
        finally:
            made.cleanup()

    code, polled = await asyncio.to_thread(work)
    assert code == polled == 143, (code, polled)


@case("adapter.hermes.limits")
async def _(_place):
    usual = {"container_cpu": 1, "container_memory": 5120, "container_disk": 51200, "docker_volumes": []}
    equal(caisson_hermes.limits_of(usual), None)
    asked = caisson_hermes.limits_of({**usual, "container_cpu": 2, "container_memory": 1024})
    equal(asked, {"cpuCores": 2.0, "memoryBytes": 1024 * 2**20})
    names = [caisson_hermes.task_name(text) for text in ("default", "a:b", "a;b", "A" * 90)]
    assert len(set(names)) == 4 and all(len(name) <= 63 for name in names), names


async def sample(place):
    kind = BASES["inspect_ai"].REGISTERED["caisson"]
    environments = await kind.sample_init("My Task!", None, {})
    return kind, environments, environments["default"]


@case("adapter.inspect.runs")
async def _(place):
    kind, environments, sandbox = await sample(place)
    result = await sandbox.exec(["sh", "-c", "cat; echo error >&2; exit 3"], input="in\n", env={"A": "b"})
    equal((result.success, result.returncode, result.stdout, result.stderr), (False, 3, "in\n", "error\n"))
    equal((await sandbox.exec(["pwd"], cwd="/usr")).stdout, "/usr\n")
    data = bytes(range(256)) * 40_000
    equal((await sandbox.exec(["wc", "-c"], input=data)).stdout.strip(), str(len(data)))
    await sandbox.write_file("deep/er/file.txt", "one\r\n")
    equal(await sandbox.read_file("deep/er/file.txt"), "one\r\n")
    await sandbox.write_file("binary", b"\xff\x00")
    equal(await sandbox.read_file("binary", text=False), b"\xff\x00")
    await kind.sample_cleanup("My Task!", None, environments, False)


@case("adapter.inspect.errors")
async def _(place):
    kind, environments, sandbox = await sample(place)
    await sandbox.write_file("binary", b"\xff\x00")
    await sandbox.exec(["mkdir", "-p", "directory"])
    wrong = BASES["inspect_ai"].OutputLimitExceededError
    for attempt, error in (
        (sandbox.exec(["sleep", "60"], timeout=1), TimeoutError),
        (sandbox.exec(["head", "-c", "11000000", "/dev/zero"]), wrong),
        (sandbox.exec(["printf", r"\377"]), UnicodeDecodeError),
        (sandbox.exec(["true"], user="no-such-user"), NotImplementedError if place.backend == "local" else caisson.InvalidArgument),
        (sandbox.read_file("no/such/file"), FileNotFoundError),
        (sandbox.read_file("directory"), IsADirectoryError),
        (sandbox.read_file("binary"), UnicodeDecodeError),
        (sandbox.write_file("directory", "x"), IsADirectoryError),
        (kind.sample_init("t", {"no": "image"}, {}), ValueError),
    ):
        try:
            raise AssertionError(f"it was not refused: {await attempt}")
        except error:
            pass
    await kind.sample_cleanup("My Task!", None, environments, True)


@case("adapter.deepagents.runs")
async def _(place):
    def work():
        sandbox = caisson_deepagents.CaissonSandbox(place.name("deep"))
        equal(sandbox.id[:4], "sbx_")
        done = sandbox.execute("echo out; echo error >&2; exit 3")
        equal((sorted(done.output.split()), done.exit_code, done.truncated), (["error", "out"], 3, False))
        late = sandbox.execute("echo begun; sleep 60", timeout=1)
        equal((late.exit_code, "begun" in late.output, "killed" in late.output), (124, True, True))
        much = sandbox.execute("head -c 3000000 /dev/zero | tr '\\0' x")
        equal((much.truncated, len(much.output)), (True, 1024 * 1024))
        directory = sandbox.execute("cd $(mktemp -d) && pwd").output.strip()
        files = [(f"{directory}/a/b.bin", b"\xff\x00"), ("relative", b""), (directory, b"x")]
        equal([each.error for each in sandbox.upload_files(files)], [None, "invalid_path", "is_directory"])
        found = sandbox.download_files([f"{directory}/a/b.bin", f"{directory}/none", directory])
        equal([each.error for each in found], [None, "file_not_found", "is_directory"])
        equal(found[0].content, b"\xff\x00")

    await asyncio.to_thread(work)


async def refusal(attempt, kind):
    try:
        raise AssertionError(f"it was not refused: {await attempt}")
    except kind as error:
        return str(error)


@case("adapter.swe-rex.runs")
async def _(place):
    kept, errors = BASES["swe_rex"].MODULES["swerex.runtime.abstract"], BASES["swe_rex"].MODULES["swerex.exceptions"]
    make = lambda name, **given: kept[name](**given)  # noqa: E731
    runtime = caisson_swe_rex.CaissonRuntime(place.name("swe"))
    assert (await runtime.is_alive()).is_alive
    await runtime.create_session(make("CreateBashSessionRequest"))
    say = lambda text, **more: runtime.run_in_session(make("BashAction", command=text, **more))  # noqa: E731
    equal((await say("cd /usr; X=1; echo up")).output, "up\n")
    seen = await say('pwd; echo "$X"; (exit 4)', check="silent")
    equal((seen.output, seen.exit_code), ("/usr\n1\n", 4))
    await refusal(say("(exit 4)"), errors["NonZeroExitCodeError"])
    await refusal(say("sleep 60", timeout=1), errors["CommandTimeoutError"])
    await refusal(say("x", session="none"), errors["SessionDoesNotExistError"])
    await refusal(runtime.create_session(make("CreateBashSessionRequest")), errors["SessionExistsError"])
    done = await runtime.execute(make("Command", command="echo out; echo error >&2; exit 3", shell=True, cwd="/usr"))
    equal((done.stdout, done.stderr, done.exit_code), ("out\n", "error\n", 3))
    await refusal(runtime.execute(make("Command", command=["false"], check=True)), errors["NonZeroExitCodeError"])
    with tempfile.TemporaryDirectory() as place_here:
        os.makedirs(f"{place_here}/tree/sub")
        with open(f"{place_here}/tree/sub/f", "w") as file:
            file.write("uploaded")
        target = (await runtime.execute(make("Command", command=["mktemp", "-d"]))).stdout.strip()
        await runtime.upload(make("UploadRequest", source_path=f"{place_here}/tree", target_path=f"{target}/t"))
        equal((await runtime.read_file(make("ReadFileRequest", path=f"{target}/t/sub/f"))).content, "uploaded")
        await runtime.write_file(make("WriteFileRequest", path=f"{target}/w", content="é"))
        equal((await runtime.read_file(make("ReadFileRequest", path=f"{target}/w"))).content, "é")
    await runtime.close_session(make("CloseBashSessionRequest"))
    await runtime.close()


@case("adapter.swe-rex.interrupt")
async def _(place):
    kept, errors = BASES["swe_rex"].MODULES["swerex.runtime.abstract"], BASES["swe_rex"].MODULES["swerex.exceptions"]
    runtime = caisson_swe_rex.CaissonRuntime(place.name("swe"))
    await runtime.create_session(kept["CreateBashSessionRequest"]())
    running = asyncio.ensure_future(runtime.run_in_session(kept["BashAction"](command="sleep 300")))
    await asyncio.sleep(1)
    await runtime.run_in_session(kept["BashInterruptAction"]())
    await refusal(running, errors["NonZeroExitCodeError"])
    await runtime.close()


@case("adapter.harbor.runs")
async def _(place):
    config = types.SimpleNamespace(docker_image=None, workdir=None)
    try:
        caisson_harbor.CaissonEnvironment("/none", "task", place.name("trial"), None, config)
        raise AssertionError("a task without an image was taken")
    except FileNotFoundError:
        pass
    config.docker_image = os.environ.get("CAISSON_IMAGE", "local")
    made = caisson_harbor.CaissonEnvironment("/none", "task", place.name("Trial__X"), None, config)
    assert made.capabilities.disable_internet and not made.capabilities.network_allowlist
    if place.backend == "local":
        config.docker_image = None
    await made.start(False)
    done = await made.exec("echo out; echo error >&2; exit 3", env={"A": "b"}, cwd="/usr", user="root")
    equal((done.stdout, done.stderr, done.return_code), ("out\n", "error\n", 3))
    if place.backend == "local":
        await refusal(made.exec("true", user="agent"), NotImplementedError)
    else:
        equal((await made.exec("id -un", cwd="/tmp", user="nobody")).stdout, "nobody\n")
    await refusal(made.exec("sleep 60", timeout_sec=1), RuntimeError)
    target = (await made.exec("mktemp -d")).stdout.strip()
    with tempfile.TemporaryDirectory() as here:
        os.makedirs(f"{here}/from/sub")
        with open(f"{here}/from/sub/f", "wb") as file:
            file.write(b"\xff\x00")
        await made.upload_dir(f"{here}/from", f"{target}/up")
        await made.upload_file(f"{here}/from/sub/f", f"{target}/up/g")
        await made.download_dir(f"{target}/up", f"{here}/to")
        await made.download_file(f"{target}/up/g", f"{here}/h")
        for path in ("to/sub/f", "to/g", "h"):
            with open(f"{here}/{path}", "rb") as file:
                equal(file.read(), b"\xff\x00")
        equal(sorted(os.listdir(here)), ["from", "h", "to"])
    await made.stop(True)
