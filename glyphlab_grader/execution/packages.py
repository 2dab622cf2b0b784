"""Which installed packages a student's process may see: a few, with what they require.

Everything else that is installed (scikit-learn, torchmetrics, nbgrader, the course itself) is not
in the sandbox, so that an answer cannot be looked up there.
"""

import sys
import sysconfig
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

__all__ = ["STUDENT_PACKAGES", "interpreter_folders", "visible_entries"]

#: Distributions that notebooks may import; what these require comes with them.
STUDENT_PACKAGES = ("numpy", "torch", "matplotlib", "scipy", "ipython", "matplotlib-inline", "tqdm")

# A build tool that torch names as a requirement.
_NOT_NEEDED = {"setuptools"}


@cache
def visible_entries(names: tuple[str, ...] = STUDENT_PACKAGES) -> tuple[Path, ...]:
    """List the files and folders of the distributions `names` and of all that they require.

    Parameters
    ----------
    names : tuple of str
        Distributions; those that are not installed are left out.

    Returns
    -------
    tuple of pathlib.Path
        Top-level entries of the folders that packages are installed in.
    """
    found: dict[str, Distribution] = {}
    waiting = list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found or name in _NOT_NEEDED:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        waiting += _required(found[name])
    entries = {entry for one in found.values() for entry in _entries(one)}
    return tuple(sorted(entries))


def interpreter_folders() -> tuple[Path, ...]:
    """Give the folder of the running interpreter and its library, without system folders."""
    folders = {Path(sys.base_prefix).resolve(), Path(sys.executable).resolve().parent.parent}
    return tuple(
        sorted(f for f in folders if not f.is_relative_to("/usr") or f == Path("/usr/local"))
    )


def site_folders() -> tuple[Path, ...]:
    """Give every folder that packages may be installed in, so that it can be hidden."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    candidates = {
        Path(sysconfig.get_path("purelib")),
        Path(sysconfig.get_path("platlib")),
        Path(sys.base_prefix).resolve() / "lib" / version / "site-packages",
        Path("/usr/lib/python3/dist-packages"),
        Path("/usr/local/lib") / version / "dist-packages",
        Path("/usr/local/lib") / version / "site-packages",
    }
    return tuple(sorted(folder for folder in candidates if folder.is_dir()))


def _required(package: Distribution) -> list[str]:
    """Name what a distribution requires here, without extras."""
    requirements = [Requirement(text) for text in package.requires or []]
    return [r.name for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})]


def _entries(package: Distribution) -> set[Path]:
    """Find a distribution's top-level files and folders where packages are installed."""
    base = Path(str(package.locate_file("")))
    tops = {file.parts[0] for file in package.files or []}
    return {base / top for top in tops if _importable(base / top)}


def _importable(path: Path) -> bool:
    """Say whether something can be imported from a path; each one shown costs a mount."""
    if path.is_dir():
        return path.name not in {"..", "__pycache__"} and path.suffix != ".dist-info"
    return path.suffix in {".py", ".so"} and path.exists()
