"""Caisson as a sandbox of Deep Agents: `create_deep_agent(backend=CaissonSandbox("build"))`."""

from __future__ import annotations

from typing import List, Optional, Tuple

from deepagents.backends.protocol import (  # type: ignore[import]
    ExecuteResponse,
    FileDownloadResponse,
    FileUploadResponse,
)
from deepagents.backends.sandbox import BaseSandbox  # type: ignore[import]

from caisson import (
    Caisson,
    CaissonError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    PolicyDenied,
    SandboxSpec,
)

_MOST_OUTPUT = 1024 * 1024


class CaissonSandbox(BaseSandbox):  # type: ignore[misc]
    """The sandbox of a task. The tools for files of `BaseSandbox` need python3 in its image."""

    def __init__(
        self, task: str, client: Optional[Caisson] = None, *, spec: SandboxSpec = SandboxSpec(), timeout: float = 1800
    ) -> None:
        self._client = client or Caisson.from_environment()
        self._task, self._timeout = task, timeout
        self._id = self._client.sandboxes.create(task, spec).sandbox.id

    @property
    def id(self) -> str:
        return self._id

    def execute(self, command: str, *, timeout: Optional[int] = None) -> ExecuteResponse:
        """Both streams in the order in which they came. A timeout of 0 means none."""
        seconds = self._timeout if timeout is None else timeout if timeout > 0 else float("inf")
        kept, truncated = bytearray(), False
        with self._client.start(["sh", "-c", command], task=self._task, timeout=seconds) as running:
            for output in running:
                room = _MOST_OUTPUT - len(kept)
                kept += output.data[:room]
                truncated = truncated or len(output.data) > room
            exit = running.exit
        code = 125 if exit is None or exit.exit_code is None else exit.exit_code
        if exit is not None and exit.reason == "timed-out":
            kept += f"\nthe command was killed after {seconds:g} s".encode()
            code = 124
        return ExecuteResponse(output=bytes(kept).decode(errors="replace"), exit_code=code, truncated=truncated)

    def upload_files(self, files: List[Tuple[str, bytes]]) -> List[FileUploadResponse]:
        return [self._upload(path, content) for path, content in files]

    def _upload(self, path: str, content: bytes) -> FileUploadResponse:
        try:
            self._client.files.write(self._task, _absolute(path), content)
            return FileUploadResponse(path=path, error=None)
        except CaissonError as error:
            return FileUploadResponse(path=path, error=self._reason(path, error))

    def download_files(self, paths: List[str]) -> List[FileDownloadResponse]:
        return [self._download(path) for path in paths]

    def _download(self, path: str) -> FileDownloadResponse:
        try:
            return FileDownloadResponse(
                path=path, content=self._client.files.read_whole(self._task, _absolute(path)), error=None
            )
        except CaissonError as error:
            return FileDownloadResponse(path=path, content=None, error=self._reason(path, error))

    def _reason(self, path: str, error: CaissonError) -> str:
        """In the words of Deep Agents, as far as it has one."""
        if isinstance(error, NotFound):
            return "file_not_found"
        if isinstance(error, (PermissionDenied, PolicyDenied)):
            return "permission_denied"
        if isinstance(error, FailedPrecondition):
            try:
                is_directory = self._client.files.stat(self._task, path).kind == "directory"
            except CaissonError:
                is_directory = False
            return "is_directory" if is_directory else "permission_denied"
        return "invalid_path" if isinstance(error, InvalidArgument) else str(error)


def _absolute(path: str) -> str:
    if path.startswith("/"):
        return path
    raise InvalidArgument(f"{path!r} is no absolute path")
