"""Files: contents, directories, changes, archives and watches."""

import asyncio
import hashlib
import io
import os
import tarfile

from caisson import AlreadyExists, Conflict, Edit, FailedPrecondition, InvalidArgument, NotFound, PolicyDenied
from place import case, equal, refused


def digest(data):
    return hashlib.sha256(data).hexdigest()


@case("files.read.whole")
async def _(place):
    path = f"{await place.directory()}/f"
    data = bytes(range(256))
    await place.agent.files.write(place.task, path, data)
    content = await place.other.files.read(place.task, path)
    equal((content.data, content.size, content.sha256), (data, 256, digest(data)))


@case("files.read.range")
async def _(place):
    path = f"{await place.directory()}/f"
    await place.agent.files.write(place.task, path, "0123456789")
    part = await place.agent.files.read(place.task, path, offset=3, length=4)
    equal((part.data, part.size, part.sha256), (b"3456", 10, None))
    equal((await place.agent.files.read(place.task, path, offset=20)).data, b"")


@case("files.read.empty")
async def _(place):
    path = f"{await place.directory()}/f"
    await place.agent.files.write(place.task, path, "")
    content = await place.agent.files.read(place.task, path)
    equal((content.data, content.size, content.sha256), (b"", 0, digest(b"")))
    equal(await place.agent.files.read_whole(place.task, path), b"")


@case("files.read.too-much")
async def _(place):
    path = f"{await place.directory()}/f"
    await place.agent.files.write(place.task, path, "x")
    await refused(place.agent.files.read(place.task, path, length=16 * 2**20 + 1), InvalidArgument)


@case("files.read.relative")
async def _(place):
    name = place.name("relative")
    await place.agent.files.write(place.task, name, "here")
    where = (await place.agent.run(["pwd", "-P"], task=place.task)).stdout.text.strip()
    equal((await place.agent.files.read(place.task, f"{where}/{name}")).data, b"here")
    await place.agent.files.remove(place.task, name)


@case("files.read.refused")
async def _(place):
    files, task = place.agent.files, place.task
    await refused(files.read(task, "/no/such/file"), NotFound)
    await refused(files.read(task, "/usr"), FailedPrecondition)
    await refused(files.read(task, "/dev/null"), InvalidArgument)
    await refused(files.read(task, ""), InvalidArgument)
    await refused(files.read("never-made", "/etc/hosts"), NotFound)
    await refused(files.read("../../tokens", "/etc/hosts"), InvalidArgument)


@case("files.stream.parts")
async def _(place):
    path = f"{await place.directory()}/large"
    data = os.urandom(9 * 2**20)
    await place.agent.files.write(place.task, path, data)
    parts = [part async for part in place.agent.files.stream(place.task, path)]
    assert b"".join(parts) == data and len(parts) > 9


@case("files.stream.missing")
async def _(place):
    await refused(place.agent.files.read_whole(place.task, "/no/such/file"), NotFound)


@case("files.stat.kinds")
async def _(place):
    dir = await place.directory()
    await place.sh(f"cd {dir} && printf 12345 >f && chmod 640 f && mkdir d && ln -s f l")
    file, directory, link = [await place.agent.files.stat(place.task, f"{dir}/{name}") for name in "fdl"]
    equal((file.name, file.kind, file.size, file.mode), ("f", "file", 5, 0o640))
    equal((directory.kind, link.kind, link.target), ("directory", "symlink", "f"))


@case("files.list.order")
async def _(place):
    dir = await place.directory()
    for name in ("b.txt", ".hidden", "sub/c.txt", "-rf", "new\nline", "é世界"):
        await place.agent.files.write(place.task, f"{dir}/{name}", "x")
    listing = await place.agent.files.list(place.task, dir)
    equal([entry.name for entry in listing.entries], ["-rf", ".hidden", "b.txt", "new\nline", "sub", "é世界"])
    equal(listing.truncated, False)


@case("files.list.refused")
async def _(place):
    await refused(place.agent.files.list(place.task, "/etc/hosts"), FailedPrecondition)
    await refused(place.agent.files.list(place.task, "/no/such/directory"), NotFound)


@case("files.search.text")
async def _(place):
    dir = await place.directory()
    for name, text in {"a.txt": "one\nneedle (1)\n", "sub/b.txt": "needle (2)\n", "c.md": "needle (3)\n"}.items():
        await place.agent.files.write(place.task, f"{dir}/{name}", text)
    found = await place.agent.files.search(place.task, dir, "needle (", name="*.txt")
    equal(
        sorted((match.path[len(dir) :], match.line, match.text) for match in found.matches),
        [("/a.txt", 2, "needle (1)"), ("/sub/b.txt", 1, "needle (2)")],
    )


@case("files.search.regex")
async def _(place):
    dir = await place.directory()
    await place.agent.files.write(place.task, f"{dir}/f", "cat\ncot\ncut\ndog\n")
    found = await place.agent.files.search(place.task, dir, "c[ao]t", regex=True)
    equal([match.text for match in found.matches], ["cat", "cot"])
    equal((await place.agent.files.search(place.task, dir, "c[ao]t")).matches, [])


@case("files.search.most")
async def _(place):
    dir = await place.directory()
    await place.agent.files.write(place.task, f"{dir}/f", "x\n" * 20)
    found = await place.agent.files.search(place.task, dir, "x", most=5)
    equal((len(found.matches), found.truncated), (5, True))


