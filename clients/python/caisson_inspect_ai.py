"""Caisson as a sandbox of Inspect: `sandbox="caisson"`, or `sandbox=("caisson", "IMAGE")`."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from typing import Any, Dict, List, Optional, Union

from inspect_ai.util import (  # type: ignore[import]
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    sandboxenv,
)

from caisson import (
    AsyncCaisson,
    CaissonError,
    FailedPrecondition,
    NotFound,
    NotSupported,
    PermissionDenied,
    PolicyDenied,
    SandboxSpec,
)

_LABEL = "inspect-ai"
_MOST_OUTPUT = 10 * 1024 * 1024
_MOST_FILE = 100 * 1024 * 1024


@sandboxenv(name="caisson")
class CaissonSandboxEnvironment(SandboxEnvironment):  # type: ignore[misc]
    """The sandbox of one sample. Relative paths start where its commands start."""

    def __init__(self, client: AsyncCaisson, task: str, cwd: str) -> None:
        self._client, self._task, self._cwd = client, task, cwd

    async def exec(
        self,
        cmd: List[str],
        input: Union[str, bytes, None] = None,
        cwd: Optional[str] = None,
        env: Dict[str, str] = {},
        user: Optional[str] = None,
        timeout: Optional[int] = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """The command has ended with all that it started when `TimeoutError` is raised, so that it is not run a second time."""
        where = None if cwd is None else os.path.join(self._cwd, cwd)
        try:
            running = await self._client.start(
                cmd, task=self._task, cwd=where, user=user, env=env or None, timeout=timeout, stdin=input is not None
            )
        except NotSupported as error:
            if user is None:
                raise
            raise NotImplementedError(f"commands run as the user of the sandbox, and not as {user}") from error
        found: Dict[str, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
        async with running:
            if input is not None:
                # A command that ends before it has read its input has its exit all the same.
                with contextlib.suppress(CaissonError):
                    await running.write(input)
                    await running.end_input()
            async for output in running:
                kept = found[output.stream]
                kept += output.data
                if len(kept) > _MOST_OUTPUT:
                    raise OutputLimitExceededError("10 MiB", bytes(kept[:_MOST_OUTPUT]).decode(errors="replace"))
            exit = running.exit
        if exit is None or exit.reason == "lost":
            raise ConnectionError("the service has lost the end of the command")
        if exit.reason == "timed-out":
            raise TimeoutError(f"the command did not end within {timeout} s")
        stdout, stderr = (bytes(found[name]).decode() for name in ("stdout", "stderr"))
        code = 1 if exit.exit_code is None else exit.exit_code
        if code == 126 and stderr.lower().rstrip().endswith("permission denied"):
            raise PermissionError(stderr.strip())
        return ExecResult(code == 0, code, stdout, stderr)

    async def write_file(self, file: str, contents: Union[str, bytes]) -> None:
        try:
            await self._client.files.write(self._task, self._path(file), contents)
        except CaissonError as error:
            raise await self._os_error(error, file) from error

    async def read_file(self, file: str, text: bool = True) -> Union[str, bytes]:
        try:
            # The size is not known before: a file may grow, and one of /proc has none.
            data = bytearray()
            async for part in self._client.files.stream(self._task, self._path(file)):
                data += part
                if len(data) > _MOST_FILE:
                    raise OutputLimitExceededError("100 MiB", None)
        except CaissonError as error:
            raise await self._os_error(error, file) from error
        return bytes(data).decode() if text else bytes(data)

    def _path(self, file: str) -> str:
        return os.path.join(self._cwd, file)

    async def _os_error(self, error: CaissonError, file: str) -> BaseException:
        if isinstance(error, NotFound):
            return FileNotFoundError(2, error.message, file)
        if isinstance(error, (PermissionDenied, PolicyDenied)):
            return PermissionError(13, error.message, file)
        if isinstance(error, FailedPrecondition):
            with contextlib.suppress(CaissonError):
                if (await self._client.files.stat(self._task, self._path(file))).kind == "directory":
                    return IsADirectoryError(21, error.message, file)
            return PermissionError(13, error.message, file)
        return error

    @classmethod
    async def sample_init(
        cls, task_name: str, config: Any, metadata: Dict[str, str]
    ) -> Dict[str, "SandboxEnvironment"]:
        """`config` is the name of an image. None: that of the configuration of the service."""
        if config is not None and not isinstance(config, str):
            raise ValueError("the configuration of the sandbox `caisson` is the name of an image")
        client = AsyncCaisson.from_environment()
        plain = re.sub(r"[^a-z0-9_-]", "-", task_name.lower())[:30].strip("-_") or "task"
        spec = SandboxSpec(image=config, labels={_LABEL: plain})
        made = await client.sandboxes.create(f"inspect-{plain}-{secrets.token_hex(6)}", spec)
        task = made.sandbox.task_id
        where = await client.run(["pwd"], task=task)
        return {"default": cls(client, task, where.stdout.text.rstrip("\n"))}

    @classmethod
    async def sample_cleanup(
        cls, task_name: str, config: Any, environments: Dict[str, "SandboxEnvironment"], interrupted: bool
    ) -> None:
        for each in environments.values():
            if isinstance(each, cls):
                with contextlib.suppress(NotFound):
                    await each._client.sandboxes.remove(each._task)
                await each._client.close()

    @classmethod
    async def cli_cleanup(cls, id: Optional[str]) -> None:
        """Removes what samples have left: one by its id, or all."""
        async with AsyncCaisson.from_environment() as client:
            if id is not None:
                return await client.sandboxes.remove(id)
            cursor: Optional[str] = None
            while True:
                page = await client.sandboxes.list(limit=1000, cursor=cursor)
                for sandbox in page.items:
                    if _LABEL in sandbox.labels:
                        with contextlib.suppress(NotFound):
                            await client.sandboxes.remove(sandbox.id)
                cursor = page.next_cursor
                if cursor is None:
                    return
