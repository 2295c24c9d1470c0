"""Cases beyond the suite of the API: tasks that are cancelled, the socket of the state directory, other servers."""

import asyncio
import hashlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

import caisson
from place import case, ended, equal, refused, until


async def ended_as_cancelled(place, name):
    async def exit_of():
        return (await place.other.execs.get(name)).exit

    equal((await until(exit_of)).reason, "canceled")


async def begun(place, name):
    """Once it is on record, it runs."""

    async def found():
        try:
            return await place.other.execs.get(name)
        except caisson.NotFound:
            return None

    await until(found)


def by_asyncio():
    return caisson.AsyncCaisson(os.environ["CAISSON_URL"], os.environ["CAISSON_TOKEN"])


@case("python.cancel.run")
async def _(place):
    name = f"exec_{place.name('cancelled')}"
    async with by_asyncio() as agent:
        running = asyncio.ensure_future(agent.run(["sleep", "300"], task=place.task, exec_id=name))
        await begun(place, name)
        running.cancel()
        found = await asyncio.gather(running, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError), found
    await ended_as_cancelled(place, name)


@case("python.cancel.deadline")
async def _(place):
    name = f"exec_{place.name('late')}"
    async with by_asyncio() as agent:
        try:
            await asyncio.wait_for(agent.run(["sleep", "300"], task=place.task, exec_id=name), 1.5)
            raise AssertionError("it did not end")
        except asyncio.TimeoutError:
            pass
    await ended_as_cancelled(place, name)


@case("python.cancel.reader")
async def _(place):
    name = f"exec_{place.name('read')}"
    async with by_asyncio() as agent:

        async def read():
            async for _ in await agent.start(["sh", "-c", "echo up; sleep 300"], task=place.task, exec_id=name):
                pass

        reading = asyncio.ensure_future(read())
        await begun(place, name)
        reading.cancel()
        found = await asyncio.gather(reading, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError), found
    await ended_as_cancelled(place, name)


@case("python.cancel.session")
async def _(place):
    name = f"exec_{place.name('text')}"
    async with by_asyncio() as agent:
        running = asyncio.ensure_future(
            agent.sessions.run(place.task, place.name("session"), "sleep 300", exec_id=name)
        )
        await begun(place, name)
        running.cancel()
        found = await asyncio.gather(running, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError), found
    await ended_as_cancelled(place, name)


INTERRUPTED = """
import caisson, sys
try:
    caisson.Caisson.from_environment().run(["sleep", "300"], task="shared", exec_id=sys.argv[1])
except KeyboardInterrupt:
    sys.exit(7)
"""


@case("python.cancel.interrupt")
async def _(place):
    name = f"exec_{place.name('interrupted')}"
    child = subprocess.Popen([sys.executable, "-S", "-c", INTERRUPTED, name])
    await begun(place, name)
    child.send_signal(signal.SIGINT)
    equal(await asyncio.to_thread(child.wait, 20), 7)
    await ended_as_cancelled(place, name)


@case("python.callback.fails")
async def _(place):
    name = f"exec_{place.name('callback')}"

    def fail(_stream, _data):
        raise ZeroDivisionError("of the caller")

    try:
        await place.sh("echo up; sleep 300", exec_id=name, on_output=fail)
        raise AssertionError("the error of the callback was lost")
    except ZeroDivisionError:
        pass
    await ended_as_cancelled(place, name)


@case("python.local.run")
async def _(place):
    def work():
        with caisson.Caisson.local() as agent:
            return agent.run(["echo", "over the socket"], task=place.task)

    equal((await asyncio.to_thread(work)).stdout.text, "over the socket\n")
    async with caisson.AsyncCaisson.local() as agent:
        running = await agent.start(["cat"], task=place.task, stdin=True)
        await running.write("in")
        await running.end_input()
        equal((await running.collect())[0], b"in")


@case("python.local.answers")
async def _(place):
    task = await place.fresh("asked")
    async with caisson.AsyncCaisson.local(answers=True) as person:
        asked = []
        running = asyncio.ensure_future(place.sh("touch /dev/null", task=task, on_asked=asked.append))

        async def question():
            return asked

        await until(question)
        equal((await person.approvals.get(asked[0])).task_id, task)
        await person.approvals.answer(asked[0], "once")
        ended((await running).exit, 0)


@case("python.local.foreign")
async def _(_place):
    with tempfile.TemporaryDirectory() as home:
        for make, words in (
            (lambda path: None, "no service"),
            (lambda path: os.mkfifo(path), "regular file"),
            (lambda path: write(path, "{}"), "not the record"),
            (lambda path: (write(path, "{}"), os.chmod(path, 0o666)), "other users can write"),
        ):
            path = os.path.join(home, "service.json")
            if os.path.lexists(path):
                os.remove(path)
            make(path)
            try:
                caisson.Caisson.local(home)
                raise AssertionError(f"it was taken: {words}")
            except caisson.FailedPrecondition as error:
                assert words in error.message, error


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o600)


@case("python.input.large")
async def _(place):
    data = os.urandom(10 * 2**20)
    result = await place.agent.run(["sha256sum"], task=place.task, input=data)
    equal(result.stdout.text.split()[0], hashlib.sha256(data).hexdigest())


@case("python.arguments.long")
async def _(place):
    """The kernel takes 128 KiB for one argument, less its end."""
    word = "x" * (128 * 1024 - 1)
    result = await place.agent.run(["printf", "%s", word], task=place.task)
    equal((result.exit.exit_code, result.stdout.bytes), (0, len(word)))


