"""Install the wheel that lies in dist in a new environment, on any system, and use it there.

``python .ci/wheel.py`` solves and verifies a game outside of the clone, so that nothing but the wheel is used;
``--test`` installs what the tests need as well, and runs them; ``--version V`` asks whether this is version V.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--version")
    options = parser.parse_args()
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        programs = Path(folder, "venv", "Scripts" if os.name == "nt" else "bin")
        venv.create(programs.parent, with_pip=True)
        python = programs / "python"

        def run(*command: object, cwd: str | Path = folder) -> str:
            print("+", *command, flush=True)
            end = subprocess.run([str(word) for word in command], cwd=cwd, stdout=subprocess.PIPE, encoding="utf-8")
            print(end.stdout)
            if end.returncode:
                sys.exit(end.returncode)
            return end.stdout

        extra = "[test]" if options.test else ""
        run(python, "-m", "pip", "install", "--quiet", f"{wheel}{extra}")
        place = run(python, "-c", "import tremble; print(tremble.__file__)")
        if not Path(place.strip()).resolve().is_relative_to(programs.parent.resolve()):
            sys.exit(f"this is not the wheel: {place}")
        said = run(programs / "tremble", "--version").split()[-1]
        if options.version not in (None, said):
            sys.exit(f"the wheel is version {said}, not {options.version}")
        if options.test:
            run(python, "-m", "pytest", "--numprocesses", "2", "tests", cwd=ROOT)
        else:
            run(programs / "tremble", "solve", "leduc", "--concept", "quasi-perfect", "-o", "leduc.json")
            run(programs / "tremble", "verify", "leduc", "leduc.json")


if __name__ == "__main__":
    main()
