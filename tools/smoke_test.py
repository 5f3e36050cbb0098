"""What a fresh installation of the Python package must be able to do."""

import pathlib
import sys

import sluice as sl

package = pathlib.Path(sl.__file__).parent
assert "site-packages" in package.parts, package
for name in ("py.typed", "_core.pyi", "_ops.pyi"):
    assert (package / name).exists(), name
for name in ("torch", "jax", "tensorflow", "ml_dtypes", "safetensors"):
    assert name not in sys.modules, name

x = sl.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x * x).sum().backward()
assert x.grad.tolist() == [2.0, 4.0, 6.0], x.grad
net = sl.nn.Sequential(sl.nn.Linear(3, 4), sl.nn.ReLU(), sl.nn.Linear(4, 1))
optimizer = sl.optim.Adam(net.parameters(), lr=0.01)


@sl.function
def step(batch):
    loss = (net(batch) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


batch = sl.ones((8, 3))
first = step(batch).item()
for _ in range(20):
    last = step(batch).item()
assert last < first, (first, last)
print(f"smoke test: sluice {sl.__version__} works, from {package}")
