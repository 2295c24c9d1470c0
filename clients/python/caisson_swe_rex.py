"""Caisson as a runtime of SWE-ReX: sessions, commands and files of one sandbox."""

from __future__ import annotations

import contextlib
import hashlib
import io
import logging
import os
import re
import shlex
import tarfile
import tempfile
from typing import Any, Dict, Optional

from swerex.exceptions import (  # type: ignore[import]
    BashIncorrectSyntaxError,
    CommandTimeoutError,
    NonZeroExitCodeError,
    SessionDoesNotExistError,
    SessionExistsError,
)
from swerex.runtime.abstract import (  # type: ignore[import]
    AbstractRuntime,
    Action,
    BashObservation,
    CloseBashSessionResponse,
    CloseResponse,
    CloseSessionRequest,
    CloseSessionResponse,
    Command,
    CommandResponse,
    CreateBashSessionResponse,
    CreateSessionRequest,
    CreateSessionResponse,
    IsAliveResponse,
    Observation,
    ReadFileRequest,
    ReadFileResponse,
    UploadRequest,
    UploadResponse,
    WriteFileRequest,
    WriteFileResponse,
)

from caisson import AsyncCaisson, CaissonError, Exit, SandboxSpec, new_exec_id


class CaissonRuntime(AbstractRuntime):  # type: ignore[misc]
    """Texts of a session run in a shell without a terminal: interactive commands are refused."""

    def __init__(
        self,
        task: str,
        client: Optional[AsyncCaisson] = None,
        *,
        spec: SandboxSpec = SandboxSpec(),
        logger: Optional[logging.Logger] = None,
    ) -> None:
        self.logger = logger or logging.getLogger("rex-runtime")
        self._client = client or AsyncCaisson.from_environment()
        self._task, self._spec = task, spec
        self._sessions: Dict[str, Optional[str]] = {}

    async def is_alive(self, *, timeout: Optional[float] = None) -> IsAliveResponse:
        try:
            made = await self._client.sandboxes.create(self._task, self._spec)
            return IsAliveResponse(is_alive=made.sandbox.state == "ready", message="")
        except CaissonError as error:
            return IsAliveResponse(is_alive=False, message=str(error))

    async def create_session(self, request: CreateSessionRequest) -> CreateSessionResponse:
        if request.session in self._sessions:
            raise SessionExistsError(f"session {request.session} already exists")
        await self._client.sandboxes.create(self._task, self._spec)
        await self._client.sessions.open(self._task, _name(request.session))
        self._sessions[request.session] = None
        sources = "".join(f". {shlex.quote(path)} && " for path in request.startup_source) + "true"
        found = await self._client.sessions.run(self._task, _name(request.session), sources)
        return CreateBashSessionResponse(output=found.stdout.text + found.stderr.text)

    async def run_in_session(self, action: Action) -> Observation:
        if action.session not in self._sessions:
            raise SessionDoesNotExistError(f"session {action.session!r} does not exist")
        if action.action_type == "bash_interrupt":
            running = self._sessions[action.session]
            if running is not None:
                await self._client.execs.cancel(running)
            return BashObservation(output="", exit_code=0)
        if action.is_interactive_command or action.is_interactive_quit:
            raise NotImplementedError("a session of Caisson has no terminal: run the program with its input instead")
        return await self._text(action)

    async def _text(self, action: Any) -> Observation:
        exec_id = self._sessions[action.session] = new_exec_id()
        try:
            running = await self._client.sessions.start(
                self._task, _name(action.session), action.command, timeout=action.timeout, exec_id=exec_id
            )
            async with running:
                output = bytearray()
                async for part in running:
                    output += part.data
                exit = running.exit
        finally:
            self._sessions[action.session] = None
        text = bytes(output).decode(errors="backslashreplace")
        self._check(exit, action, text)
        code = None if exit is None or action.check == "ignore" else exit.exit_code
        return BashObservation(output=text, exit_code=code)

    def _check(self, exit: Optional[Exit], asked: Any, text: str) -> None:
        if exit is not None and exit.reason == "timed-out":
            raise CommandTimeoutError(f"timeout after {asked.timeout} seconds while running command {asked.command!r}")
        code = None if exit is None else exit.exit_code
        if code == 2 and "syntax error" in text.lower():
            raise BashIncorrectSyntaxError(text)
        if asked.check in (True, "raise") and code != 0:
            before = f"{asked.error_msg}: " if asked.error_msg else ""
            raise NonZeroExitCodeError(f"{before}command {asked.command!r} failed with exit code {code}: {text}")

    async def close_session(self, request: CloseSessionRequest) -> CloseSessionResponse:
        if request.session not in self._sessions:
            raise SessionDoesNotExistError(f"session {request.session!r} does not exist")
        del self._sessions[request.session]
        await self._client.sessions.close(self._task, _name(request.session))
        return CloseBashSessionResponse()

    async def execute(self, command: Command) -> CommandResponse:
        """Runs a command like `subprocess.run`: with `shell` a text is for a shell, without it the name of a program."""
        given = [command.command] if isinstance(command.command, str) else list(command.command)
        argv = ["sh", "-c", *given] if command.shell else given
        running = await self._client.start(
            argv, task=self._task, spec=self._spec, cwd=command.cwd, env=command.env, timeout=command.timeout
        )
        async with running:
            stdout, stderr = [each.decode(errors="backslashreplace") for each in await running.collect()]
            exit = running.exit
        if exit is not None and exit.reason == "timed-out":
            raise CommandTimeoutError(f"timeout after {command.timeout} seconds: {command.command!r}")
        code = None if exit is None else exit.exit_code
        if command.check and code != 0:
            before = f"{command.error_msg}: " if command.error_msg else ""
            raise NonZeroExitCodeError(f"{before}command {command.command!r} failed with exit code {code}: {stderr}")
        return CommandResponse(stdout=stdout, stderr=stderr, exit_code=code)

    async def read_file(self, request: ReadFileRequest) -> ReadFileResponse:
        data = await self._client.files.read_whole(self._task, request.path)
        return ReadFileResponse(content=data.decode(request.encoding or "utf-8", request.errors or "strict"))

    async def write_file(self, request: WriteFileRequest) -> WriteFileResponse:
        await self._client.files.write(self._task, request.path, request.content)
        return WriteFileResponse()

    async def upload(self, request: UploadRequest) -> UploadResponse:
        if os.path.isdir(request.source_path):
            with tempfile.TemporaryFile() as packed:
                pack(request.source_path, packed)
                await self._client.files.unpack(self._task, request.target_path, packed)
        else:
            with open(request.source_path, "rb") as file:
                await self._client.files.write(self._task, request.target_path, file)
        return UploadResponse()

    async def close(self) -> CloseResponse:
        with contextlib.suppress(CaissonError):
            await self._client.sandboxes.remove(self._task)
        await self._client.close()
        return CloseResponse()


def pack(directory: str, to: Any) -> None:
    with tarfile.open(fileobj=to, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.add(directory, ".")
    to.seek(0, io.SEEK_SET)


def _name(session: str) -> str:
    """A name of the service: another one for each session."""
    plain = re.sub(r"[^a-z0-9_-]", "-", session.lower())[:40].strip("-_") or "session"
    return plain if plain == session else f"{plain}-{hashlib.sha256(session.encode()).hexdigest()[:8]}"
