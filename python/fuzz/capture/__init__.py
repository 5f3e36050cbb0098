"""Random programs, each run at once and captured, and what came of them compared.

A program is the text of a Python file as a user of PyTorch would write it, over a
namespace T that is sluice or torch. It holds `run(wrap, see)`: it makes its state,
wraps the function under test as `@wrap` does, calls it several times with changes
between, and shows results and all that can be reached to `see`.

    python -m capture 0:2000            every family, these seeds
    python -m capture 0:50 --family functional --reduce 5
    python -m capture --show state:17   the text of one program
    python -m capture --try file.py     a program of one's own

families.py lists the kinds of programs and the ways each is run. Nothing here needs
PyTorch or JAX; with PyTorch there, programs are compared with it, too.
"""
