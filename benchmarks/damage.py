"""Does damage ever show as a wrong number? Flipped bits, and kills at random moments, with what came of them.

    python benchmarks/damage.py --flips 20000 --kills 50

For each flip one bit of a part, of the manifest or of a derived table is turned over, and the standings and the frame
are read: they are right, or refused in words. For each kill a run with two workers is ended by SIGKILL, with all its
processes, after a random time, and its standings are read; in the end it is resumed and compared with a run that was
left alone, byte for byte.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bidwhist import run_tournament
from bidwhist.errors import BidWhistError, RunError
from bidwhist.results import load
from bidwhist.results.standings import standings_of

FIELDS = {"name": "damage", "seed": 7, "boards": 64, "bots": ["random", "random?calls=pass", "heuristic"]}
SLOW = "import time\n\ndef act(obs):\n    time.sleep(0.001)\n    return obs.legal[0]\n"


def main() -> None:
    """Print what came of the flips and of the kills."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--flips", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        print("flips:", dict(flips(Path(folder), options.flips, chance)), flush=True)
        print("kills:", dict(kills(Path(folder), options.kills, chance)))


def flips(folder: Path, number: int, chance: random.Random) -> Counter[str]:
    """Turn over `number` bits, one at a time; how often which came of it."""
    run = run_tournament(FIELDS, out=folder / "flipped", executor="inline")
    files = [run / "manifest.json", run / "standings.parquet", *sorted((run / "boards").iterdir())]
    right, rows = standings_of(run), load(run)
    found: Counter[str] = Counter()
    for _ in range(number):
        file = chance.choice(files)
        before = file.read_bytes()
        after = bytearray(before)
        after[chance.randrange(len(after))] ^= 1 << chance.randrange(8)
        file.write_bytes(after)
        for what, read, expected in (("standings", standings_of, right), ("frame", load, rows)):
            try:
                given = read(run)
            except BidWhistError:
                found[f"{what} refused"] += 1
            except Exception as error:
                found[f"{what}: {type(error).__name__}"] += 1
            else:
                same = given.equals(expected) if what == "frame" else given == expected
                found[f"{what} {'right' if same else 'WRONG'}"] += 1
        file.write_bytes(before)
    return found


def kills(folder: Path, number: int, chance: random.Random) -> Counter[str]:
    """Kill a run `number` times; how often which came of it."""
    (folder / "slow.py").write_text(SLOW, encoding="utf-8")
    file = folder / "t.toml"
    file.write_text('seed = 3\nboards = 300\nbots = ["random", "heuristic", "slow.py"]\n', encoding="utf-8")
    whole, run = folder / "whole", folder / "killed"
    start(file, whole).wait()
    found: Counter[str] = Counter()
    for _ in range(number):
        process = start(file, run)
        time.sleep(chance.uniform(0.1, 4))
        found["finished before" if process.poll() is not None else "killed"] += 1
        process.kill()  # its workers notice, and end
        process.wait()
        try:
            found[f"tables counted: {'some' if standings_of(run).rows else 'none'}"] += 1
        except RunError as error:
            found["no manifest yet" if "no run's folder" in str(error) else f"refused: {error}"] += 1
        if process.returncode == 0:
            shutil.rmtree(run)
    start(file, run).wait()
    same = {path.name: path.read_bytes() for path in whole.rglob("*.parquet")} == {
        path.name: path.read_bytes() for path in run.rglob("*.parquet")
    }
    found["the same bytes in the end" if same else "OTHER BYTES IN THE END"] += 1
    return found


def start(file: Path, out: Path) -> subprocess.Popen[bytes]:
    """A run of a tournament file, or what is missing of it."""
    command = [sys.executable, "-m", "bidwhist", "run", str(file), "--out", str(out), "--resume", "--jobs", "2"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)


if __name__ == "__main__":
    main()
