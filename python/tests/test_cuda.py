"""The package on a GPU: some checks of gpu/, on the emulated one. All of them run
by `make gpu-test`, on a real one."""

import os
import pathlib
import subprocess
import sys

import pytest

import sluice as sl

RUN = pathlib.Path(__file__).parent / "gpu" / "run.py"


def run(what, **more):
    env = {**os.environ, **more}
    return subprocess.run(
        [sys.executable, str(RUN), what],
        capture_output=True, text=True, timeout=500, env=env, check=False,
    )


@pytest.mark.parametrize(
    "what", ("cuda.", "sharing.", "errors.", "amp.grad_scaler", "recordings.")
)
def test_on_the_emulated_gpu(what):
    done = run(what, SLUICE_CUDA_EMULATION="1")
    if done.returncode == 2 and "built without CUDA" in done.stdout:
        pytest.skip("this build has no CUDA part")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 failed" in done.stdout


def test_without_a_gpu():
    if sl.cuda.is_available():
        pytest.skip("there is a GPU")
    assert sl.cuda.device_count() == 0
    with pytest.raises(RuntimeError, match="there is no GPU here"):
        sl.cuda.synchronize()
    with pytest.raises(ValueError, match="no device"):
        sl.ones(2).cuda()
    with pytest.warns(UserWarning, match="without a GPU"):
        scope = sl.amp.autocast("cuda")
    with scope:
        assert (sl.ones(2, 2) @ sl.ones(2, 2)).dtype == sl.float32
    assert run("cuda.").returncode == 2


def test_names():
    for one in ("cuda", "cuda:0", "gpu", "gpu:0"):
        for other in ("cuda", "cuda:0", "gpu", "gpu:0"):
            assert sl.device(one) == other and not sl.device(one) != other
            assert hash(sl.device(one)) == hash(sl.device(other))
        assert sl.device(one) != "cuda:1" and sl.device(one) != "cpu"
    assert sl.device("cpu") == "cpu:0" and sl.device("cpu:1") != "cpu"