@case("files.write.made")
async def _(place):
    path = f"{await place.directory()}/deep/er/f"
    written = await place.agent.files.write(place.task, path, b"\1\2\3")
    equal((written.size, written.sha256), (3, digest(b"\1\2\3")))


@case("files.write.mode")
async def _(place):
    path = f"{await place.directory()}/program"
    await place.sh(f"echo old >{path}; chmod 750 {path}")
    await place.agent.files.write(place.task, path, "new")
    equal((await place.agent.files.stat(place.task, path)).mode, 0o750)


@case("files.write.expected")
async def _(place):
    files, path = place.agent.files, f"{await place.directory()}/f"
    await files.write(place.task, path, "one", expected=None)
    await refused(files.write(place.task, path, "two", expected=None), Conflict)
    await refused(files.write(place.task, path, "two", expected=digest(b"x")), Conflict)
    equal(await files.read_whole(place.task, path), b"one")
    await files.write(place.task, path, "two", expected=digest(b"one"))
    equal(await files.read_whole(place.task, path), b"two")


@case("files.write.large")
async def _(place):
    """From a file that is open, in pieces."""
    path, data = f"{await place.directory()}/large", b"\7" * (20 * 2**20)
    written = await place.agent.files.write(place.task, path, io.BytesIO(data))
    equal((written.size, written.sha256), (len(data), digest(data)))


@case("files.patch.edits")
async def _(place):
    files, path = place.agent.files, f"{await place.directory()}/code"
    await files.write(place.task, path, "let a = 1;\nlet b = 2;\n")
    edited = await files.patch(place.task, path, [Edit("a = 1", "a = 3")])
    equal(edited.sha256, digest(b"let a = 3;\nlet b = 2;\n"))
    await refused(files.patch(place.task, path, [Edit("a = 3", "x"), Edit("nowhere", "x")]), InvalidArgument)
    await refused(files.patch(place.task, path, [Edit("let", "x")]), InvalidArgument)
    all = await files.patch(place.task, path, [Edit("let", "var", all=True)])
    equal(all.sha256, digest(b"var a = 3;\nvar b = 2;\n"))


@case("files.patch.diff")
async def _(place):
    files, path = place.agent.files, f"{await place.directory()}/code"
    await files.write(place.task, path, "let a = 3;\nlet b = 2;\n")
    diff = "--- a\n+++ b\n@@ -1,2 +1,3 @@\n let a = 3;\n+// é\n let b = 2;\n"
    patched = await files.patch(place.task, path, diff=diff)
    equal(patched.sha256, digest("let a = 3;\n// é\nlet b = 2;\n".encode()))


@case("files.patch.missing")
async def _(place):
    path = f"{await place.directory()}/none"
    await refused(place.agent.files.patch(place.task, path, [Edit("a", "b")]), NotFound)


@case("files.move.moved")
async def _(place):
    files, dir, task = place.agent.files, await place.directory(), place.task
    for name in "ab":
        await files.write(task, f"{dir}/{name}", name)
    await refused(files.move(task, f"{dir}/a", f"{dir}/b"), AlreadyExists)
    await files.move(task, f"{dir}/a", f"{dir}/b", replace=True)
    equal(await files.read_whole(task, f"{dir}/b"), b"a")


@case("files.remove.removed")
async def _(place):
    files, dir, task = place.agent.files, await place.directory(), place.task
    await files.write(task, f"{dir}/sub/f", "x")
    await refused(files.remove(task, f"{dir}/sub"), FailedPrecondition)
    await files.remove(task, f"{dir}/sub", recursive=True)
    equal((await files.list(task, dir)).entries, [])
    await refused(files.remove(task, f"{dir}/sub"), NotFound)


@case("files.remove.root")
async def _(place):
    await refused(place.agent.files.remove(place.task, "/", recursive=True), InvalidArgument)


@case("files.write.denied")
async def _(place):
    task = await place.fresh("asked")
    path = f"{await place.directory(task)}/denied.txt"
    await refused(place.agent.files.write(task, path, "x"), PolicyDenied)


@case("files.archive.tree")
async def _(place):
    files, dir, task = place.agent.files, await place.directory(), place.task
    await place.sh(f"cd {dir} && mkdir -p tree/sub && echo one >'tree/sub/a b' && ln -s 'sub/a b' tree/in && echo x >tree/p")
    archive = b"".join([part async for part in files.archive(task, f"{dir}/tree")])
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        assert {"./sub/a b", "./p"} <= set(tar.getnames()), tar.getnames()
    unpacked = await files.unpack(task, f"{dir}/again", [archive[:1000], archive[1000:]])
    equal((unpacked.files, unpacked.skipped), (2, []))
    equal((await place.sh(f"cat {dir}/again/in")).stdout.text, "one\n")


@case("files.archive.missing")
async def _(place):
    async def read():
        return [part async for part in place.agent.files.archive(place.task, "/no/such/tree")]

    await refused(read(), NotFound)


@case("files.unpack.cut")
async def _(place):
    dir = await place.directory()
    await refused(place.agent.files.unpack(place.task, dir, b"no archive" * 100), InvalidArgument)
    equal((await place.agent.files.list(place.task, dir)).entries, [])


@case("files.watch.changes")
async def _(place):
    dir = await place.directory()

    async def later():
        await asyncio.sleep(1)
        await place.agent.files.write(place.task, f"{dir}/new", "x")

    writing = asyncio.ensure_future(later())
    async for change in place.agent.files.watch(place.task, dir, interval_ms=200):
        # The file that is being written has another name for a moment.
        if (change.type, change.path, change.kind) == ("created", "new", "file"):
            break
    await writing
