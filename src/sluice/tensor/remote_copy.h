// Copies of elements that the host cannot access, done by their device. Arrays
// do not know devices: a higher layer sets the functions
// (launch/copy_between.cc).
//
// Thread safe.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

// Copies the elements of `from` to `to`, of equal dtype and shape, in the order
// of the device's work. At least one is in device memory.
using RemoteCopyFn = Status (*)(const Array& from, const Array& to);
// The array in that memory, itself if it is there; null: the host's main
// memory.
using CopyToMemoryFn = Result<Array> (*)(const Array& from, Memory* to);

struct RemoteCopy {
  // Whether a device must do the copy between the two.
  static bool Needed(const Array& from, const Array& to);
  // Throws sluice::Error.
  static void Run(const Array& from, const Array& to);
  static Result<Array> To(const Array& from, Memory* memory);
  static bool Set(RemoteCopyFn copy, CopyToMemoryFn copy_to);
};

}  // namespace sluice
