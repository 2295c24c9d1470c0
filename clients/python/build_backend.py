"""Builds the wheel of this folder with the standard library alone (PEP 517), so that an install asks no registry."""

import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
#: Two builds of the same files are the same bytes.
MOMENT = (2020, 1, 1, 0, 0, 0)
#: Frameworks look here for installed plug-ins.
ENTRY_POINTS = """\
[inspect_ai]
caisson = caisson_inspect_ai

[hermes_agent.plugins]
caisson = caisson_hermes
"""


def _read(name):
    with open(os.path.join(HERE, name), "rb") as file:
        return file.read()


def _project(key):
    found = re.search(rf'^{key} = "([^"]*)"$', _read("pyproject.toml").decode(), re.MULTILINE)
    assert found is not None, f"pyproject.toml has no {key}"
    return found[1]


def _modules():
    return sorted(name for name in os.listdir(HERE) if re.fullmatch(r"caisson\w*\.py", name))


def _metadata():
    fields = {
        "Metadata-Version": "2.1",
        "Name": _project("name"),
        "Version": _project("version"),
        "Summary": _project("description"),
        "License": "Apache-2.0",
        "Requires-Python": _project("requires-python"),
        "Description-Content-Type": "text/markdown",
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items()).encode() + b"\n" + _read("README.md")


def _name():
    return f"{_project('name')}-{_project('version')}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"{_name()}.dist-info"
    files = {name: _read(name) for name in _modules()}
    files[f"{info}/METADATA"] = _metadata()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: caisson\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = ENTRY_POINTS.encode()
    files[f"{info}/RECORD"] = b"".join(_recorded(*item) for item in files.items()) + f"{info}/RECORD,,\n".encode()
    target = f"{_name()}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, target), "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return target


def _recorded(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n".encode()


def build_sdist(sdist_directory, config_settings=None):
    target = f"{_name()}.tar.gz"
    names = [*_modules(), "README.md", "build_backend.py", "pyproject.toml"]
    with tarfile.open(os.path.join(sdist_directory, target), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, data in [*((name, _read(name)) for name in names), ("PKG-INFO", _metadata())]:
            entry = tarfile.TarInfo(f"{_name()}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return target


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []
