"""Commands in processes of their own, for tests of what comes of them."""

import subprocess
import sys
from pathlib import Path


def start(folder: Path, *arguments: object) -> subprocess.Popen[str]:
    """`bw-arena` with these arguments, in the working folder `folder`, as the leader of a session."""
    return subprocess.Popen(
        [sys.executable, "-m", "bidwhist", *map(str, arguments)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