@case("python.source.breaks")
async def _(place):
    """An upload whose source fails is that failure, and leaves the file that was there; as an input it is the end of it."""

    def broken():
        yield b"one"
        raise OSError("of the disk of the caller")

    path = f"{await place.directory()}/f"
    await place.agent.files.write(place.task, path, "old")
    try:
        raise AssertionError(f"it was written: {await place.agent.files.write(place.task, path, broken())}")
    except OSError as error:
        assert "of the disk of the caller" in str(error), error
    equal(await place.agent.files.read_whole(place.task, path), b"old")
    equal((await place.agent.run(["cat"], task=place.task, input=broken())).stdout.text, "one")


@case("python.away")
async def _(_place):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"

    def work():
        try:
            caisson.Caisson(url, "csn_x", resume_seconds=0.3).sandboxes.list()
        except caisson.Unavailable as error:
            return error.details

    equal(await asyncio.to_thread(work), {"sent": False})


STRANGE = {
    b"SSH-2.0-OpenSSH_9.2\r\n": caisson.Internal,
    b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nnot json!": caisson.Internal,
    b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]": caisson.Internal,
    b'HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{"items": {}}': caisson.Internal,
    b"HTTP/1.1 200 OK\r\ncontent-length: nine\r\n\r\n": caisson.Internal,
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n": caisson.Internal,
    b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{": caisson.Unavailable,
    b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n": caisson.PermissionDenied,
    b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + b"[" * 100_000: caisson.Internal,
    b"HTTP/1.1 418 Tea\r\ncontent-length: 0\r\n\r\n": caisson.Internal,
    b"HTTP/1.1 200 OK\r\nx: " + b"y" * 300_000: caisson.Internal,
}


@case("python.strangers")
async def _(_place):
    """An answer of another program becomes a typed error, in bounded memory."""
    for answer, kind in STRANGE.items():
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            threading.Thread(target=answering, args=(server, answer), daemon=True).start()
            async with caisson.AsyncCaisson(
                f"http://127.0.0.1:{server.getsockname()[1]}", "csn_x", resume_seconds=0
            ) as agent:
                error = None
                try:
                    await agent.sandboxes.list()
                except caisson.CaissonError as found:
                    error = found
                assert isinstance(error, kind), (answer[:60], error)


def answering(server, answer):
    connection, _ = server.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(answer)


def self_signed(home):
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    key, certificate = f"{home}/key.pem", f"{home}/certificate.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate]
    subprocess.run([*make, *names], check=True, capture_output=True)
    return key, certificate


def serving_tls(server, context):
    answer = b'HTTP/1.1 200 OK\r\ncontent-length: 32\r\n\r\n{"items":[],"nextCursor":"next"}'
    while True:
        try:
            connection = context.wrap_socket(server.accept()[0], server_side=True)
        except ssl.SSLError:
            continue
        except OSError:
            return
        with connection:
            connection.recv(65536)
            connection.sendall(answer)


@case("python.tls")
async def _(_place):
    """A certificate that the system does not know is refused at once, and taken where the caller trusts it."""
    with tempfile.TemporaryDirectory() as home, socket.socket() as server:
        key, certificate = await asyncio.to_thread(self_signed, home)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.bind(("127.0.0.1", 0))
        server.listen()
        threading.Thread(target=serving_tls, args=(server, context), daemon=True).start()
        url, trusting = f"https://localhost:{server.getsockname()[1]}", ssl.create_default_context(cafile=certificate)
        for given in ({"tls": trusting}, {}):
            async with caisson.AsyncCaisson(url, "csn_x", **given) as agent:
                asked = [agent.sandboxes.list(), asyncio.to_thread(caisson.Caisson(url, "csn_x", **given).sandboxes.list)]
                for each in asked:
                    if given:
                        equal((await each).next_cursor, "next")
                    else:
                        await refused(each, caisson.FailedPrecondition)


@case("python.closed")
async def _(place):
    agent = by_asyncio()
    equal((await agent.sandboxes.get(place.task)).task_id, place.task)
    await agent.close()
    await refused(agent.sandboxes.get(place.task), caisson.Canceled)


@case("python.arguments.refused")
async def _(place):
    await refused(place.agent.run("echo hi", task=place.task), caisson.InvalidArgument)
    await refused(place.sh("true", timeout=float("nan")), caisson.InvalidArgument)
    await refused(place.agent.run([b"true"], task=place.task), caisson.InvalidArgument)
    await refused(place.agent.files.read(place.task, "/\udcff"), caisson.InvalidArgument)
    await refused(place.agent.sandboxes.get("\udcff"), caisson.InvalidArgument)
    await refused(place.agent.files.write(place.task, "/f", "x", expected="é世"), caisson.InvalidArgument)
    for url, token in (("http://x:99999", "t"), ("http://[x", "t"), ("ftp://x", "t"), ("http://u:p@x", "t"), ("", "t"), ("http://x", ""), ("http://x", "a\nb")):
        try:
            caisson.Caisson(url, token)
            raise AssertionError(f"it was taken: {url} {token}")
        except caisson.InvalidArgument:
            pass


@case("python.request")
async def _(place):
    schema = await place.agent.request("GET", "/v1/config/schema")
    assert isinstance(schema, dict) and "properties" in json.dumps(schema)[:200_000]
    await refused(
        place.agent.request("POST", "/v1/sandboxes", body={"taskId": "a", "netwrok": "none"}), caisson.InvalidArgument
    )
