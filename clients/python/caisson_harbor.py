"""Caisson as an environment of Harbor: `--environment-import-path caisson_harbor:CaissonEnvironment`.

A task needs a prebuilt image (`docker_image`): the service does not build the Dockerfile of a task.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Dict, Optional, Union

from harbor.environments.base import BaseEnvironment, ExecResult  # type: ignore[import]
from harbor.environments.capabilities import EnvironmentCapabilities  # type: ignore[import]

from caisson import AsyncCaisson, NotFound, NotSupported, SandboxSpec

_MB = 1024 * 1024


class CaissonEnvironment(BaseEnvironment):  # type: ignore[misc]
    """One sandbox for a trial. Without network it has none; an allow list is refused before the start."""

    _client: Optional[AsyncCaisson] = None

    @staticmethod
    def type() -> str:
        return "caisson"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities(disable_internet=True)

    def _validate_definition(self) -> None:
        if not self.task_env_config.docker_image:
            raise FileNotFoundError("the environment `caisson` needs a prebuilt image: set docker_image of the task")

    @property
    def _task(self) -> str:
        plain = re.sub(r"[^a-z0-9_-]", "-", self.session_id.lower())[:40]
        return f"harbor-{plain}-{hashlib.sha256(self.session_id.encode()).hexdigest()[:8]}"

    def _service(self) -> AsyncCaisson:
        if self._client is None:
            self._client = AsyncCaisson.from_environment()
        return self._client

    async def start(self, force_build: bool) -> None:
        limits: Dict[str, Optional[float]] = {}
        for key, value, unit in (
            ("cpuCores", self._effective_cpus, 1),
            ("memoryBytes", self._effective_memory_mb, _MB),
            ("diskBytes", self._effective_storage_mb, _MB),
        ):
            if value is not None:
                limits[key] = value * unit
        spec = SandboxSpec(
            image=self.task_env_config.docker_image,
            limits=limits or None,
            network="none" if self._network_disabled else "open",
            recreate=True if force_build else None,
        )
        await self._service().sandboxes.create(self._task, spec)
        await self._upload_environment_dir_after_start()

    async def stop(self, delete: bool) -> None:
        try:
            if delete:
                await self._service().sandboxes.remove(self._task)
            else:
                await self._service().sandboxes.stop(self._task)
        except NotFound:
            pass
        await self._service().close()
        self._client = None

    async def exec(
        self,
        command: str,
        cwd: Optional[str] = None,
        env: Optional[Dict[str, str]] = None,
        timeout_sec: Optional[int] = None,
        user: Union[str, int, None] = None,
    ) -> ExecResult:
        asked = self._resolve_user(user)
        other = None if asked in (None, "root", 0, "0") else str(asked)
        try:
            running = await self._service().start(
                ["bash", "-c", command],
                task=self._task,
                cwd=cwd or self.task_env_config.workdir,
                user=other,
                env=self._merge_env(env),
                timeout=timeout_sec,
            )
        except NotSupported as error:
            if other is None:
                raise
            raise NotImplementedError(f"commands run as the user of the sandbox, and not as {other}") from error
        async with running:
            stdout, stderr = [each.decode(errors="replace") for each in await running.collect()]
            exit = running.exit
        if exit is None or exit.exit_code is None or exit.reason == "timed-out":
            why = "lost" if exit is None else exit.reason
            raise RuntimeError(f"the command did not end by itself: {why} (limit: {timeout_sec} s)")
        return ExecResult(stdout=stdout, stderr=stderr, return_code=exit.exit_code)

    async def upload_file(self, source_path: Union[Path, str], target_path: str) -> None:
        with open(source_path, "rb") as file:
            await self._service().files.write(self._task, target_path, file)

    async def upload_dir(self, source_dir: Union[Path, str], target_dir: str) -> None:
        await self.exec(f"mkdir -p {shlex.quote(target_dir)}")
        with tempfile.TemporaryFile() as packed:
            with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
                archive.add(str(source_dir), ".")
            packed.seek(0)
            await self._service().files.unpack(self._task, target_dir, packed)

    async def download_file(self, source_path: str, target_path: Union[Path, str]) -> None:
        await _to_file(self._service().files.stream(self._task, source_path), Path(target_path))

    async def download_dir(self, source_dir: str, target_dir: Union[Path, str]) -> None:
        with tempfile.TemporaryDirectory() as place:
            packed = Path(place) / "packed.tar"
            await _to_file(self._service().files.archive(self._task, source_dir), packed)
            os.makedirs(target_dir, exist_ok=True)
            with tarfile.open(packed) as archive:
                _extract(archive, str(target_dir))


async def _to_file(parts: Any, path: Path) -> None:
    """All or nothing: what is cut leaves the file that was there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    try:
        with open(partial, "wb") as file:
            async for part in parts:
                file.write(part)
        os.replace(partial, path)
    finally:
        if partial.exists():
            partial.unlink()


def _extract(archive: tarfile.TarFile, to: str) -> None:
    """The service has left out what leads outside; `data` checks it again where this Python has it."""
    if hasattr(tarfile, "data_filter"):
        archive.extractall(to, **{"filter": "data"})  # type: ignore[arg-type]
        return
    for entry in archive.getmembers():
        name = os.path.normpath(entry.name)
        if name.startswith(("/", "..")) or not (entry.isfile() or entry.isdir()):
            continue
        archive.extract(entry, to)
