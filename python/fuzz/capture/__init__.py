"""Runs random programs imperatively and captured, and compares the outcomes.

A program is the text of a Python file as a user of PyTorch would write it, over a
namespace T that is sluice or torch. It defines `run(wrap, see)`, which makes its state,
wraps the function under test with `@wrap`, calls it several times with changes in
between, and passes the results and everything reachable to `see`.

    python -m capture 0:2000            every family, these seeds
    python -m capture 0:50 --family functional --reduce 5
    python -m capture --show state:17   the text of one program
    python -m capture --try file.py     a program of one's own

families.py lists the families of programs and the modes in which each runs. Nothing
here needs PyTorch or JAX. If PyTorch is installed, programs are compared with it too.
"""
