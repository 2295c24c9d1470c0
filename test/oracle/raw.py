"""Runs commands as Python does, for the side of the oracle that is not Caisson.

One request a line on stdin: {"id", "argv", "cwd", "env", "stdin", "tty", "seconds"}; one answer a line on stdout:
{"id", "stdout", "stderr", "code"}. Bytes are base64. `code` is negative for a signal, and null when the time was up.
A process that has outlived its command may hold a stream, so that reading ends soon after the command.
"""

import base64
import fcntl
import json
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

answers = threading.Lock()
quiet_seconds = 0.15


def main():
    for line in sys.stdin:
        threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()


def answer(request):
    try:
        said = run(request)
    except Exception as error:
        said = {"error": repr(error)}
    with answers:
        print(json.dumps({"id": request["id"], **said}), flush=True)


def run(request):
    return on_terminal(request) if request["tty"] else on_pipes(request)


def on_pipes(request):
    stdin = base64.b64decode(request["stdin"]) if request["stdin"] is not None else None
    child = start(request, stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # A command of another user may open its streams by their names.
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            os.fchmod(stream.fileno(), 0o666)
    if stdin is not None:
        threading.Thread(target=feed, args=(child, stdin), daemon=True).start()
    read = collect(child, {child.stdout.fileno(): "stdout", child.stderr.fileno(): "stderr"}, request["seconds"])
    for stream in (child.stdout, child.stderr):
        stream.close()
    return read


def on_terminal(request):
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    child = start({**request, "argv": ["setsid", "-c", *request["argv"]]}, stdin=slave, stdout=slave, stderr=slave,
                  start_new_session=False)
    os.close(slave)
    read = collect(child, {master: "stdout"}, request["seconds"])
    os.close(master)
    return {"stderr": "", **read}


def start(request, start_new_session=True, **streams):
    return subprocess.Popen(request["argv"], cwd=request["cwd"], env=request["env"],
                            start_new_session=start_new_session, **streams)


def feed(child, stdin):
    try:
        child.stdin.write(stdin)
        child.stdin.close()
    except BrokenPipeError:
        pass  # The command reads no more.


def collect(child, names, seconds):
    parts = {name: [] for name in names.values()}
    ended = os.pidfd_open(child.pid)
    poll = select.poll()
    for fd in (*names, ended):
        poll.register(fd, select.POLLIN)
    until, over, timed_out, left = time.monotonic() + seconds, False, False, set(names)
    while left:
        wait = quiet_seconds if over else until - time.monotonic()
        ready = poll.poll(max(0, wait * 1000))
        if not ready and over:
            break
        if not ready:
            timed_out = True
            os.killpg(child.pid, signal.SIGKILL)
            until = time.monotonic() + 5
        for fd, _ in ready:
            if fd == ended:
                over = True
                poll.unregister(ended)
                continue
            piece = read_some(fd)
            parts[names[fd]].append(piece)
            if not piece:
                poll.unregister(fd)
                left.discard(fd)
    code = wait_for(child, until)
    os.close(ended)
    return {"code": None if timed_out else code,
            **{name: base64.b64encode(b"".join(each)).decode() for name, each in parts.items()}}


def read_some(fd):
    try:
        return os.read(fd, 65536)
    except OSError:
        return b""  # A terminal without a process on it.


def wait_for(child, until):
    try:
        return child.wait(max(0.1, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return None


main()
