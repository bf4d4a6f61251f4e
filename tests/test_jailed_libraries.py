"""Libraries that bots are written with, inside of a jail: NumPy, SciPy, Numba, ONNX Runtime; and large weights."""

import re
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bidwhist.bot.jailed.isolation import contained
from bidwhist.bot.jailed.ready import ready_code
from bidwhist.bot.sources.find import find_bot
from bidwhist.play import run_tournament
from bidwhist.results import load
from bidwhist.results.manifest import read_manifest
from bidwhist.results.standings import standings_of

MEGABYTES = 50


def folder_with(folder: Path, code: str, **files: bytes) -> str:
    folder.mkdir()
    (folder / "bot.py").write_text(code, encoding="utf-8")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return str(folder)


def play(spec: str, tmp_path: Path, **more: Any) -> Path:
    """A short run of the bot against `random`, in which nobody has failed."""
    fields = {"name": "t", "seed": "secret", "boards": 6, "bots": ["random", {"spec": spec, "name": "own"}], **more}
    run = run_tournament(fields, out=tmp_path / "run", jobs=1)
    assert list(standings_of(run).faults) == []
    assert read_manifest(run).bots[1].isolation == "jail"
    assert len(load(run)) == 2 * fields["boards"]
    return run


SCIENCE = """
import numpy as np
from scipy.optimize import linprog
from scipy.stats import norm

WEIGHTS = np.random.default_rng(1).normal(size=(60, 60))

def act(obs):
    found = linprog([-1, -2], A_ub=[[1, 1]], b_ub=[norm.ppf(0.975)])
    values = np.linalg.solve(WEIGHTS @ WEIGHTS.T + np.eye(60), WEIGHTS[0])
    return obs.legal[int(abs(1000 * (values.sum() + found.fun))) % len(obs.legal)]
"""


def test_numpy_and_scipy(tmp_path: Path) -> None:
    play(folder_with(tmp_path / "own", SCIENCE), tmp_path)


NUMBA = """
import numba

@numba.njit(cache=True)
def pick(number, most):
    total = 0
    for k in range(number % 1000):
        total += k * k
    return total % most

def act(obs):
    return obs.legal[pick(obs.hand_mask, len(obs.legal))]
"""


def test_functions_of_numba_with_a_cache_of_their_own(tmp_path: Path) -> None:
    play(folder_with(tmp_path / "own", NUMBA), tmp_path)


def test_a_compiled_bot_is_compiled_before_the_run_and_read_in_it(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(COMPILED.replace("SALT", str(tmp_path)), encoding="utf-8")
    spec = str(tmp_path / "own.py")
    source = contained(find_bot(spec))
    assert ready_code(source.inner) is None  # type: ignore[attr-defined]  # it is a jailed source
    run = play(spec, tmp_path)
    kept = ready_code(source.inner)  # type: ignore[attr-defined]  # as above
    assert kept is not None
    assert {path.suffix for path in kept.rglob("*") if path.is_file()} >= {".nbi", ".nbc"}
    assert load(run)["points"].notna().all()


COMPILED = '''
"""SALT"""
from bidwhist import compiled
from bidwhist.bits import lowest
from bidwhist.state import first_action


@compiled
def low(public, legal):
    return first_action(public.phase) + lowest(legal)


def call(private, public, stream):
    return low(public, private.legal)


def prepare(private, public, stream):
    return low(public, private.legal)


def play(private, public, stream):
    return low(public, private.legal) + 0 * len("SALT")
'''

WEIGHTS = """
from pathlib import Path

import numpy as np

print("weights are read", flush=True)
W = np.load(Path(__file__).parent / "weights", allow_pickle=False)

def act(obs):
    return obs.legal[int(W[obs.hand_mask % len(W)]) % len(obs.legal)]
"""


def test_weights_are_read_once_a_process_and_not_once_a_board(tmp_path: Path) -> None:
    spec = folder_with(tmp_path / "own", WEIGHTS)
    np.save(tmp_path / "own" / "weights.npy", np.arange(MEGABYTES << 17))
    (tmp_path / "own" / "weights.npy").rename(tmp_path / "own" / "weights")
    run = play(spec, tmp_path, boards=40)
    printed = (run / "timings" / "output.txt").read_text(encoding="utf-8")
    parts = len(list((run / "boards").glob("*.parquet")))
    assert 1 <= len(re.findall("weights are read", printed)) <= 4 * parts < len(load(run)) // 2


def message(*fields: tuple[int, int | bytes]) -> bytes:
    """A message of Protocol Buffers: numbers, and texts or messages, by the number of their field."""

    def number(value: int) -> Iterable[int]:
        while value > 127:
            yield value & 127 | 128
            value >>= 7
        yield value

    data = bytearray()
    for field, value in fields:
        if isinstance(value, int):
            data += bytes([*number(field << 3), *number(value)])
        else:
            data += bytes([*number(field << 3 | 2), *number(len(value))]) + value
    return bytes(data)


def a_model(weights: Iterable[float], size: int) -> bytes:
    """A model in the format ONNX: y = x @ w, with x (float32[1, size]) and w (float32[size, size])."""

    def array(name: bytes) -> bytes:
        shape = message((1, message((1, 1))), (1, message((1, size))))
        return message((1, name), (2, message((1, message((1, 1), (2, shape))))))

    values = b"".join(struct.pack("<f", each) for each in weights)
    tensor = message((1, size), (1, size), (2, 1), (8, b"w"), (9, values))
    node = message((1, b"x"), (1, b"w"), (2, b"y"), (4, b"MatMul"))
    graph = message((1, node), (2, b"g"), (5, tensor), (11, array(b"x")), (12, array(b"y")))
    return message((1, 8), (7, graph), (8, message((1, b""), (2, 13))))


ONNX = """
from pathlib import Path

import numpy as np
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
MODEL = onnxruntime.InferenceSession(
    (Path(__file__).parent / "model").read_bytes(), options, providers=["CPUExecutionProvider"]
)

def act(obs):
    x = np.zeros((1, 54), np.float32)
    x[0, obs.hand] = 1
    [y] = MODEL.run(["y"], {"x": x})
    return max(obs.legal, key=lambda action: y[0, action % 54])
"""


@pytest.mark.long
def test_inference_by_onnx_runtime(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model = a_model(np.random.default_rng(1).normal(size=54 * 54), 54)
    spec = folder_with(tmp_path / "own", ONNX, model=model)
    play(spec, tmp_path)
