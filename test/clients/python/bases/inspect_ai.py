"""Inspect: `src/inspect_ai/util/_sandbox/environment.py`."""

import abc
import dataclasses
import typing

SOURCE = [("METR/inspect_ai", "src/inspect_ai/util/_sandbox/environment.py", "09ef0b6fcf6b6949243a784d5509c63c98f9eba5")]

T = typing.TypeVar("T")


@dataclasses.dataclass
class ExecResult(typing.Generic[T]):
    success: bool
    returncode: int
    stdout: T
    stderr: T


class OutputLimitExceededError(Exception):
    def __init__(self, limit_str, truncated_output):
        self.limit_str, self.truncated_output = limit_str, truncated_output


class SandboxEnvironment(abc.ABC):
    @abc.abstractmethod
    async def exec(
        self,
        cmd,
        input=None,
        cwd=None,
        env={},
        user=None,
        timeout=None,
        timeout_retry=True,
        concurrency=True,
    ): ...

    @abc.abstractmethod
    async def write_file(self, file, contents): ...

    @abc.abstractmethod
    async def read_file(self, file, text=True): ...

    async def connection(self, *, user=None): ...

    def as_type(self, sandbox_cls): ...

    def default_polling_interval(self): ...

    @classmethod
    def default_concurrency(cls): ...

    @classmethod
    async def task_init(cls, task_name, config): ...

    @classmethod
    async def task_init_environment(cls, config, metadata): ...

    @classmethod
    async def sample_init(cls, task_name, config, metadata): ...

    @classmethod
    @abc.abstractmethod
    async def sample_cleanup(cls, task_name, config, environments, interrupted): ...

    @classmethod
    async def task_cleanup(cls, task_name, config, cleanup): ...

    @classmethod
    async def cli_cleanup(cls, id): ...

    @classmethod
    def config_files(cls): ...

    @classmethod
    def config_deserialize(cls, config): ...


REGISTERED = {}


def sandboxenv(name):
    def register(kind):
        REGISTERED[name] = kind
        return kind

    return register


MODULES = {
    "inspect_ai.util": {
        "ExecResult": ExecResult,
        "OutputLimitExceededError": OutputLimitExceededError,
        "SandboxEnvironment": SandboxEnvironment,
        "sandboxenv": sandboxenv,
    }
}
