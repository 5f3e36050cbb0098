#!/usr/bin/env python3
"""Makes data/mnist from the published MNIST files: 8,000 training digits and
2,000 test digits, chosen evenly over the files, in their order.

  tools/make_mnist_subset.py FOLDER     FOLDER holds the four .gz files

The same input gives the same bytes.
"""

import gzip
import pathlib
import struct
import sys

CHOSEN = {"train": 8000, "t10k": 2000}


def read(path):
  data = gzip.decompress(path.read_bytes())
  rank = data[3]
  dims = struct.unpack(f">{rank}I", data[4:4 + 4 * rank])
  return dims, data[4 + 4 * rank:]


def write(path, dims, body):
  header = bytes([0, 0, 8, len(dims)]) + struct.pack(f">{len(dims)}I", *dims)
  # No name and no time, which would make every run another file.
  path.write_bytes(gzip.compress(header + body, compresslevel=9, mtime=0))


def main(arguments):
  if len(arguments) != 1:
    print(__doc__)
    return 2
  source = pathlib.Path(arguments[0])
  target = pathlib.Path(__file__).resolve().parent.parent / "data" / "mnist"
  for split, count in CHOSEN.items():
    for kind in ("images-idx3", "labels-idx1"):
      name = f"{split}-{kind}-ubyte.gz"
      dims, body = read(source / name)
      size = len(body) // dims[0]
      rows = [i * dims[0] // count for i in range(count)]
      chosen = b"".join(body[r * size:(r + 1) * size] for r in rows)
      write(target / name, (count,) + dims[1:], chosen)
      print(f"{name}: {count} of {dims[0]}")
  return 0


if __name__ == "__main__":
  sys.exit(main(sys.argv[1:]))
