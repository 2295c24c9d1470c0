"""A client of a Caisson service: sandboxes, commands with streams that resume, files, sessions, processes, approvals.

`Caisson` blocks, `AsyncCaisson` is for asyncio; both have the same nouns and verbs. Nothing but the standard library of Python
3.9 or newer is used. The service is reached over TCP, TLS, or the unix socket of its state directory.

    with Caisson.local() as caisson:
        result = caisson.run(["make"], task="build")
        print(result.exit.exit_code, result.stdout.text)

What a command did is never an exception: it is an `Exit`. Exceptions are `CaissonError`, one class for each code.
"""

from __future__ import annotations

import abc
import asyncio
import base64
import binascii
import contextlib
import dataclasses
import hashlib
import inspect
import json
import math
import os
import random
import re
import secrets
import socket
import ssl
import stat as stat_modes
import struct
import threading
import time
import typing
from dataclasses import dataclass, field
from types import TracebackType
from typing import (
    Any,
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Coroutine,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    Type,
    TypeVar,
    Union,
    cast,
)
from urllib.parse import quote, urlencode, urlsplit

__version__ = "0.1.0"

T = TypeVar("T")
Json = Dict[str, Any]
#: Bytes to send: in memory, in pieces, or a file that is open for reading.
Source = Union[bytes, bytearray, str, Iterable[bytes], AsyncIterable[bytes], typing.BinaryIO]
#: Called with `stdout` or `stderr`, and the bytes. What it answers is awaited where that can be awaited.
OnOutput = Callable[[str, bytes], Any]


# --- Errors ---------------------------------------------------------------------------------------------------------


