"""Harbor: `src/harbor/environments/base.py`."""

import abc
import types

SOURCE = [("lieexxli/harbor", "src/harbor/environments/base.py", "0cc60d897bd0fe9b5d9f2137e0044e368fd6ef49")]


class ExecResult:
    def __init__(self, *, return_code, stdout=None, stderr=None):
        self.return_code, self.stdout, self.stderr = return_code, stdout, stderr


def capabilities(**given):
    known = ("gpus", "tpus", "disable_internet", "mounted", "windows", "network_allowlist", "dynamic_network_policy")
    unknown = [name for name in given if name not in (*known, "docker_compose")]
    if unknown:
        raise TypeError(f"unknown {unknown}")
    return types.SimpleNamespace(**{name: given.get(name, False) for name in known})


class BaseEnvironment(abc.ABC):
    """The constructor keeps what the real one does, as far as an environment reads it."""

    def __init__(self, environment_dir, environment_name, session_id, trial_paths, task_env_config, **_):
        self.environment_dir, self.environment_name, self.session_id = environment_dir, environment_name, session_id
        self.trial_paths, self.task_env_config, self.default_user = trial_paths, task_env_config, None
        self._network_disabled = getattr(task_env_config, "network_disabled", False)
        self._effective_cpus = getattr(task_env_config, "cpus", None)
        self._effective_memory_mb = getattr(task_env_config, "memory_mb", None)
        self._effective_storage_mb = getattr(task_env_config, "storage_mb", None)
        self._validate_definition()

    def _resolve_user(self, user):
        return user if user is not None else self.default_user

    def _merge_env(self, env):
        return env

    async def _upload_environment_dir_after_start(self): ...

    @staticmethod
    @abc.abstractmethod
    def type(): ...

    @property
    def capabilities(self): ...

    @classmethod
    def resource_capabilities(cls): ...

    @abc.abstractmethod
    def _validate_definition(self): ...

    @classmethod
    def preflight(cls): ...

    @abc.abstractmethod
    async def start(self, force_build): ...

    @abc.abstractmethod
    async def stop(self, delete): ...

    async def prepare_logs_for_host(self): ...

    @abc.abstractmethod
    async def upload_file(self, source_path, target_path): ...

    @abc.abstractmethod
    async def upload_dir(self, source_dir, target_dir): ...

    @abc.abstractmethod
    async def download_file(self, source_path, target_path): ...

    @abc.abstractmethod
    async def download_dir(self, source_dir, target_dir): ...

    @abc.abstractmethod
    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None): ...

    async def attach(self): ...


MODULES = {
    "harbor.environments.base": {"BaseEnvironment": BaseEnvironment, "ExecResult": ExecResult},
    "harbor.environments.capabilities": {"EnvironmentCapabilities": capabilities},
}
