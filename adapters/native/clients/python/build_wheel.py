"""Builds the package for pip without other packages, so that it installs without network (PEP 517).

pip would otherwise fetch setuptools, which the venv of Debian 13 does not have.
"""
import base64
import hashlib
import pathlib
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def project() -> dict:
    return tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write(folder: str, files: dict[str, bytes]) -> str:
    about = project()
    info = f"{about['name']}-{about['version']}.dist-info"
    files = files | {
        f"{info}/METADATA": (f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\nSummary: {about['description']}\n"
                             f"Requires-Python: {about['requires-python']}\n").encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: entente\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()) + f"{info}/RECORD,,\n"
    name = f"{about['name']}-{about['version']}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in (files | {f"{info}/RECORD": record.encode()}).items():
            wheel.writestr(path, data)
    return name


def build_wheel(wheel_directory: str, config_settings=None, metadata_directory=None) -> str:
    package = HERE / "entente"
    return write(wheel_directory, {f"entente/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()})


def build_editable(wheel_directory: str, config_settings=None, metadata_directory=None) -> str:
    return write(wheel_directory, {"entente.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory: str, config_settings=None) -> str:
    raise NotImplementedError("install the package from its folder")