class CaissonError(Exception):
    """Caisson could not give what was asked. `code` is to decide by; the message and `remedy` are for a person."""

    code = "internal"

    def __init__(
        self,
        message: str,
        *,
        details: Optional[Mapping[str, Any]] = None,
        remedy: Optional[str] = None,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: Facts for programs, by code.
        self.details: Dict[str, Any] = dict(details or {})
        self.remedy = remedy
        #: HTTP status of the answer; None: it came in a stream, or from this client.
        self.status = status
        #: The request as the log of the service has it.
        self.request_id = request_id

    @property
    def retryable(self) -> bool:
        """Whether a repeated call may succeed without a change."""
        return self.code in ("resource_exhausted", "timed_out", "unavailable")

    @property
    def reason(self) -> Optional[str]:
        """`details.reason`, which tells apart what has the same code."""
        found = self.details.get("reason")
        return found if isinstance(found, str) else None

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class InvalidArgument(CaissonError):
    code = "invalid_argument"


class Unauthenticated(CaissonError):
    code = "unauthenticated"


class PermissionDenied(CaissonError):
    code = "permission_denied"


class NotFound(CaissonError):
    code = "not_found"


class AlreadyExists(CaissonError):
    code = "already_exists"


class FailedPrecondition(CaissonError):
    code = "failed_precondition"


class Conflict(CaissonError):
    code = "conflict"


class PolicyDenied(CaissonError):
    code = "policy_denied"


class ApprovalRequired(CaissonError):
    """`details["approvalId"]` is the question. The same request with the same `exec_id` goes on once it is answered."""

    code = "approval_required"


class NotSupported(CaissonError):
    code = "not_supported"


class ResourceExhausted(CaissonError):
    code = "resource_exhausted"


class TimedOut(CaissonError):
    """A step of Caisson ran out of time. A command that did has an exit instead."""

    code = "timed_out"


class Canceled(CaissonError):
    code = "canceled"


class Unavailable(CaissonError):
    code = "unavailable"


class Internal(CaissonError):
    code = "internal"


#: The class of each code.
ERRORS: Dict[str, Type[CaissonError]] = {
    each.code: each
    for each in (
        InvalidArgument,
        Unauthenticated,
        PermissionDenied,
        NotFound,
        AlreadyExists,
        FailedPrecondition,
        Conflict,
        PolicyDenied,
        ApprovalRequired,
        NotSupported,
        ResourceExhausted,
        TimedOut,
        Canceled,
        Unavailable,
        Internal,
    )
}


class _Away(Unavailable):
    """The service cannot be reached, or its connection was lost. `sent`: the service may have seen the request."""

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(
            message,
            details={"sent": sent},
            remedy="see whether the service runs, and is reached under this address",
        )
        self.sent = sent


#: Codes of answers that are no problem of Caisson: those of a proxy, or of another service.
_CODE_BY_STATUS = {
    400: "invalid_argument",
    401: "unauthenticated",
    403: "permission_denied",
    404: "not_found",
    405: "not_supported",
    406: "not_supported",
    409: "conflict",
    410: "not_found",
    412: "failed_precondition",
    413: "resource_exhausted",
    421: "permission_denied",
    422: "invalid_argument",
    429: "resource_exhausted",
    499: "canceled",
    501: "not_supported",
    502: "unavailable",
    503: "unavailable",
    504: "timed_out",
}
_MOST_TEXT = 16_384


def _error_of(status: Optional[int], problem: Any) -> CaissonError:
    """The error that an answer (RFC 9457), or an event of a stream, describes."""
    if isinstance(problem, dict) and problem.get("code") in ERRORS:
        details, remedy, request = (problem.get(key) for key in ("details", "remediation", "requestId"))
        return ERRORS[problem["code"]](
            str(problem.get("detail", "the service gave no reason"))[:_MOST_TEXT],
            details=details if isinstance(details, dict) else None,
            remedy=remedy[:_MOST_TEXT] if isinstance(remedy, str) else None,
            request_id=request[:128] if isinstance(request, str) else None,
            status=status,
        )
    return ERRORS[_CODE_BY_STATUS.get(status or 0, "internal")](
        f"the service answered with status {status}, and without a reason",
        remedy="check that the address is that of `caisson serve`, and what lies between",
        status=status,
    )


def _strange(what: str) -> Internal:
    return Internal(
        f"the service gave an answer of another form than this client knows: {what}",
        remedy="use the client of the version of the service, which GET /openapi.json names",
    )


# --- Records --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Where:
    """The place where a command ran."""

    backend: str
    task_id: str
    sandbox_id: str
    host: Optional[str] = None
    resource: Optional[str] = None
    recreated: bool = False


@dataclass(frozen=True)
class StreamEnd:
    """`complete`: whether all that the command wrote came to the service. None: that is not known."""

    bytes: int
    truncated: bool
    complete: Optional[bool]


@dataclass(frozen=True)
class Exit:
    """How a command ended. `exit_code` is None where no code exists; `reason` then says why."""

    reason: str
    exit_code: Optional[int]
    signal: Optional[str]
    stdout: StreamEnd
    stderr: StreamEnd
    notes: List[str]
    signal_guessed: bool = False
    duration_ms: float = 0
    background_open: bool = False
    survivors: Optional[List[Json]] = None
    redactions: Optional[int] = None

    @property
    def ok(self) -> bool:
        """It ended by itself, with the code 0."""
        return self.reason == "exited" and self.exit_code == 0


@dataclass(frozen=True)
class Kept:
    """Head and tail of a stream. `bytes` is what was written, `omitted_bytes` what is left out of `text`."""

    text: str
    bytes: int
    truncated: bool
    omitted_bytes: int
    cut_at: Optional[int] = None
    cut_to: Optional[int] = None


@dataclass(frozen=True)
class Result:
    """The end of a command, with its output collected."""

    exec_id: str
    where: Where
    exit: Exit
    stdout: Kept
    stderr: Kept
    lost_since: Optional[str] = None


@dataclass(frozen=True)
class SessionResult(Result):
    """`restored` and `lost`: what a shell that was started anew has of the state of the old one."""

    restored: bool = False
    lost: List[str] = field(default_factory=list)
    session_ended: bool = False
    end_status: Optional[int] = None


@dataclass(frozen=True)
class Sandbox:
    """A sandbox as it is recorded. `spec`, `effective` and `degraded` have the names of the HTTP API."""

    id: str
    task_id: str
    backend: str
    state: str
    spec: Json
    labels: Dict[str, str]
    created_at: str
    name: Optional[str] = None
    place: Optional[Json] = None
    effective: Optional[Json] = None
    degraded: List[Json] = field(default_factory=list)
    lost_since: Optional[str] = None
    ephemeral: bool = False
    idle_timeout_ms: Optional[float] = None
    lifetime_ms: Optional[float] = None
    generation: int = 1
    used_at: Optional[str] = None
    expires_at: Optional[str] = None


@dataclass(frozen=True)
class Inspected(Sandbox):
    """A sandbox with what its place says of it now, and what ends it."""

    resource: Optional[str] = None
    ends_by: List[Json] = field(default_factory=list)


@dataclass(frozen=True)
class Acquired:
    """`how`: created, found, started or recreated."""

    sandbox: Sandbox
    how: str
    lost_since: Optional[str] = None


@dataclass(frozen=True)
class SandboxPage:
    """One part of a list; `next_cursor` asks for the next one."""

    items: List[Sandbox]
    next_cursor: Optional[str] = None


@dataclass(frozen=True)
class ExecView:
    """An exec on record. `exit` is None while it runs."""

    id: str
    command: List[str]
    where: Where
    started_at: str
    exit: Optional[Exit] = None
    user: Optional[str] = None


@dataclass(frozen=True)
class ExecPage:
    items: List[ExecView]
    next_cursor: Optional[str] = None


@dataclass(frozen=True)
class Event:
    """An event of the record of an exec: started, stdout, stderr, gap or exit. `data` has the bytes of an output."""

    type: str
    exec_id: str
    seq: int
    at: str
    data: bytes = b""
    exit: Optional[Exit] = None
    where: Optional[Where] = None
    missing: int = 0
    stream: Optional[str] = None


@dataclass(frozen=True)
class Output:
    """Bytes of one of the streams of a command: `stdout` or `stderr`."""

    stream: str
    data: bytes


@dataclass(frozen=True)
class Detached:
    """`started` is False where a process of this id was there."""

    id: str
    started: bool
    where: Where


@dataclass(frozen=True)
class Process:
    id: str
    state: str
    command: List[str]
    pid: Optional[int] = None
    started_at: Optional[str] = None
    ended_at: Optional[str] = None
    duration_ms: Optional[float] = None
    reason: Optional[str] = None
    exit_code: Optional[int] = None
    signal: Optional[str] = None
    signal_guessed: bool = False
    supervised: bool = False
    background_open: bool = False
    input_open: bool = False
    task_id: Optional[str] = None
    sandbox_id: Optional[str] = None
    note: Optional[str] = None


@dataclass(frozen=True)
class Killed:
    process: Process
    survivors: Optional[List[Json]] = None


@dataclass(frozen=True)
class Session:
    name: str
    open: bool
    restored: bool
    lost: List[str]
    shell: Optional[str] = None


@dataclass(frozen=True)
class Entry:
    """A file, directory or link. `modified_at` is RFC 3339; `target` is that of a link."""

    name: str
    kind: str
    size: int
    mode: int
    modified_at: str
    target: Optional[str] = None


@dataclass(frozen=True)
class Listing:
    entries: List[Entry]
    truncated: bool


@dataclass(frozen=True)
class Written:
    size: int
    sha256: str


@dataclass(frozen=True)
class Content:
    """A part of a file. `size` is that of the whole file, `sha256` its digest where the part is all of it."""

    data: bytes
    size: int
    sha256: Optional[str] = None


@dataclass(frozen=True)
class Match:
    path: str
    line: int
    text: str


@dataclass(frozen=True)
class Found:
    matches: List[Match]
    truncated: bool
    withheld: int = 0


@dataclass(frozen=True)
class Unpacked:
    files: int
    directories: int
    bytes: int
    skipped: List[Json]


@dataclass(frozen=True)
class Change:
    """A change in a watched directory: created, modified, removed, overflow or end."""

    type: str
    path: Optional[str] = None
    kind: Optional[str] = None
    reason: Optional[str] = None
    missed: Optional[int] = None
    path_bytes: Optional[str] = None


@dataclass(frozen=True)
class Approval:
    """A question about a command. `choices` are those that it offers."""

    id: str
    task_id: str
    state: str
    display: str
    choices: List[str]
    title: str = ""
    asked_by: Optional[str] = None
    asked_at: str = ""
    expires_at: Optional[str] = None
    stdin: bool = False
    input: Optional[str] = None
    variables: List[str] = field(default_factory=list)
    rule: Optional[str] = None
    warnings: List[str] = field(default_factory=list)
    diff: Optional[str] = None
    findings: List[str] = field(default_factory=list)
    backend: str = ""
    cwd: Optional[str] = None
    choice: Optional[str] = None
    answered_by: Optional[str] = None


@dataclass(frozen=True)
class Left:
    id: str
    why: str


@dataclass(frozen=True)
class AnsweredAll:
    answered: List[str]
    left: List[Left]


@dataclass(frozen=True)
class Grant:
    id: str
    task_id: str


@dataclass(frozen=True)
class Decision:
    """`verdict`: allow, ask or deny."""

    verdict: str
    tier: str
    findings: List[Json]


@dataclass(frozen=True)
class StateChange:
    """An event of the service. `data` has the names of the HTTP API."""

    type: str
    seq: int
    at: str
    owner: str
    data: Json
    author: str = ""
    reason: Optional[str] = None


@dataclass(frozen=True)
class SandboxSpec:
    """The wanted sandbox, for `create` and for a command that may have to make it. None: as configured.

    `limits` has `cpuCores`, `memoryBytes`, `diskBytes` and `pids`. Times are in seconds; `math.inf` means never.
    """

    backend: Optional[str] = None
    image: Optional[str] = None
    limits: Optional[Mapping[str, Optional[float]]] = None
    network: Optional[str] = None
    persistent: Optional[bool] = None
    cwd: Optional[str] = None
    labels: Optional[Mapping[str, str]] = None
    idle_timeout: Optional[float] = None
    lifetime: Optional[float] = None
    allow_degraded: Optional[bool] = None
    recreate: Optional[bool] = None

    def _body(self) -> Json:
        return _given(
            backend=self.backend,
            image=self.image,
            limits=self.limits,
            network=self.network,
            persistent=self.persistent,
            cwd=self.cwd,
            labels=self.labels,
            allowDegraded=self.allow_degraded,
            recreate=self.recreate,
            **_times(idleTimeoutMs=self.idle_timeout, lifetimeMs=self.lifetime),
        )


@dataclass(frozen=True)
class Code:
    """A program instead of a command: python, node or bash."""

    language: str
    text: str


@dataclass(frozen=True)
class Edit:
    """An exact replacement in a text; `all` of its places, or the only one."""

    find: str
    replace: str
    all: bool = False


class _Unset:
    """Nothing was said, where None says something."""


UNSET = _Unset()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _given(**values: Any) -> Json:
    return {name: value for name, value in values.items() if value is not None}


def _times(**seconds: Optional[float]) -> Json:
    """Milliseconds; null for a time that never comes."""
    return {
        name: None if math.isinf(value) else value * 1000 if (value * 1000) % 1 else int(value * 1000)
        for name, value in seconds.items()
        if value is not None
    }


_hints: Dict[Any, Dict[str, Any]] = {}


def _made(kind: Any, value: Any, at: str = "it") -> Any:
    """Makes a record from an answer, and checks what this client or its caller relies on. Unknown fields are left out."""
    if kind is Any:
        return value
    origin = typing.get_origin(kind)
    if origin is Union:
        return None if value is None else _made(next(a for a in kind.__args__ if a is not type(None)), value, at)
    if origin is list:
        if not isinstance(value, list):
            raise _strange(f"{at} is no list")
        return [_made(kind.__args__[0], each, at) for each in value]
    if dataclasses.is_dataclass(kind):
        return _record(kind, value, at)
    wanted = {float: (int, float), dict: (dict,)}.get(origin or kind, (origin or kind,))
    if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
        raise _strange(f"{at} is no {getattr(kind, '__name__', 'object')}")
    return value


def _record(kind: Any, value: Any, at: str) -> Any:
    if not isinstance(value, dict):
        raise _strange(f"{at} is no object")
    hints = _hints.get(kind)
    if hints is None:
        hints = _hints[kind] = typing.get_type_hints(kind)
    made = {}
    for each in dataclasses.fields(kind):
        name = _camel(each.name)
        if name in value:
            made[each.name] = _made(hints[each.name], value[name], f"{at}.{name}")
        elif each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING:
            raise _strange(f"{at}.{name} is missing")
    return kind(**made)


def _answer(kind: Type[T], value: Any) -> T:
    return cast(T, _made(kind, value))


def _items(kind: Type[T], value: Any) -> List[T]:
    found = value.get("items") if isinstance(value, dict) else None
    return cast(List[T], _made(List[kind], found))  # type: ignore[valid-type]


# --- Places of bytes: blocking sockets, and those of asyncio --------------------------------------------------------

_CONNECT_SECONDS = 10.0
#: Streams of the service have a sign of life each few seconds.
_SILENT_SECONDS = 60.0
_IDLE_SECONDS = 4.0
_PIECE = 64 * 1024


@dataclass(frozen=True)
class _Address:
    """`path` of a unix socket, or `host` and `port`."""

    path: Optional[str] = None
    host: str = ""
    port: int = 0
    tls: Optional[ssl.SSLContext] = None
    authority: str = "localhost"


class _Line(abc.ABC):
    """A connection. What is asynchronous here never waits on a blocking one."""

    @abc.abstractmethod
    async def read(self, seconds: Optional[float]) -> bytes:
        """Some bytes; none at the end. Raises OSError, also when nothing came for so many seconds."""

    @abc.abstractmethod
    async def write(self, data: bytes) -> None:
        """Waits until more may be written."""

    @abc.abstractmethod
    def close(self) -> None:
        """At once, and more than once."""

    @property
    @abc.abstractmethod
    def is_usable(self) -> bool:
        """Whether it may carry another request here and now."""


class _Way(abc.ABC):
    """How the code below opens connections, waits, and does two things at once."""

    @abc.abstractmethod
    async def connect(self, to: _Address) -> _Line: ...

    @abc.abstractmethod
    async def sleep(self, seconds: float) -> None: ...

    @abc.abstractmethod
    async def call(self, work: Callable[[], T]) -> T:
        """Work that blocks, such as reading a file."""

    @abc.abstractmethod
    def beside(self, work: Coroutine[Any, Any, None]) -> Callable[[], None]:
        """Runs work beside the caller; the answer gives it up."""

    @abc.abstractmethod
    async def whole(self, work: Coroutine[Any, Any, None], seconds: float) -> None:
        """Does work to its end although the caller is cancelled meanwhile, for at most so long."""


class _BlockingLine(_Line):
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._is_closed = False

    async def read(self, seconds: Optional[float]) -> bytes:
        self._connection.settimeout(seconds)
        return self._connection.recv(_PIECE)

    async def write(self, data: bytes) -> None:
        self._connection.settimeout(None)
        self._connection.sendall(data)

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        # Wakes a thread that reads; a closed descriptor alone does not.
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    @property
    def is_usable(self) -> bool:
        if self._is_closed:
            return False
        # Bytes between two requests are an end of file, or do not belong to an answer.
        self._connection.setblocking(False)
        try:
            self._connection.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            pass
        return False


class _BlockingWay(_Way):
    async def connect(self, to: _Address) -> _Line:
        if to.path is not None:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(_CONNECT_SECONDS)
            try:
                connection.connect(to.path)
            except BaseException:
                connection.close()
                raise
            return _BlockingLine(connection)
        connection = socket.create_connection((to.host, to.port), _CONNECT_SECONDS)
        try:
            _tuned(connection)
            if to.tls is not None:
                connection = to.tls.wrap_socket(connection, server_hostname=to.host)
        except BaseException:
            connection.close()
            raise
        return _BlockingLine(connection)

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def call(self, work: Callable[[], T]) -> T:
        return work()

    def beside(self, work: Coroutine[Any, Any, None]) -> Callable[[], None]:
        threading.Thread(target=lambda: _now(work), daemon=True, name="caisson-input").start()
        return lambda: None

    async def whole(self, work: Coroutine[Any, Any, None], seconds: float) -> None:
        await work


class _AsyncLine(_Line):
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._loop = asyncio.get_running_loop()

    async def read(self, seconds: Optional[float]) -> bytes:
        if seconds is None:
            return await self._reader.read(_PIECE)
        # Cheaper than a task for each read. A connection that is closed so has no more bytes.
        timer = self._loop.call_later(seconds, self.close)
        try:
            return await self._reader.read(_PIECE)
        finally:
            timer.cancel()

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def close(self) -> None:
        if not self._loop.is_closed():
            self._writer.transport.abort()

    @property
    def is_usable(self) -> bool:
        # One of an event loop that has ended is of no use in the next one.
        return (
            self._loop is asyncio.get_running_loop() and not self._writer.is_closing() and not self._reader.at_eof()
        )


class _AsyncWay(_Way):
    async def connect(self, to: _Address) -> _Line:
        if to.path is not None:
            opening = asyncio.open_unix_connection(to.path)
        else:
            name = to.host if to.tls is not None else None
            opening = asyncio.open_connection(to.host, to.port, ssl=to.tls, server_hostname=name)
        try:
            reader, writer = await asyncio.wait_for(opening, _CONNECT_SECONDS)
        except asyncio.TimeoutError:
            raise OSError("the connection took too long") from None
        if to.path is None:
            _tuned(writer.get_extra_info("socket"))
        return _AsyncLine(reader, writer)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def call(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(None, work)

    def beside(self, work: Coroutine[Any, Any, None]) -> Callable[[], None]:
        task = asyncio.get_running_loop().create_task(work)

        def give_up() -> None:
            task.cancel()

        return give_up

    async def whole(self, work: Coroutine[Any, Any, None], seconds: float) -> None:
        task = asyncio.get_running_loop().create_task(work)
        end = time.monotonic() + seconds
        while not task.done() and time.monotonic() < end:
            # A second cancellation must not leave a command that runs on; it is passed on by the caller, who was cancelled.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({task}, timeout=end - time.monotonic())
        if not task.done():
            task.cancel()


def _tuned(connection: Any) -> None:
    with contextlib.suppress(OSError, AttributeError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def _now(work: Coroutine[Any, Any, T]) -> T:
    """Runs to its end what never waits, since its connections block."""
    try:
        work.send(None)
    except StopIteration as end:
        return cast(T, end.value)
    work.close()
    raise RuntimeError("a callback of the blocking client waits: give it one that is not async")


def _each(source: AsyncIterator[T]) -> Iterator[T]:
    """Items of a stream that never waits. It is closed when the loop is left."""
    stream = cast(AsyncGenerator[T, None], source)
    try:
        while True:
            try:
                item = _now(cast(Coroutine[Any, Any, T], stream.__anext__()))
            except StopAsyncIteration:
                return
            yield item
    finally:
        _now(cast(Coroutine[Any, Any, None], stream.aclose()))


# --- HTTP/1.1 and WebSocket -----------------------------------------------------------------------------------------

_MOST_HEAD = 64 * 1024
_MOST_BODY = 256 * 1024 * 1024
_MOST_EVENT = 64 * 1024 * 1024
_MOST_MESSAGE = 16 * 1024 * 1024
_TOKEN = re.compile(r"[\x21-\x7e]+\Z")


class _Incoming:
    """Reads a connection by lines and counts."""

    def __init__(self, line: _Line, seconds: Optional[float] = None) -> None:
        self.line = line
        self.seconds = seconds
        self.held = b""

    async def some(self, most: int) -> bytes:
        if not self.held:
            self.held = await self.line.read(self.seconds)
        taken, self.held = self.held[:most], self.held[most:]
        return taken

    async def exactly(self, count: int) -> bytes:
        parts = []
        while count > 0:
            part = await self.some(count)
            if not part:
                raise ConnectionError("the connection was cut")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    async def text_line(self) -> str:
        found = b""
        while b"\n" not in found:
            part = await self.some(_PIECE)
            if not part:
                raise ConnectionError("the connection was cut")
            found += part
            if len(found) > _MOST_HEAD + _PIECE:
                raise _strange("a line of its head is too long")
        first, rest = found.split(b"\n", 1)
        self.held = rest + self.held
        return first.rstrip(b"\r").decode("latin-1")

    async def fields(self) -> Dict[str, str]:
        found: Dict[str, str] = {}
        size = 0
        while True:
            text = await self.text_line()
            size += len(text)
            if text == "":
                return found
            name, colon, value = text.partition(":")
            if not colon or size > _MOST_HEAD:
                raise _strange("its head is no head of HTTP")
            name = name.strip().lower()
            found[name] = f"{found[name]}, {value.strip()}" if name in found else value.strip()


class _Response:
    """An answer whose body is read once. It is closed, or read to its end."""

    def __init__(self, incoming: _Incoming, status: int, headers: Dict[str, str], over: Callable[[bool], None]) -> None:
        self.status = status
        self.headers = headers
        self.trailers: Dict[str, str] = {}
        self._incoming = incoming
        self._over: Optional[Callable[[bool], None]] = over
        self._is_chunked = "chunked" in headers.get("transfer-encoding", "").lower()
        length = headers.get("content-length")
        if length is not None and not length.isdigit():
            raise _strange("its length is no number")
        self._left: Optional[int] = 0 if status == 204 else None if self._is_chunked or length is None else int(length)
        self._in_chunk = 0
        self._is_first = True
        if self._left == 0:
            self._end(True)

    @property
    def is_open(self) -> bool:
        return self._over is not None

    async def part(self) -> bytes:
        """Some bytes of the body; none at its end. Raises when it was cut."""
        if self._over is None:
            return b""
        try:
            return await self._next()
        except BaseException:
            self.close()
            raise

    async def _next(self) -> bytes:
        if self._is_chunked:
            return await self._chunk()
        part = await self._incoming.some(_PIECE if self._left is None else min(_PIECE, self._left))
        if self._left is None:
            if not part:
                self._end(False)
            return part
        if not part:
            raise ConnectionError("the answer was cut")
        self._left -= len(part)
        if self._left == 0:
            self._end(True)
        return part

    async def _chunk(self) -> bytes:
        if self._in_chunk == 0:
            if not self._is_first and await self._incoming.text_line() != "":
                raise _strange("a chunk of its body is longer than its size")
            self._is_first = False
            digits = (await self._incoming.text_line()).split(";")[0].strip()
            if not re.fullmatch(r"[0-9A-Fa-f]{1,12}", digits):
                raise _strange("a chunk of its body has no size")
            self._in_chunk = int(digits, 16)
            if self._in_chunk == 0:
                self.trailers = await self._incoming.fields()
                self._end(True)
                return b""
        part = await self._incoming.some(min(_PIECE, self._in_chunk))
        if not part:
            raise ConnectionError("the answer was cut")
        self._in_chunk -= len(part)
        return part

    def _end(self, is_whole: bool) -> None:
        over, self._over = self._over, None
        if over is not None:
            over(is_whole and "close" not in self.headers.get("connection", "").lower())

    def close(self) -> None:
        self._end(False)

    async def body(self, most: int = _MOST_BODY) -> bytes:
        parts: List[bytes] = []
        size = 0
        while True:
            part = await self.part()
            if not part:
                return b"".join(parts)
            size += len(part)
            if size > most:
                self.close()
                raise Internal("the service sent more than this client takes")
            parts.append(part)


class _Http:
    """Requests over a few connections, which are used again."""

    def __init__(self, way: _Way, address: _Address, headers: Mapping[str, str]) -> None:
        self.way = way
        self.address = address
        self.headers = dict(headers)
        self._idle: List[Tuple[_Line, float]] = []
        self._lock = threading.Lock()
        self._open: Set[_Line] = set()
        self.is_closed = False

    async def request(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str],
        body: Optional[Source],
        seconds: Optional[float],
    ) -> _Response:
        """Raises `Unavailable`, with `details.sent` False where the service surely has not seen the request."""
        framing = _framing(body)
        head = self._head(method, target, {**headers, **framing})
        data = b"" if "content-length" not in framing else _bytes(cast(Union[bytes, bytearray, str], body))
        line = await self._line()
        sent = False
        try:
            # In one piece: the kernel of the other side may wait 40 ms for the second one.
            await line.write(head + data[:_PIECE])
            sent = True
            try:
                if "content-length" in framing:
                    for at in range(_PIECE, len(data), _PIECE):
                        await line.write(data[at : at + _PIECE])
                elif body is not None:
                    await self._send(line, body)
                is_whole = True
            except OSError:
                # An answer may have come before all was sent: it says why the rest is not wanted.
                is_whole = False
            return await self._answer(line, seconds, is_whole)
        except _SourceBroke as broke:
            # Half of a content is worth nothing: the service drops what has come.
            self._drop(line)
            raise broke.error from None
        except (OSError, EOFError) as error:
            self._drop(line)
            raise _Away(f"the connection to the service was cut: {_named(error)}", sent=sent) from error
        except BaseException:
            self._drop(line)
            raise

    def _head(self, method: str, target: str, headers: Mapping[str, str]) -> bytes:
        fields = {"host": self.address.authority, **self.headers, **headers}
        for name, value in fields.items():
            if not _TOKEN.match(name) or "\r" in value or "\n" in value:
                raise InvalidArgument(f"the header {name!r} cannot be sent")
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        try:
            return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        except UnicodeEncodeError:
            raise InvalidArgument("a header has characters that cannot be sent") from None

    async def _send(self, line: _Line, body: Source) -> None:
        async for part in _safely(_parts(self.way, body)):
            if part:
                await line.write(b"%x\r\n%b\r\n" % (len(part), part))
        await line.write(b"0\r\n\r\n")

    async def _answer(self, line: _Line, seconds: Optional[float], is_whole: bool) -> _Response:
        incoming = _Incoming(line, seconds)
        status, headers = await _head_of(incoming)
        while 100 <= status < 200 and status != 101:
            status, headers = await _head_of(incoming)

        def over(stays: bool) -> None:
            self._put_back(line, stays and is_whole and not incoming.held)

        return _Response(incoming, status, headers, over)

    async def _line(self) -> _Line:
        if self.is_closed:
            raise Canceled("the client was closed")
        while True:
            with self._lock:
                found = self._idle.pop() if self._idle else None
            if found is None:
                break
            if time.monotonic() - found[1] < _IDLE_SECONDS and found[0].is_usable:
                return found[0]
            self._drop(found[0])
        return await self.opened()

    async def opened(self) -> _Line:
        try:
            line = await self.way.connect(self.address)
        except ssl.SSLCertVerificationError as error:
            raise FailedPrecondition(
                f"the certificate of the service is not trusted: {_named(error)}",
                remedy="give an ssl.SSLContext that trusts it as `tls`",
            ) from error
        except OSError as error:
            raise _Away(f"the service cannot be reached: {_named(error)}", sent=False) from error
        with self._lock:
            self._open.add(line)
        return line

    def _put_back(self, line: _Line, stays: bool) -> None:
        with self._lock:
            if stays and not self.is_closed and len(self._idle) < 8:
                self._idle.append((line, time.monotonic()))
                return
        self._drop(line)

    def _drop(self, line: _Line) -> None:
        with self._lock:
            self._open.discard(line)
        line.close()

    async def socket(self, target: str) -> "_WebSocket":
        line = await self.opened()
        try:
            return await _WebSocket.opened(line, self._head, target, lambda: self._drop(line))
        except (OSError, EOFError) as error:
            self._drop(line)
            raise _Away(f"the connection to the service was cut: {_named(error)}", sent=True) from error
        except BaseException:
            self._drop(line)
            raise

    def close(self) -> None:
        self.is_closed = True
        with self._lock:
            lines, self._open, self._idle = list(self._open), set(), []
        for line in lines:
            line.close()


async def _head_of(incoming: _Incoming) -> Tuple[int, Dict[str, str]]:
    found = re.match(r"HTTP/1\.[01] (\d{3})(?: |\Z)", await incoming.text_line())
    if found is None:
        raise _strange("it does not begin as one of HTTP")
    return int(found[1]), await incoming.fields()


def _named(error: BaseException) -> str:
    return (str(error) or type(error).__name__)[:300]


def _bytes(data: Union[bytes, bytearray, str]) -> bytes:
    return data.encode() if isinstance(data, str) else bytes(data)


def _framing(body: Optional[Source]) -> Dict[str, str]:
    if body is None:
        return {}
    if isinstance(body, (bytes, bytearray, str)):
        return {"content-length": str(len(_bytes(body)))}
    return {"transfer-encoding": "chunked"}


async def _parts(way: _Way, source: Source) -> AsyncIterator[bytes]:
    if isinstance(source, (bytes, bytearray, str)):
        data = _bytes(source)
        for at in range(0, len(data), _PIECE):
            yield data[at : at + _PIECE]
    elif hasattr(source, "read"):
        file = cast(typing.BinaryIO, source)
        while True:
            part = await way.call(lambda: file.read(_PIECE))
            if not part:
                return
            yield _bytes(part)
    elif hasattr(source, "__aiter__"):
        async for part in cast(AsyncIterable[bytes], source):
            yield part
    else:
        parts = iter(source)
        while True:
            following = await way.call(lambda: next(parts, None))
            if following is None:
                return
            yield following


class _SourceBroke(Exception):
    """The source of the caller has failed, and not the connection. It ends the input of a command, and fails an upload."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


async def _safely(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    while True:
        try:
            part = await parts.__anext__()
        except StopAsyncIteration:
            return
        except Exception as error:
            raise _SourceBroke(error) from error
        yield part


_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class _WebSocket:
    """RFC 6455, as far as a client that sends input needs it."""

    def __init__(self, line: _Line, incoming: _Incoming, drop: Callable[[], None]) -> None:
        self._line, self._incoming, self.close = line, incoming, drop

    @classmethod
    async def opened(
        cls,
        line: _Line,
        head: Callable[[str, str, Mapping[str, str]], bytes],
        target: str,
        drop: Callable[[], None],
    ) -> "_WebSocket":
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        fields = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
        await line.write(head("GET", target, {**fields, "sec-websocket-key": key}))
        incoming = _Incoming(line, _SILENT_SECONDS)
        status, headers = await _head_of(incoming)
        if status != 101:
            raise _error_of(status, None)
        # No secret: it shows that the other side has understood the request.
        proof = base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()
        if headers.get("sec-websocket-accept") != proof:
            raise _strange("it does not open a WebSocket")
        incoming.seconds = None
        return cls(line, incoming, drop)

    async def send(self, data: Union[bytes, str]) -> None:
        payload = _bytes(data)
        await self._frame(0x1 if isinstance(data, str) else 0x2, payload)

    async def _frame(self, opcode: int, payload: bytes) -> None:
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
        elif size < 65_536:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
        mask = secrets.token_bytes(4)
        await self._line.write(head + mask + _masked(payload, mask))

    async def until_closed(self) -> Optional[Json]:
        """Reads until the service closes. The answer is the reason why it takes no input, or None."""
        said: Optional[Json] = None
        while True:
            first, second = await self._incoming.exactly(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", await self._incoming.exactly(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", await self._incoming.exactly(8))
            if first & 0x70 or second & 0x80 or size > _MOST_MESSAGE:
                raise _strange("a frame is not one of a server")
            payload = await self._incoming.exactly(size)
            opcode = first & 0x0F
            if opcode == 0x8:
                with contextlib.suppress(OSError):
                    await self._frame(0x8, payload[:2])
                return said
            if opcode == 0x9:
                await self._frame(0xA, payload)
            elif opcode == 0x1:
                event = _parsed(payload)
                if isinstance(event, dict) and event.get("type") == "error":
                    said = event.get("error") or {}


def _masked(payload: bytes, mask: bytes) -> bytes:
    size = len(payload)
    wide = mask * (size // 4 + 1)
    return (int.from_bytes(payload, "big") ^ int.from_bytes(wide[:size], "big")).to_bytes(size, "big")


# --- Requests to the service: repeated where that is safe, answers checked, errors typed ----------------------------


class _Patience:
    """How long a service that was lost is tried again, and when: doubled each time up to two seconds, less a random part."""

    def __init__(self, wire: "_Wire", seconds: Optional[float] = None) -> None:
        self._wire = wire
        self._seconds = wire.resume_seconds if seconds is None else min(seconds, wire.resume_seconds)
        self._since: Optional[float] = None
        self._failures = 0

    def renew(self) -> None:
        self._since, self._failures = None, 0

    async def wait(self, error: BaseException) -> None:
        now = time.monotonic()
        if self._since is None:
            self._since = now
        left = self._seconds - (now - self._since)
        if left <= 0 or self._wire.http.is_closed:
            raise error
        delay = min(2.0, 0.1 * 2.0 ** min(self._failures, 10)) * (1 - random.random() / 2)
        self._failures += 1
        await self._wire.http.way.sleep(min(delay, left))


class _Wire:
    def __init__(self, http: _Http, resume_seconds: float) -> None:
        self.http = http
        self.resume_seconds = resume_seconds

    async def json(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Any] = None,
        source: Optional[Source] = None,
        headers: Optional[Mapping[str, str]] = None,
        repeatable: Optional[bool] = None,
        resume_seconds: Optional[float] = None,
    ) -> Any:
        """None for an answer without content."""
        patience = _Patience(self, resume_seconds)
        may_repeat = method == "GET" if repeatable is None else repeatable
        is_stream = source is not None and not isinstance(source, (bytes, bytearray, str))
        while True:
            try:
                response = await self.send(method, path, query=query, body=body, source=source, headers=headers)
                text = await self._whole(response)
                break
            except _Away as error:
                if not (may_repeat or (not error.sent and not is_stream)):
                    raise
                await patience.wait(error)
        if not text:
            return None
        found = _parsed(text)
        if found is _BROKEN:
            raise Internal(
                "the service gave an answer that is no JSON", remedy="check that the address is that of `caisson serve`"
            )
        return found

    async def content(self, path: str, query: Mapping[str, Any]) -> Tuple[Dict[str, str], bytes]:
        """The whole of a body, read again from its beginning where its connection was lost."""
        patience = _Patience(self)
        while True:
            try:
                response = await self.send("GET", path, query=query, accept=None)
                return response.headers, await self._whole(response)
            except _Away as error:
                await patience.wait(error)

    async def stream(self, path: str, query: Mapping[str, Any]) -> _Response:
        """Bytes as they come: once read, it is not tried again."""
        patience = _Patience(self)
        while True:
            try:
                return await self.send("GET", path, query=query, accept=None)
            except _Away as error:
                await patience.wait(error)

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Any] = None,
        source: Optional[Source] = None,
        headers: Optional[Mapping[str, str]] = None,
        accept: Optional[str] = "application/json",
        seconds: Optional[float] = None,
    ) -> _Response:
        fields = {**({"accept": accept} if accept else {}), **(headers or {})}
        content: Optional[Source] = source
        if body is not None:
            content = _written(body)
            fields["content-type"] = "application/json"
        elif source is not None:
            fields["content-type"] = "application/octet-stream"
        response = await self.http.request(method, path + _query(query or {}), fields, content, seconds)
        if 200 <= response.status < 300:
            return response
        raise await self._failure(response)

    async def _failure(self, response: _Response) -> CaissonError:
        try:
            text = await response.body(1024 * 1024)
        except OSError as error:
            return _Away(f"the answer was cut: {_named(error)}", sent=True)
        failure = _error_of(response.status, _parsed(text))
        stops = response.status == 503 and "retry-after" in response.headers
        is_proxy = response.status in (502, 504) and "problem+json" not in response.headers.get("content-type", "")
        # A service that stops, and a proxy without a service behind it, have begun nothing.
        return _Away(failure.message, sent=True) if stops or is_proxy else failure

    async def _whole(self, response: _Response) -> bytes:
        try:
            return await response.body()
        except (OSError, EOFError) as error:
            raise _Away(f"the answer was cut: {_named(error)}", sent=True) from error


def _written(body: Any) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(f"the request cannot be written as JSON: {_named(error)}") from None


_BROKEN = object()


def _parsed(text: bytes) -> Any:
    """Reads JSON. `_BROKEN`: the text is not JSON, or is nested too deep to be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _BROKEN


def _query(values: Mapping[str, Any]) -> str:
    pairs: List[Tuple[str, str]] = []
    for name, value in values.items():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is not None:
                pairs.append((name, str(each).lower() if isinstance(each, bool) else str(each)))
    try:
        return f"?{urlencode(pairs)}" if pairs else ""
    except UnicodeEncodeError:
        raise InvalidArgument("a name that is not UTF-8 cannot be asked for") from None


def _segment(name: str) -> str:
    """A name of the caller as a segment of a path, and never as another path."""
    if not isinstance(name, str) or name == "" or len(name) > 512 or re.fullmatch(r"\.+", name):
        raise InvalidArgument(f"{str(name)[:64]!r} is no name")
    try:
        return quote(name, safe="")
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name[:64]!r} is no name") from None


_EXEC_ID = re.compile(r"exec_[A-Za-z0-9_-]{1,64}\Z")


def new_exec_id() -> str:
    """An id for a command, for a caller that must know it before the command starts."""
    return f"exec_{secrets.token_hex(16)}"


def _exec_id(given: Optional[str]) -> str:
    """The id of an exec is always chosen here: by it a request that is sent twice runs once."""
    if given is None:
        return new_exec_id()
    if not isinstance(given, str) or not _EXEC_ID.match(given):
        raise InvalidArgument("the id of an exec is exec_ and 1 to 64 of [A-Za-z0-9_-]")
    return given


class _Lines:
    """Lines of NDJSON. A last line without an end was cut and is left out."""

    def __init__(self, response: _Response) -> None:
        self._response = response
        self._held: List[bytes] = []
        self._size = 0
        self._ready: List[bytes] = []

    async def next(self) -> Optional[Json]:
        while True:
            while self._ready:
                line = self._ready.pop(0)
                if line:
                    return self._event(line)
            try:
                part = await self._response.part()
            except (OSError, EOFError) as error:
                raise _Away(f"the stream was cut: {_named(error)}", sent=True) from error
            if not part:
                return None
            self._take(part)

    def _take(self, part: bytes) -> None:
        first, *more = part.split(b"\n")
        self._held.append(first)
        self._size += len(first)
        if self._size > _MOST_EVENT:
            raise Internal("the service sent a line that is too long")
        for following in more:
            self._ready.append(b"".join(self._held))
            self._held, self._size = [following], len(following)

    def _event(self, line: bytes) -> Json:
        event = _parsed(line)
        if not isinstance(event, dict):
            raise Internal("the service sent a line that is no event")
        return event

    def close(self) -> None:
        self._response.close()


@dataclass(frozen=True)
class _Ask:
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Optional[Json] = None


class _Followed:
    """Events of a record, over as many connections as it takes: each once, and in order."""

    def __init__(
        self,
        wire: _Wire,
        first: _Ask,
        following: Callable[[int], _Ask],
        *,
        after: int = 0,
        is_last: Optional[Callable[[Json], bool]] = None,
        endless: bool = False,
    ) -> None:
        self._wire, self._first, self._following = wire, first, following
        self._after = self.seen = after
        self._is_last, self._endless = is_last, endless
        self._patience = _Patience(wire)
        self._lines: Optional[_Lines] = None
        self._is_over = False

    async def next(self) -> Optional[Json]:
        """None at the end. Raises what the stream says of itself, and `Unavailable` when the service stays away."""
        while not self._is_over:
            try:
                event = await self._event()
            except _Away as error:
                self.close_line()
                await self._patience.wait(error)
                continue
            except BaseException:
                self.close()
                raise
            if event is None:
                self.close()
                return None
            number = event.get("seq")
            if isinstance(number, int):
                if number <= self.seen:
                    continue
                self.seen = number
            self._patience.renew()
            if self._is_last is not None and self._is_last(event):
                self._is_over = True
            return event
        await self._finish()
        return None

    async def _event(self) -> Optional[Json]:
        if self._lines is None:
            ask = self._first if self.seen == self._after else self._following(self.seen)
            self._lines = _Lines(
                await self._wire.send(
                    ask.method,
                    ask.path,
                    query=ask.query,
                    body=ask.body,
                    accept="application/x-ndjson",
                    seconds=_SILENT_SECONDS,
                )
            )
        while True:
            event = await self._lines.next()
            if event is None:
                if self._is_last is None and not self._endless:
                    return None
                raise _Away("the stream of the service ended before its end", sent=True)
            if event.get("type") == "ping":
                continue
            if event.get("type") == "error":
                raise _error_of(None, event.get("error"))
            if event.get("type") == "closing":
                raise _Away("the service stops", sent=True)
            return event

    async def _finish(self) -> None:
        """Reads the rest of an answer, so that its connection is used again."""
        lines, self._lines = self._lines, None
        if lines is None:
            return
        with contextlib.suppress(_Away, CaissonError):
            await lines.next()
        lines.close()

    def close_line(self) -> None:
        lines, self._lines = self._lines, None
        if lines is not None:
            lines.close()

    def close(self) -> None:
        self._is_over = True
        self.close_line()


def _event_in(sent: Json) -> Optional[Event]:
    """None for an event of another kind, such as a question."""
    kind = sent.get("type")
    if kind not in ("started", "stdout", "stderr", "gap", "exit"):
        return None
    extra: Dict[str, Any] = {}
    if kind in ("stdout", "stderr"):
        extra["data"] = _data_in(sent)
    elif kind == "exit":
        extra["exit"] = _answer(Exit, sent.get("exit"))
    elif kind == "started":
        extra["where"] = _answer(Where, sent.get("where"))
    else:
        extra.update(missing=_made(int, sent.get("bytes")), stream=_made(str, sent.get("stream")))
    place = {name: _made(kind_, sent.get(_camel(name)), name) for name, kind_ in _PLACE}
    return Event(type=kind, **place, **extra)


_PLACE: Tuple[Tuple[str, Any], ...] = (("exec_id", str), ("seq", int), ("at", str))


def _data_in(sent: Json) -> bytes:
    data = sent.get("data")
    if not isinstance(data, str):
        raise _strange("an output is no text")
    if sent.get("encoding") != "base64":
        return data.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        raise _strange("an output is no base64") from None


# --- Execs ----------------------------------------------------------------------------------------------------------

#: A body of the service has two megabytes, and escapes may double a text.
_MOST_INPUT = 512 * 1024
_GIVING_UP = (asyncio.CancelledError, KeyboardInterrupt, SystemExit)
_CANCEL_SECONDS = 30.0
_LEAVE_SECONDS = 3.0


async def _cancel_quietly(wire: _Wire, exec_id: str) -> None:
    """It may have ended, or not have started: then leaving has taken it back."""
    with contextlib.suppress(CaissonError):
        # A caller that gives up does not wait a minute for a service that is gone.
        await wire.json("DELETE", f"/v1/execs/{exec_id}", repeatable=True, resume_seconds=_LEAVE_SECONDS)


class _Input:
    """The stdin of a command, through a socket that is opened when it is first needed."""

    def __init__(self, wire: _Wire, exec_id: str) -> None:
        self._wire, self._exec_id = wire, exec_id
        self._socket: Optional[_WebSocket] = None
        self._is_ended = self._is_done = False

    async def write(self, data: Union[bytes, str]) -> None:
        if self._is_ended:
            raise FailedPrecondition("the input was ended before")
        payload = _bytes(data)
        for at in range(0, len(payload), _PIECE):
            await self._send(payload[at : at + _PIECE])

    async def end(self) -> None:
        if not self._is_ended:
            self._is_ended = True
            await self._send('{"type":"end"}')

    async def _send(self, message: Union[bytes, str]) -> None:
        if self._socket is None:
            opened = await self._opened()
            if self._is_done:
                opened.close()
                raise FailedPrecondition("the command has ended")
            self._socket = opened
        try:
            await self._socket.send(message)
        except OSError as error:
            self._is_ended = True
            raise Unavailable(
                "the connection of the input was lost: how much of it the command has got is not known",
                remedy="cancel the command, or send the input as `input` of a run",
            ) from error

    async def _opened(self) -> _WebSocket:
        patience = _Patience(self._wire)
        while True:
            try:
                return await self._wire.http.socket(f"/v1/execs/{self._exec_id}/stdin")
            except _Away as error:
                await patience.wait(error)

    async def feed(self, source: Source) -> None:
        """All of a source, then end of file. What a command does not read is not a failure."""
        try:
            with contextlib.suppress(_SourceBroke):
                async for part in _safely(_parts(self._wire.http.way, source)):
                    await self.write(part)
            await self.end()
            refusal = None if self._socket is None else await self._socket.until_closed()
            if refusal is None:
                return
        except (CaissonError, OSError, EOFError):
            pass
        if not self._is_done:
            # The command would wait for the rest of it for ever.
            await _cancel_quietly(self._wire, self._exec_id)

    def close(self) -> None:
        """The command has ended."""
        self._is_ended = self._is_done = True
        if self._socket is not None:
            self._socket.close()


@dataclass(frozen=True)
class _Wanted:
    path: str
    exec_id: str
    body: Json
    #: None: nothing, or it is in the body.
    input: Optional[Source] = None
    waits: bool = True
    on_asked: Optional[Callable[[str], Any]] = None

    def ask(self, **more: Any) -> _Ask:
        waits = {} if self.waits else {"waitForApproval": False}
        return _Ask("POST", self.path, body={**self.body, "execId": self.exec_id, **waits, **more})


class _Running:
    """A command that runs, or whose record is read: output as it comes, over lost connections, each byte once."""

    def __init__(self, wire: _Wire, wanted: _Wanted) -> None:
        self.id = wanted.exec_id
        self.where: Optional[Where] = None
        self.exit: Optional[Exit] = None
        #: Facts of the start: how the sandbox came to it, and what that lacks. None where it was found by its id.
        self.placed: Optional[Json] = None
        #: Bytes that are not in the record any more.
        self.missing = 0
        self._wire, self._wanted = wire, wanted
        self._is_given_up = False
        self.input = _Input(wire, self.id)
        self._events = _Followed(
            wire,
            wanted.ask(),
            lambda after: _Ask("GET", f"/v1/execs/{self.id}", {"after": after}),
            is_last=lambda event: event.get("type") == "exit",
        )

    async def started(self) -> None:
        while self.where is None:
            if await self._step() is None and self.where is None:
                raise FailedPrecondition(
                    "the beginning of the record of the exec is gone",
                    remedy="choose another id to run the command again",
                )

    async def next(self) -> Optional[Output]:
        """The next bytes; None once the command has ended, and `exit` is there."""
        while self.exit is None:
            event = None if self._is_given_up else await self._step()
            if event is None and self._is_given_up:
                raise FailedPrecondition("the reading of this command was given up", remedy="read `execs.logs` of its id")
            if event is None:
                raise Internal("the record of the exec ends before its end")
            if event.type in ("stdout", "stderr"):
                return Output(event.type, event.data)
        return None

    async def _step(self) -> Optional[Event]:
        try:
            return await self._read()
        except _GIVING_UP:
            self._events.close()
            await self._wire.http.way.whole(self._leave(), _CANCEL_SECONDS)
            raise

    async def _read(self) -> Optional[Event]:
        while True:
            sent = await self._events.next()
            if sent is None:
                return None
            if sent.get("type") == "approval-required" and self._wanted.on_asked is not None:
                await _called(self._wanted.on_asked, str(sent.get("approvalId"))[:64])
            event = _event_in(sent)
            if event is None:
                continue
            if event.type == "started":
                self.where, self.placed = event.where, sent.get("placed")
            elif event.type == "gap":
                self.missing += event.missing
            elif event.type == "exit":
                await self._end(cast(Exit, event.exit))
            return event

    async def _end(self, exit: Exit) -> None:
        note = f"{self.missing} bytes of its output are not in the record any more"
        self.exit = dataclasses.replace(exit, notes=[*exit.notes, note]) if self.missing else exit
        self.input.close()
        # The rest of the answer has nothing but its end: the connection is used again.
        await self._events.next()

    async def wait(self) -> Exit:
        """The exit. Output that was not read is passed over."""
        while await self.next() is not None:
            pass
        return cast(Exit, self.exit)

    async def collect(self) -> Tuple[bytes, bytes]:
        found: Dict[str, List[bytes]] = {"stdout": [], "stderr": []}
        while True:
            output = await self.next()
            if output is None:
                return b"".join(found["stdout"]), b"".join(found["stderr"])
            found[output.stream].append(output.data)

    async def cancel(self) -> Exit:
        """Kills the command with all that it started, and waits for its exit."""
        await self._wire.json("DELETE", f"/v1/execs/{self.id}", repeatable=True)
        return await self.wait()

    async def _leave(self) -> None:
        self.forget()
        if self.exit is None:
            await _cancel_quietly(self._wire, self.id)

    def forget(self) -> None:
        """Ends the reading. The command goes on."""
        self._is_given_up = True
        self._events.close()
        self.input.close()


async def _called(work: Callable[..., Any], *given: Any) -> None:
    answer = work(*given)
    if inspect.isawaitable(answer):
        await answer


async def _start(wire: _Wire, wanted: _Wanted) -> _Running:
    running = _Running(wire, wanted)
    try:
        await running.started()
    except BaseException:
        running.forget()
        raise
    return running


async def _run(wire: _Wire, wanted: _Wanted, kind: Type[T], on_output: Optional[OnOutput]) -> T:
    """Runs for the result alone: the service collects head and tail, and keeps the result for a client that comes back."""
    feeding = _Input(wire, wanted.exec_id)
    give_up = None if wanted.input is None else wire.http.way.beside(feeding.feed(wanted.input))
    try:
        if on_output is not None:
            await _hear(await _start(wire, wanted), on_output)
        return await _result(wire, wanted, kind)
    except _GIVING_UP:
        await wire.http.way.whole(_cancel_quietly(wire, wanted.exec_id), _CANCEL_SECONDS)
        raise
    finally:
        feeding.close()
        if give_up is not None:
            give_up()


async def _hear(running: _Running, on_output: OnOutput) -> None:
    try:
        while True:
            output = await running.next()
            if output is None:
                return
            try:
                await _called(on_output, output.stream, output.data)
            except Exception:
                # A callback that fails gets no more output, and its command does not run on unseen.
                await running._leave()
                raise
    finally:
        running.forget()


async def _result(wire: _Wire, wanted: _Wanted, kind: Type[T]) -> T:
    ask = wanted.ask(collect=True)
    events = _Followed(wire, ask, lambda _after: ask, is_last=lambda event: event.get("type") == "result")
    try:
        while True:
            sent = await events.next()
            if sent is None:
                raise Internal("the stream of the service has no result")
            if sent.get("type") == "result":
                result = _answer(kind, sent.get("result"))
                await events.next()
                return result
            if sent.get("type") == "approval-required" and wanted.on_asked is not None:
                await _called(wanted.on_asked, str(sent.get("approvalId"))[:64])
    finally:
        events.close()


def _command(command: Union[Sequence[str], Code]) -> Json:
    if isinstance(command, Code):
        return {"code": {"language": command.language, "text": command.text}}
    if isinstance(command, (str, bytes)):
        raise InvalidArgument(
            "a command is a list: the program and its arguments", remedy='give ["sh", "-c", text] for a text of a shell'
        )
    return {"command": list(command)}


def _input(given: Optional[Source]) -> Tuple[Json, Optional[Source]]:
    """A text goes with the request. What is larger, or no text, goes through a socket."""
    if given is None:
        return {}, None
    if isinstance(given, (bytes, bytearray)):
        try:
            text: Optional[str] = bytes(given).decode() if len(given) <= _MOST_INPUT else None
        except UnicodeDecodeError:
            text = None
    else:
        text = given if isinstance(given, str) else None
    if text is not None and len(text) <= _MOST_INPUT:
        return {"input": text}, None
    return {"stdin": True}, given


# --- Nouns, for asyncio ---------------------------------------------------------------------------------------------


class AsyncSandboxes:
    """Sandboxes: one for each task. `task` is a task id or a sandbox id, here and for every other noun."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire

    async def create(self, task: str, spec: SandboxSpec = SandboxSpec()) -> Acquired:
        """Gets the sandbox of the task, or makes it."""
        body = {"taskId": task, **spec._body()}
        return _answer(Acquired, await self._wire.json("POST", "/v1/sandboxes", body=body, repeatable=True))

    async def list(
        self,
        *,
        task: Optional[str] = None,
        backend: Optional[str] = None,
        state: Optional[str] = None,
        labels: Optional[Mapping[str, str]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> SandboxPage:
        """Lists sandboxes as they are recorded, oldest first."""
        label = [f"{key}={value}" for key, value in (labels or {}).items()]
        query = {"task": task, "backend": backend, "state": state, "label": label, "limit": limit, "cursor": cursor}
        return _answer(SandboxPage, await self._wire.json("GET", "/v1/sandboxes", query=query))

    async def get(self, task: str) -> Inspected:
        """Shows the record of a sandbox, and its state as its place has it now."""
        return _answer(Inspected, await self._wire.json("GET", f"/v1/sandboxes/{_segment(task)}"))

    async def update(
        self,
        task: str,
        *,
        labels: Optional[Mapping[str, Optional[str]]] = None,
        idle_timeout: Optional[float] = None,
        lifetime: Optional[float] = None,
    ) -> Sandbox:
        """Changes labels and times; a label of None is removed. What is absent stays as it is."""
        body = {**_given(labels=labels), **_times(idleTimeoutMs=idle_timeout, lifetimeMs=lifetime)}
        return _answer(Sandbox, await self._wire.json("PATCH", f"/v1/sandboxes/{_segment(task)}", body=body))

    async def start(self, task: str) -> Acquired:
        """Starts a sandbox that is stopped."""
        path = f"/v1/sandboxes/{_segment(task)}/start"
        return _answer(Acquired, await self._wire.json("POST", path, repeatable=True))

    async def touch(self, task: str) -> Sandbox:
        """Counts as a use of a sandbox that runs: its idle time begins anew."""
        path = f"/v1/sandboxes/{_segment(task)}/touch"
        return _answer(Sandbox, await self._wire.json("POST", path, repeatable=True))

    async def stop(self, task: str) -> None:
        """Ends all processes and keeps files."""
        await self._wire.json("POST", f"/v1/sandboxes/{_segment(task)}/stop", repeatable=True)

    async def remove(self, task: str, *, keep_files: bool = False) -> None:
        """Removes the sandbox and its files; with `keep_files` they stay for the next sandbox of the task."""
        query = {"keepFiles": True if keep_files else None}
        await self._wire.json("DELETE", f"/v1/sandboxes/{_segment(task)}", query=query)

    async def limits(self, task: str) -> Json:
        """Shows the controls in force, how each is known, and what is kept at the end."""
        return _answer(dict, await self._wire.json("GET", f"/v1/sandboxes/{_segment(task)}/limits"))

    async def stats(self, task: str) -> Json:
        """Reads the present use of processor and memory."""
        return _answer(dict, await self._wire.json("GET", f"/v1/sandboxes/{_segment(task)}/stats"))


class AsyncRunning:
    """A command that runs. Iterate over its output; `wait` gives the exit.

    The output is read as it is asked for: what is not read stays in the record of the service. Leaving an `async with` block
    before the command has ended cancels it, as does the cancellation of the task that reads.
    """

    def __init__(self, running: _Running) -> None:
        self._of = running

    @property
    def id(self) -> str:
        return self._of.id

    @property
    def where(self) -> Where:
        return cast(Where, self._of.where)

    @property
    def exit(self) -> Optional[Exit]:
        """None until the end was read."""
        return self._of.exit

    async def write(self, data: Union[bytes, str]) -> None:
        """Writes to the stdin of a command that was started with `stdin`."""
        await self._of.input.write(data)

    async def end_input(self) -> None:
        """End of file for its stdin."""
        await self._of.input.end()

    def __aiter__(self) -> AsyncIterator[Output]:
        return self

    async def __anext__(self) -> Output:
        output = await self._of.next()
        if output is None:
            raise StopAsyncIteration
        return output

    async def wait(self) -> Exit:
        """Passes over output that was not read."""
        return await self._of.wait()

    async def collect(self) -> Tuple[bytes, bytes]:
        """Reads the rest of stdout and stderr into memory."""
        return await self._of.collect()

    async def cancel(self) -> Exit:
        """Kills the command with all that it started."""
        return await self._of.cancel()

    def forget(self) -> None:
        """Ends the reading. The command goes on, and `execs.logs` has what it writes."""
        self._of.forget()

    async def __aenter__(self) -> "AsyncRunning":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._of._wire.http.way.whole(self._of._leave(), _CANCEL_SECONDS)


class AsyncExecs:
    """Commands and programs in sandboxes."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire

    async def run(
        self,
        command: Union[Sequence[str], Code],
        *,
        task: Optional[str] = None,
        spec: SandboxSpec = SandboxSpec(),
        cwd: Optional[str] = None,
        user: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        input: Optional[Source] = None,
        timeout: Optional[float] = None,
        output_limit: Optional[int] = None,
        exec_id: Optional[str] = None,
        wait_for_approval: bool = True,
        on_asked: Optional[Callable[[str], Any]] = None,
        on_output: Optional[OnOutput] = None,
    ) -> Result:
        """Runs a command with its output collected. Without a task it has a sandbox of its own.

        `timeout` is in seconds. `user` is a user of the sandbox, as `app` or `1000:1000`, on backends that have users. A cancelled task
        ends the command. `on_asked` gets the id of a question about the command.
        """
        more, source = _input(input)
        body = _exec_body(command, task, spec, cwd, env, timeout, output_limit, {**_given(user=user), **more})
        wanted = _Wanted("/v1/execs", _exec_id(exec_id), body, source, wait_for_approval, on_asked)
        return await _run(self._wire, wanted, Result, on_output)

    async def start(
        self,
        command: Union[Sequence[str], Code],
        *,
        task: Optional[str] = None,
        spec: SandboxSpec = SandboxSpec(),
        cwd: Optional[str] = None,
        user: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        stdin: bool = False,
        timeout: Optional[float] = None,
        output_limit: Optional[int] = None,
        exec_id: Optional[str] = None,
        wait_for_approval: bool = True,
        on_asked: Optional[Callable[[str], Any]] = None,
    ) -> AsyncRunning:
        """Starts a command whose output is read as it comes; with an id that was used, comes back to that command."""
        more = _given(user=user, stdin=True if stdin else None)
        body = _exec_body(command, task, spec, cwd, env, timeout, output_limit, more)
        wanted = _Wanted("/v1/execs", _exec_id(exec_id), body, None, wait_for_approval, on_asked)
        return AsyncRunning(await _start(self._wire, wanted))

    async def list(
        self, *, task: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None
    ) -> ExecPage:
        """Lists execs on record, newest first."""
        query = {"task": task, "limit": limit, "cursor": cursor}
        return _answer(ExecPage, await self._wire.json("GET", "/v1/execs", query=query))

    async def get(self, exec_id: str) -> ExecView:
        return _answer(ExecView, await self._wire.json("GET", f"/v1/execs/{_exec_id(exec_id)}"))

    async def cancel(self, exec_id: str) -> None:
        """Kills a command with all that it started."""
        await self._wire.json("DELETE", f"/v1/execs/{_exec_id(exec_id)}", repeatable=True)

    async def logs(self, exec_id: str, *, after: int = 0, follow: bool = False) -> AsyncIterator[Event]:
        """Events of the record of an exec, after one of this `seq`; with `follow`, until its exit."""
        path = f"/v1/execs/{_exec_id(exec_id)}"

        def asked(at: int) -> _Ask:
            return _Ask("GET", path, {"follow": follow, "after": at or None})

        last: Optional[Callable[[Json], bool]] = (lambda event: event.get("type") == "exit") if follow else None
        events = _Followed(self._wire, asked(after), asked, after=after, is_last=last)
        try:
            while True:
                sent = await events.next()
                if sent is None:
                    return
                event = _event_in(sent)
                if event is not None:
                    yield event
        finally:
            events.close()


def _exec_body(
    command: Union[Sequence[str], Code],
    task: Optional[str],
    spec: SandboxSpec,
    cwd: Optional[str],
    env: Optional[Mapping[str, str]],
    timeout: Optional[float],
    output_limit: Optional[int],
    more: Json,
) -> Json:
    given = _given(taskId=task, cwd=cwd, env=env, outputLimitBytes=output_limit)
    return {**spec._body(), **given, **_times(timeoutMs=timeout), **_command(command), **more}


class AsyncProcesses:
    """Commands that outlive their request and the service."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire

    async def start(
        self,
        command: Sequence[str],
        *,
        task: Optional[str] = None,
        spec: SandboxSpec = SandboxSpec(),
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        stdin: bool = False,
        timeout: Optional[float] = None,
        exec_id: Optional[str] = None,
        wait_for_approval: bool = True,
    ) -> Detached:
        more: Json = {"execId": _exec_id(exec_id), **({"stdin": True} if stdin else {})}
        if not wait_for_approval:
            more["waitForApproval"] = False
        body = _exec_body(command, task, spec, cwd, env, timeout, None, more)
        return _answer(Detached, await self._wire.json("POST", "/v1/processes", body=body, repeatable=True))

    async def list(self, *, task: Optional[str] = None) -> List[Process]:
        path = "/v1/processes" if task is None else f"/v1/sandboxes/{_segment(task)}/processes"
        return _items(Process, await self._wire.json("GET", path))

    async def get(self, process_id: str) -> Process:
        return _answer(Process, await self._wire.json("GET", f"/v1/processes/{_exec_id(process_id)}"))

    async def input(self, process_id: str, source: Source) -> None:
        """Passes input to a process that was started with `stdin`, then end of file."""
        await self._wire.json("PUT", f"/v1/processes/{_exec_id(process_id)}/input", source=source)

    async def wait(self, process_id: str) -> Process:
        """Answers when the process has ended."""
        return _answer(Process, await self._wire.json("GET", f"/v1/processes/{_exec_id(process_id)}/wait"))

    async def kill(self, process_id: str, signal: str = "KILL") -> Killed:
        """Ends a process with all that it started; with another signal, only sends that."""
        path = f"/v1/processes/{_exec_id(process_id)}"
        return _answer(Killed, await self._wire.json("DELETE", path, query={"signal": signal}))


class AsyncSessions:
    """Shells that keep directory, variables, functions and aliases from one text to the next."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire

    async def open(self, task: str, name: str) -> Session:
        path = f"/v1/sandboxes/{_segment(task)}/sessions"
        return _answer(Session, await self._wire.json("POST", path, body={"name": name}, repeatable=True))

    async def run(
        self,
        task: str,
        name: str,
        text: str,
        *,
        env: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        exec_id: Optional[str] = None,
        wait_for_approval: bool = True,
        on_asked: Optional[Callable[[str], Any]] = None,
    ) -> SessionResult:
        """Runs a text with its output collected. A cancelled task ends the text."""
        wanted = _text(task, name, text, env, timeout, exec_id, wait_for_approval, on_asked)
        return await _run(self._wire, wanted, SessionResult, None)

    async def start(
        self,
        task: str,
        name: str,
        text: str,
        *,
        env: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        exec_id: Optional[str] = None,
        wait_for_approval: bool = True,
        on_asked: Optional[Callable[[str], Any]] = None,
    ) -> AsyncRunning:
        """Starts a text whose output is read as it comes."""
        wanted = _text(task, name, text, env, timeout, exec_id, wait_for_approval, on_asked)
        return AsyncRunning(await _start(self._wire, wanted))

    async def close(self, task: str, name: str) -> None:
        """Ends the shell and forgets its state."""
        path = f"/v1/sandboxes/{_segment(task)}/sessions/{_segment(name)}"
        await self._wire.json("DELETE", path, repeatable=True)

    async def list(self, task: str) -> List[Session]:
        return _items(Session, await self._wire.json("GET", f"/v1/sandboxes/{_segment(task)}/sessions"))


def _text(
    task: str,
    name: str,
    text: str,
    env: Optional[Mapping[str, str]],
    timeout: Optional[float],
    exec_id: Optional[str],
    waits: bool,
    on_asked: Optional[Callable[[str], Any]],
) -> _Wanted:
    path = f"/v1/sandboxes/{_segment(task)}/sessions/{_segment(name)}/execs"
    body = {"text": text, **_given(env=env), **_times(timeoutMs=timeout)}
    return _Wanted(path, _exec_id(exec_id), body, None, waits, on_asked)


class AsyncFiles:
    """Files inside sandboxes. A relative path starts where commands start."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire

    async def read(self, task: str, path: str, *, offset: int = 0, length: int = 1024 * 1024) -> Content:
        """Reads a part of a file, at most 16 MiB."""
        query = {"path": path, "offset": offset, "length": length}
        headers, data = await self._wire.content(_files(task), query)
        size = headers.get("x-file-size", "")
        if not size.isdigit():
            raise _strange("it does not say how large the file is")
        return Content(data, int(size), _digest_in(headers))

    async def stream(self, task: str, path: str) -> AsyncIterator[bytes]:
        """Reads a whole file of any size, in parts. Raises where it was cut, or is not what its digest says."""
        response = await self._wire.stream(_files(task), {"path": path})
        size = response.headers.get("x-content-length") or response.headers.get("content-length")
        digest, read = hashlib.sha256(), 0
        try:
            while True:
                part = await _part_of(response)
                if not part:
                    break
                digest.update(part)
                read += len(part)
                yield part
        finally:
            response.close()
        if size is not None and size != str(read):
            raise _Away(f"the file was cut: {read} of {size} bytes have come", sent=True)
        _check_digest({**response.headers, **response.trailers}, digest.hexdigest())

    async def read_whole(self, task: str, path: str) -> bytes:
        """Reads a whole file into memory."""
        return b"".join([part async for part in self.stream(task, path)])

    async def write(
        self, task: str, path: str, data: Source, *, expected: Union[str, None, _Unset] = UNSET
    ) -> Written:
        """Writes a file with its directories, all or nothing.

        `expected`: the SHA-256 of what is written over, or None for no file; `Conflict` where it is another one.
        """
        headers: Dict[str, str] = {}
        if expected is None:
            headers["if-none-match"] = "*"
        elif isinstance(expected, str):
            headers["if-match"] = f'"{expected}"'
        if isinstance(data, (bytes, bytearray, str)):
            digest = base64.b64encode(hashlib.sha256(_bytes(data)).digest()).decode()
            headers["repr-digest"] = f"sha-256=:{digest}:"
        found = await self._wire.json("PUT", _files(task), query={"path": path}, source=data, headers=headers)
        return _answer(Written, found)

    async def patch(
        self, task: str, path: str, edits: Optional[Sequence[Edit]] = None, *, diff: Optional[str] = None
    ) -> Written:
        """Changes a text by exact replacements, or by a unified diff; as a whole or not at all."""
        listed = None if edits is None else [dataclasses.asdict(edit) for edit in edits]
        body = {"path": path, **_given(edits=listed, diff=diff)}
        return _answer(Written, await self._wire.json("PATCH", _files(task), body=body))

    async def list(self, task: str, path: str) -> Listing:
        return _answer(Listing, await self._wire.json("GET", _files(task, "/list"), query={"path": path}))

    async def stat(self, task: str, path: str) -> Entry:
        """Shows kind, size, mode and age of a file. A link is not followed."""
        return _answer(Entry, await self._wire.json("GET", _files(task, "/stat"), query={"path": path}))

    async def move(self, task: str, path: str, to: str, *, replace: bool = False) -> None:
        await self._wire.json("POST", _files(task, "/move"), body={"path": path, "to": to, "replace": replace})

    async def remove(self, task: str, path: str, *, recursive: bool = False) -> None:
        query = {"path": path, "recursive": True if recursive else None}
        await self._wire.json("DELETE", _files(task), query=query)

    async def search(
        self,
        task: str,
        path: str,
        pattern: str,
        *,
        regex: Optional[bool] = None,
        name: Optional[str] = None,
        most: Optional[int] = None,
    ) -> Found:
        """Finds lines of files below a directory; `name` is a pattern of file names."""
        body = {"path": path, "pattern": pattern, **_given(regex=regex, name=name, most=most)}
        return _answer(Found, await self._wire.json("POST", _files(task, "/search"), body=body, repeatable=True))

    async def archive(self, task: str, path: str) -> AsyncIterator[bytes]:
        """Reads a file or a directory as an uncompressed tar, in parts."""
        response = await self._wire.stream(_files(task, "/archive"), {"path": path})
        digest = hashlib.sha256()
        try:
            while True:
                part = await _part_of(response)
                if not part:
                    break
                digest.update(part)
                yield part
        finally:
            response.close()
        _check_digest({**response.headers, **response.trailers}, digest.hexdigest())

    async def unpack(self, task: str, path: str, archive: Source) -> Unpacked:
        """Unpacks an uncompressed tar into a directory, when all of it has come and may be unpacked."""
        found = await self._wire.json("PUT", _files(task, "/archive"), query={"path": path}, source=archive)
        return _answer(Unpacked, found)

    async def watch(
        self, task: str, path: str, *, recursive: Optional[bool] = None, interval_ms: Optional[int] = None
    ) -> AsyncIterator[Change]:
        """Changes in a directory, until the sandbox or the directory ends. A lost connection ends it with `Unavailable`."""
        query = {"path": path, "recursive": recursive, "intervalMs": interval_ms}
        response = await self._wire.send(
            "GET",
            _files(task, "/watch"),
            query=query,
            accept="application/x-ndjson",
            seconds=_SILENT_SECONDS,
        )
        lines = _Lines(response)
        try:
            while True:
                event = await lines.next()
                if event is None or event.get("type") == "closing":
                    raise _Away("the watch has ended before its end", sent=True)
                if event.get("type") == "error":
                    raise _error_of(None, event.get("error"))
                if event.get("type") == "ping":
                    continue
                yield _answer(Change, event)
                if event.get("type") == "end":
                    return
        finally:
            lines.close()


def _files(task: str, verb: str = "") -> str:
    return f"/v1/sandboxes/{_segment(task)}/files{verb}"


async def _part_of(response: _Response) -> bytes:
    try:
        return await response.part()
    except (OSError, EOFError) as error:
        raise _Away(f"the answer was cut: {_named(error)}", sent=True) from error


def _digest_in(headers: Mapping[str, str]) -> Optional[str]:
    """RFC 9530. None: the service did not say."""
    found = re.search(r"(?:^|,\s*)sha-256=:([A-Za-z0-9+/]{43}=):", headers.get("repr-digest", ""))
    return None if found is None else base64.b64decode(found[1]).hex()


def _check_digest(headers: Mapping[str, str], digest: str) -> None:
    said = _digest_in(headers)
    if said is not None and said != digest:
        raise Internal("what came is not what its digest says", remedy="read it again")


class AsyncApprovals:
    """Commands that wait for a person. Needs a token with the scope `approve`; the token that asked may not answer."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire

    async def list(self) -> List[Approval]:
        return _items(Approval, await self._wire.json("GET", "/v1/approvals"))

    async def get(self, approval_id: str) -> Approval:
        return _answer(Approval, await self._wire.json("GET", f"/v1/approvals/{_segment(approval_id)}"))

    async def answer(self, approval_id: str, choice: str) -> None:
        """`once`, `session`, `always` or `deny`, as far as the question offers them."""
        await self._wire.json("POST", f"/v1/approvals/{_segment(approval_id)}", body={"choice": choice})

    async def answer_all(self, task: str, choice: str) -> AnsweredAll:
        """Answers all that waits for a task at this moment: `once`, `session` or `deny`."""
        body = {"taskId": task, "choice": choice}
        return _answer(AnsweredAll, await self._wire.json("POST", "/v1/approvals", body=body))

    async def grants(self) -> List[Grant]:
        """Answers `session` that still hold."""
        return _items(Grant, await self._wire.json("GET", "/v1/grants"))

    async def revoke(self, grant_id: str) -> None:
        await self._wire.json("DELETE", f"/v1/grants/{_segment(grant_id)}")

    async def skip(self, task: str, skip: bool) -> None:
        """Asks no more about dangerous commands of a task, or does again. Needs the scope `admin`."""
        path = f"/v1/sandboxes/{_segment(task)}/questions"
        await self._wire.json("PUT", path, body={"skip": skip}, repeatable=True)


class AsyncCaisson:
    """A client for asyncio. See `Caisson` for the arguments."""

    def __init__(
        self,
        url: Optional[str] = None,
        token: str = "",
        *,
        socket_path: Optional[str] = None,
        resume_seconds: float = 60.0,
        headers: Optional[Mapping[str, str]] = None,
        tls: Optional[ssl.SSLContext] = None,
        _way: Optional[_Way] = None,
    ) -> None:
        if not isinstance(token, str) or not _TOKEN.match(token):
            raise InvalidArgument(
                "a client of the service needs a token",
                remedy="make one with `caisson token create NAME --scope run --scope read`",
            )
        if not (isinstance(resume_seconds, (int, float)) and 0 <= resume_seconds < math.inf):
            raise InvalidArgument("resume_seconds is a number of seconds from 0 on")
        fields = {**(headers or {}), "authorization": f"Bearer {token}", "user-agent": f"caisson-python/{__version__}"}
        http = _Http(_way or _AsyncWay(), _address(url, socket_path, tls), fields)
        self._wire = wire = _Wire(http, resume_seconds)
        self.sandboxes = AsyncSandboxes(wire)
        self.execs = AsyncExecs(wire)
        self.processes = AsyncProcesses(wire)
        self.sessions = AsyncSessions(wire)
        self.files = AsyncFiles(wire)
        self.approvals = AsyncApprovals(wire)
        #: Short for `execs.run` and `execs.start`.
        self.run = self.execs.run
        self.start = self.execs.start

    @classmethod
    def local(cls, home: Optional[str] = None, *, answers: bool = False, **options: Any) -> "AsyncCaisson":
        """The service of a state directory of this user, over its socket. `answers`: with the token that answers questions."""
        path, token = _record_of(home, answers)
        return cls(token=token, socket_path=path, **options)

    @classmethod
    def from_environment(cls, **options: Any) -> "AsyncCaisson":
        """The service of `CAISSON_URL` and `CAISSON_TOKEN`; without them, that of the state directory."""
        url, token = os.environ.get("CAISSON_URL"), os.environ.get("CAISSON_TOKEN")
        return cls(url, token or "", **options) if url else cls.local(**options)

    async def check(
        self, command: Union[str, Sequence[str]], *, backend: Optional[str] = None, cwd: Optional[str] = None
    ) -> Decision:
        """Asks for the verdict of the rules about a command, without running it."""
        given = command if isinstance(command, str) else list(command)
        body = {"commands": [given], **_given(backend=backend, cwd=cwd)}
        found = await self._wire.json("POST", "/v1/policy/check", body=body, repeatable=True)
        decisions = found.get("decisions") if isinstance(found, dict) else None
        return _answer(Decision, decisions[0] if isinstance(decisions, list) and decisions else None)

    async def events(self, *, after: int = 0, follow: bool = False) -> AsyncIterator[StateChange]:
        """Changes of state, oldest first; with `follow` it goes on after the last one there is."""

        def asked(at: int) -> _Ask:
            return _Ask("GET", "/v1/events", {"follow": follow, "after": at or None})

        events = _Followed(self._wire, asked(after), asked, after=after, endless=follow)
        try:
            while True:
                event = await events.next()
                if event is None:
                    return
                yield _answer(StateChange, event)
        finally:
            events.close()

    async def request(
        self, method: str, path: str, *, query: Optional[Mapping[str, Any]] = None, body: Optional[Any] = None
    ) -> Any:
        """A route of the HTTP API that has no verb here, with the names of that API. It is sent once."""
        return await self._wire.json(method, path, query=query, body=body)

    async def close(self) -> None:
        """Ends the connections. Commands that run go on."""
        self._wire.http.close()

    async def __aenter__(self) -> "AsyncCaisson":
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()


def _address(url: Optional[str], path: Optional[str], tls: Optional[ssl.SSLContext]) -> _Address:
    if path is not None:
        return _Address(path=path)
    try:
        found = urlsplit(url or "")
        port = found.port
    except ValueError:
        found, port = urlsplit(""), None
    if found.scheme not in ("http", "https") or not found.hostname or found.path.strip("/") or found.query:
        raise InvalidArgument(
            "a client of the service needs its address", remedy="give the URL that `caisson serve` prints, or `socket_path`"
        )
    if found.username or found.password:
        raise InvalidArgument("a password in the address would get into logs", remedy="give the token as `token`")
    is_tls = found.scheme == "https"
    context = (tls or ssl.create_default_context()) if is_tls else None
    return _Address(host=found.hostname, port=port or (443 if is_tls else 80), tls=context, authority=found.netloc)


def state_directory(given: Optional[str] = None) -> str:
    """`CAISSON_HOME`, or `~/.caisson`."""
    return given or os.environ.get("CAISSON_HOME") or os.path.join(os.path.expanduser("~"), ".caisson")


def _record_of(home: Optional[str], answers: bool) -> Tuple[str, str]:
    """Socket and token that the service of a state directory has written there, for its own user alone."""
    directory = state_directory(home)
    text = _own_file(directory, "service.json")
    try:
        record = json.loads(text)
        path, token = _made(str, record["socket"]), _made(str, record["token"])
    except (ValueError, KeyError, TypeError, Internal):
        raise FailedPrecondition(f"{directory}/service.json is not the record of a service") from None
    return path, _own_file(directory, "service.answer").decode("ascii", "replace").strip() if answers else token


def _own_file(directory: str, name: str) -> bytes:
    path = os.path.join(directory, name)
    try:
        # Without O_NONBLOCK a named pipe in this place would hang the caller.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise FailedPrecondition(
            f"no service of {directory} runs", remedy="start one with `caisson serve --background`"
        ) from None
    except OSError as error:
        raise FailedPrecondition(f"{path} cannot be read: {_named(error)}") from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat_modes.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise FailedPrecondition(f"{path} is not a regular file")
        # All that is sent would go to the socket that the file names.
        for place, found in ((path, os.fstat(file.fileno())), (directory, os.stat(directory))):
            if found.st_mode & 0o022 or (os.getuid() != 0 and found.st_uid not in (os.getuid(), 0)):
                raise FailedPrecondition(f"other users can write {place}", remedy=f"chmod go-w {place}")
        return file.read(64 * 1024)


# --- Nouns that block -----------------------------------------------------------------------------------------------


class Running:
    """A command that runs. Iterate over its output; `wait` gives the exit.

    The output is read as it is asked for: what is not read stays in the record of the service. Leaving a `with` block before
    the command has ended cancels it, as does an interrupt (Ctrl-C) while it is read.
    """

    def __init__(self, of: AsyncRunning) -> None:
        self._of = of

    @property
    def id(self) -> str:
        return self._of.id

    @property
    def where(self) -> Where:
        return self._of.where

    @property
    def exit(self) -> Optional[Exit]:
        """None until the end was read."""
        return self._of.exit

    def write(self, data: Union[bytes, str]) -> None:
        """Writes to the stdin of a command that was started with `stdin`."""
        _now(self._of.write(data))

    def end_input(self) -> None:
        """End of file for its stdin."""
        _now(self._of.end_input())

    def __iter__(self) -> Iterator[Output]:
        return self

    def __next__(self) -> Output:
        output = _now(self._of._of.next())
        if output is None:
            raise StopIteration
        return output

    def wait(self) -> Exit:
        """Passes over output that was not read."""
        return _now(self._of.wait())

    def collect(self) -> Tuple[bytes, bytes]:
        """Reads the rest of stdout and stderr into memory."""
        return _now(self._of.collect())

    def cancel(self) -> Exit:
        """Kills the command with all that it started."""
        return _now(self._of.cancel())

    def forget(self) -> None:
        """Ends the reading. The command goes on, and `execs.logs` has what it writes."""
        self._of.forget()

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_: object) -> None:
        _now(self._of.__aexit__())


