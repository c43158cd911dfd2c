"""Files and packages that Python functions import: a mixin of `TableEnvironment`.

Source: PyFlink's `TableEnvironment`, "dependency management".
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.plans.errors import ProgramError


class PythonFileMethods:
    """Methods that provide modules to Python functions."""

    add_python_archive = refused_method(
        "add_python_archive()",
        "Spark's workers do not extract archives for functions",
        "extract the archive, and open its files in the function by absolute paths; on a cluster start Spark with "
        "--archives, which extracts it at every worker",
    )

    def add_python_file(self, file_path: str) -> None:
        """Make a module importable for functions, here and at the workers.

        Args:
            file_path: a `.py` file, a folder with modules or packages, or a `.zip`, `.whl` or `.egg` file.

        Raises:
            ProgramError: the file does not exist.
        """
        path = Path(file_path).resolve()
        if not path.exists():
            raise ProgramError(f"there is no file {str(path)!r}", where="add_python_file()", remedy="check the path")
        place = str(path.parent if path.suffix == ".py" else path)
        if place not in sys.path:
            sys.path.append(place)

    def set_python_requirements(self, requirements_file_path: str, requirements_cache_dir: str | None = None) -> None:
        """Check that the packages of a requirements file are installed.

        PyFlink installs them at each worker when the job starts. Functions here use the packages of the interpreter
        that runs the program, so install them there before.

        Args:
            requirements_file_path: a file as for `pip install -r`.
            requirements_cache_dir: a folder of packages, for the error's remedy.

        Raises:
            ProgramError: the file does not exist, or a package is missing or of another version.
        """
        path = Path(requirements_file_path).resolve()
        if not path.exists():
            raise ProgramError(
                f"there is no file {str(path)!r}", where="set_python_requirements()", remedy="check the path"
            )
        # Without an index pip finds installed packages alone, so it fails for all that would have to be installed.
        check = [sys.executable, "-P", "-m", "pip", "install", "--dry-run", "--quiet", "--no-index", "-r", str(path)]
        done = subprocess.run(check, capture_output=True, text=True, check=False)
        if done.returncode:
            cache = "" if requirements_cache_dir is None else f" --no-index --find-links {requirements_cache_dir}"
            reason = done.stderr.strip().splitlines()[-1:] or [""]
            raise ProgramError(
                f"packages of {str(path)!r} are not installed: {reason[0].removeprefix('ERROR: ')}",
                where="set_python_requirements()",
                remedy=f"run {sys.executable} -m pip install -r {path}{cache}",
            )
