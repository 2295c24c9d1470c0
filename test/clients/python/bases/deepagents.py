"""Deep Agents: `libs/deepagents/deepagents/backends/protocol.py` and `sandbox.py`."""

import abc
import dataclasses

SOURCE = [
    ("langchain-ai/deepagents", "libs/deepagents/deepagents/backends/protocol.py", "01086a29bcfa469c5f2def9c0b2697d09a30f059"),
    ("langchain-ai/deepagents", "libs/deepagents/deepagents/backends/sandbox.py", "0171650e90e9b0495586493dc05f82c4d8da1217"),
]


@dataclasses.dataclass
class ExecuteResponse:
    output: str
    exit_code: object = None
    truncated: bool = False


@dataclasses.dataclass
class FileDownloadResponse:
    path: str
    content: object = None
    error: object = None


@dataclasses.dataclass
class FileUploadResponse:
    path: str
    error: object = None


class BaseSandbox(abc.ABC):
    @property
    @abc.abstractmethod
    def id(self): ...

    @abc.abstractmethod
    def execute(self, command, *, timeout=None): ...

    @abc.abstractmethod
    def upload_files(self, files): ...

    @abc.abstractmethod
    def download_files(self, paths): ...


MODULES = {
    "deepagents.backends.protocol": {
        "ExecuteResponse": ExecuteResponse,
        "FileDownloadResponse": FileDownloadResponse,
        "FileUploadResponse": FileUploadResponse,
    },
    "deepagents.backends.sandbox": {"BaseSandbox": BaseSandbox},
}