class Sandboxes:
    """Sandboxes: one for each task. `task` is a task id or a sandbox id, here and for every other noun."""

    def __init__(self, of: AsyncSandboxes) -> None:
        self._of = of

    def create(self, task: str, spec: SandboxSpec = SandboxSpec()) -> Acquired:
        """Gets the sandbox of the task, or makes it."""
        return _now(self._of.create(task, spec))

    def list(
        self,
        *,
        task: Optional[str] = None,
        backend: Optional[str] = None,
        state: Optional[str] = None,
        labels: Optional[Mapping[str, str]] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> SandboxPage:
        """Lists sandboxes as they are recorded, oldest first."""
        return _now(self._of.list(task=task, backend=backend, state=state, labels=labels, limit=limit, cursor=cursor))

    def get(self, task: str) -> Inspected:
        """Shows the record of a sandbox, and its state as its place has it now."""
        return _now(self._of.get(task))

    def update(
        self,
        task: str,
        *,
        labels: Optional[Mapping[str, Optional[str]]] = None,
        idle_timeout: Optional[float] = None,
        lifetime: Optional[float] = None,
    ) -> Sandbox:
        """Changes labels and times; a label of None is removed. What is absent stays as it is."""
        return _now(self._of.update(task, labels=labels, idle_timeout=idle_timeout, lifetime=lifetime))

    def start(self, task: str) -> Acquired:
        """Starts a sandbox that is stopped."""
        return _now(self._of.start(task))

    def touch(self, task: str) -> Sandbox:
        """Counts as a use of a sandbox that runs: its idle time begins anew."""
        return _now(self._of.touch(task))

    def stop(self, task: str) -> None:
        """Ends all processes and keeps files."""
        _now(self._of.stop(task))

    def remove(self, task: str, *, keep_files: bool = False) -> None:
        """Removes the sandbox and its files; with `keep_files` they stay for the next sandbox of the task."""
        _now(self._of.remove(task, keep_files=keep_files))

    def limits(self, task: str) -> Json:
        """Shows the controls in force, how each is known, and what is kept at the end."""
        return _now(self._of.limits(task))

    def stats(self, task: str) -> Json:
        """Reads the present use of processor and memory."""
        return _now(self._of.stats(task))


class Execs:
    """Commands and programs in sandboxes."""

    def __init__(self, of: AsyncExecs) -> None:
        self._of = of

    def run(
        self,
        command: Union[Sequence[str], Code],
        *,
        task: Optional[str] = None,
        spec: SandboxSpec = SandboxSpec(),
        cwd: Optional[str] = None,
        user: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        input: Optional[Source] = None,
        timeout: Optional[float] = None,
        output_limit: Optional[int] = None,
        exec_id: Optional[str] = None,
        wait_for_approval: bool = True,
        on_asked: Optional[Callable[[str], Any]] = None,
        on_output: Optional[OnOutput] = None,
    ) -> Result:
        """Runs a command with its output collected. Without a task it has a sandbox of its own.

        `timeout` is in seconds. `user` is a user of the sandbox, as `app` or `1000:1000`, on backends that have users. A cancelled task
        ends the command. `on_asked` gets the id of a question about the command.
        """
        return _now(
            self._of.run(
                command,
                task=task,
                spec=spec,
                cwd=cwd,
                user=user,
                env=env,
                input=input,
                timeout=timeout,
                output_limit=output_limit,
                exec_id=exec_id,
                wait_for_approval=wait_for_approval,
                on_asked=on_asked,
                on_output=on_output,
            )
        )

    def start(
        self,
        command: Union[Sequence[str], Code],
        *,
        task: Optional[str] = None,
        spec: SandboxSpec = SandboxSpec(),
        cwd: Optional[str] = None,
        user: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        stdin: bool = False,
        timeout: Optional[float] = None,
        output_limit: Optional[int] = None,
        exec_id: Optional[str] = None,
        wait_for_approval: bool = True,
        on_asked: Optional[Callable[[str], Any]] = None,
    ) -> Running:
        """Starts a command whose output is read as it comes; with an id that was used, comes back to that command."""
        return Running(_now(
            self._of.start(
                command,
                task=task,
                spec=spec,
                cwd=cwd,
                user=user,
                env=env,
                stdin=stdin,
                timeout=timeout,
                output_limit=output_limit,
                exec_id=exec_id,
                wait_for_approval=wait_for_approval,
                on_asked=on_asked,
            )
        ))

    def list(
        self,
        *,
        task: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> ExecPage:
        """Lists execs on record, newest first."""
        return _now(self._of.list(task=task, limit=limit, cursor=cursor))

    def get(self, exec_id: str) -> ExecView:
        return _now(self._of.get(exec_id))

    def cancel(self, exec_id: str) -> None:
        """Kills a command with all that it started."""
        _now(self._of.cancel(exec_id))

    def logs(self, exec_id: str, *, after: int = 0, follow: bool = False) -> Iterator[Event]:
        """Events of the record of an exec, after one of this `seq`; with `follow`, until its exit."""
        return _each(self._of.logs(exec_id, after=after, follow=follow))


class Processes:
    """Commands that outlive their request and the service."""

    def __init__(self, of: AsyncProcesses) -> None:
        self._of = of

    def start(
        self,
        command: Sequence[str],
        *,
        task: Optional[str] = None,
        spec: SandboxSpec = SandboxSpec(),
        cwd: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        stdin: bool = False,
        timeout: Optional[float] = None,
        exec_id: Optional[str] = None,
        wait_for_approval: bool = True,
    ) -> Detached:
        return _now(
            self._of.start(
                command,
                task=task,
                spec=spec,
                cwd=cwd,
                env=env,
                stdin=stdin,
                timeout=timeout,
                exec_id=exec_id,
                wait_for_approval=wait_for_approval,
            )
        )

    def list(self, *, task: Optional[str] = None) -> List[Process]:
        return _now(self._of.list(task=task))

    def get(self, process_id: str) -> Process:
        return _now(self._of.get(process_id))

    def input(self, process_id: str, source: Source) -> None:
        """Passes input to a process that was started with `stdin`, then end of file."""
        _now(self._of.input(process_id, source))

    def wait(self, process_id: str) -> Process:
        """Answers when the process has ended."""
        return _now(self._of.wait(process_id))

    def kill(self, process_id: str, signal: str = "KILL") -> Killed:
        """Ends a process with all that it started; with another signal, only sends that."""
        return _now(self._of.kill(process_id, signal))


class Sessions:
    """Shells that keep directory, variables, functions and aliases from one text to the next."""

    def __init__(self, of: AsyncSessions) -> None:
        self._of = of

    def open(self, task: str, name: str) -> Session:
        return _now(self._of.open(task, name))

    def run(
        self,
        task: str,
        name: str,
        text: str,
        *,
        env: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        exec_id: Optional[str] = None,
        wait_for_approval: bool = True,
        on_asked: Optional[Callable[[str], Any]] = None,
    ) -> SessionResult:
        """Runs a text with its output collected. A cancelled task ends the text."""
        return _now(
            self._of.run(
                task,
                name,
                text,
                env=env,
                timeout=timeout,
                exec_id=exec_id,
                wait_for_approval=wait_for_approval,
                on_asked=on_asked,
            )
        )

    def start(
        self,
        task: str,
        name: str,
        text: str,
        *,
        env: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        exec_id: Optional[str] = None,
        wait_for_approval: bool = True,
        on_asked: Optional[Callable[[str], Any]] = None,
    ) -> Running:
        """Starts a text whose output is read as it comes."""
        return Running(_now(
            self._of.start(
                task,
                name,
                text,
                env=env,
                timeout=timeout,
                exec_id=exec_id,
                wait_for_approval=wait_for_approval,
                on_asked=on_asked,
            )
        ))

    def close(self, task: str, name: str) -> None:
        """Ends the shell and forgets its state."""
        _now(self._of.close(task, name))

    def list(self, task: str) -> List[Session]:
        return _now(self._of.list(task))


class Files:
    """Files inside sandboxes. A relative path starts where commands start."""

    def __init__(self, of: AsyncFiles) -> None:
        self._of = of

    def read(self, task: str, path: str, *, offset: int = 0, length: int = 1024 * 1024) -> Content:
        """Reads a part of a file, at most 16 MiB."""
        return _now(self._of.read(task, path, offset=offset, length=length))

    def stream(self, task: str, path: str) -> Iterator[bytes]:
        """Reads a whole file of any size, in parts. Raises where it was cut, or is not what its digest says."""
        return _each(self._of.stream(task, path))

    def read_whole(self, task: str, path: str) -> bytes:
        """Reads a whole file into memory."""
        return _now(self._of.read_whole(task, path))

    def write(self, task: str, path: str, data: Source, *, expected: Union[str, None, _Unset] = UNSET) -> Written:
        """Writes a file with its directories, all or nothing.

        `expected`: the SHA-256 of what is written over, or None for no file; `Conflict` where it is another one.
        """
        return _now(self._of.write(task, path, data, expected=expected))

    def patch(
        self,
        task: str,
        path: str,
        edits: Optional[Sequence[Edit]] = None,
        *,
        diff: Optional[str] = None,
    ) -> Written:
        """Changes a text by exact replacements, or by a unified diff; as a whole or not at all."""
        return _now(self._of.patch(task, path, edits, diff=diff))

    def list(self, task: str, path: str) -> Listing:
        return _now(self._of.list(task, path))

    def stat(self, task: str, path: str) -> Entry:
        """Shows kind, size, mode and age of a file. A link is not followed."""
        return _now(self._of.stat(task, path))

    def move(self, task: str, path: str, to: str, *, replace: bool = False) -> None:
        _now(self._of.move(task, path, to, replace=replace))

    def remove(self, task: str, path: str, *, recursive: bool = False) -> None:
        _now(self._of.remove(task, path, recursive=recursive))

    def search(
        self,
        task: str,
        path: str,
        pattern: str,
        *,
        regex: Optional[bool] = None,
        name: Optional[str] = None,
        most: Optional[int] = None,
    ) -> Found:
        """Finds lines of files below a directory; `name` is a pattern of file names."""
        return _now(self._of.search(task, path, pattern, regex=regex, name=name, most=most))

    def archive(self, task: str, path: str) -> Iterator[bytes]:
        """Reads a file or a directory as an uncompressed tar, in parts."""
        return _each(self._of.archive(task, path))

    def unpack(self, task: str, path: str, archive: Source) -> Unpacked:
        """Unpacks an uncompressed tar into a directory, when all of it has come and may be unpacked."""
        return _now(self._of.unpack(task, path, archive))

    def watch(
        self,
        task: str,
        path: str,
        *,
        recursive: Optional[bool] = None,
        interval_ms: Optional[int] = None,
    ) -> Iterator[Change]:
        """Changes in a directory, until the sandbox or the directory ends. A lost connection ends it with `Unavailable`."""
        return _each(self._of.watch(task, path, recursive=recursive, interval_ms=interval_ms))


class Approvals:
    """Commands that wait for a person. Needs a token with the scope `approve`; the token that asked may not answer."""

    def __init__(self, of: AsyncApprovals) -> None:
        self._of = of

    def list(self) -> List[Approval]:
        return _now(self._of.list())

    def get(self, approval_id: str) -> Approval:
        return _now(self._of.get(approval_id))

    def answer(self, approval_id: str, choice: str) -> None:
        """`once`, `session`, `always` or `deny`, as far as the question offers them."""
        _now(self._of.answer(approval_id, choice))

    def answer_all(self, task: str, choice: str) -> AnsweredAll:
        """Answers all that waits for a task at this moment: `once`, `session` or `deny`."""
        return _now(self._of.answer_all(task, choice))

    def grants(self) -> List[Grant]:
        """Answers `session` that still hold."""
        return _now(self._of.grants())

    def revoke(self, grant_id: str) -> None:
        _now(self._of.revoke(grant_id))

    def skip(self, task: str, skip: bool) -> None:
        """Asks no more about dangerous commands of a task, or does again. Needs the scope `admin`."""
        _now(self._of.skip(task, skip))


class Caisson:
    """A client that blocks. Threads may share it.

    `url` is what `caisson serve` prints, `socket_path` a unix socket instead; `token` is one of `caisson token create`. A service
    that was lost is tried again for `resume_seconds`. `tls` is for a certificate that the system does not know.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: str = "",
        *,
        socket_path: Optional[str] = None,
        resume_seconds: float = 60.0,
        headers: Optional[Mapping[str, str]] = None,
        tls: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._of = of = AsyncCaisson(
            url,
            token,
            socket_path=socket_path,
            resume_seconds=resume_seconds,
            headers=headers,
            tls=tls,
            _way=_BlockingWay(),
        )
        self.sandboxes = Sandboxes(of.sandboxes)
        self.execs = Execs(of.execs)
        self.processes = Processes(of.processes)
        self.sessions = Sessions(of.sessions)
        self.files = Files(of.files)
        self.approvals = Approvals(of.approvals)
        #: Short for `execs.run` and `execs.start`.
        self.run = self.execs.run
        self.start = self.execs.start

    @classmethod
    def local(cls, home: Optional[str] = None, *, answers: bool = False, **options: Any) -> "Caisson":
        """The service of a state directory of this user, over its socket. `answers`: with the token that answers questions."""
        path, token = _record_of(home, answers)
        return cls(token=token, socket_path=path, **options)

    @classmethod
    def from_environment(cls, **options: Any) -> "Caisson":
        """The service of `CAISSON_URL` and `CAISSON_TOKEN`; without them, that of the state directory."""
        url, token = os.environ.get("CAISSON_URL"), os.environ.get("CAISSON_TOKEN")
        return cls(url, token or "", **options) if url else cls.local(**options)

    def check(
        self, command: Union[str, Sequence[str]], *, backend: Optional[str] = None, cwd: Optional[str] = None
    ) -> Decision:
        """Asks for the verdict of the rules about a command, without running it."""
        return _now(self._of.check(command, backend=backend, cwd=cwd))

    def events(self, *, after: int = 0, follow: bool = False) -> Iterator[StateChange]:
        """Changes of state, oldest first; with `follow` it goes on after the last one there is."""
        return _each(self._of.events(after=after, follow=follow))

    def request(
        self, method: str, path: str, *, query: Optional[Mapping[str, Any]] = None, body: Optional[Any] = None
    ) -> Any:
        """A route of the HTTP API that has no verb here, with the names of that API. It is sent once."""
        return _now(self._of.request(method, path, query=query, body=body))

    def close(self) -> None:
        """Ends the connections. Commands that run go on."""
        self._of._wire.http.close()

    def __enter__(self) -> "Caisson":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
