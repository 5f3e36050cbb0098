// Copies of elements that the host cannot touch, done by their device. Arrays
// know no devices: a higher layer sets the function (launch/copy_between.cc).
//
// Thread safe.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

// Elements of `from` become those of `to`, of equal dtype and shape, in the
// order of the device's work. At least one is in memory of a device.
using RemoteCopyFn = Status (*)(const Array& from, const Array& to);
// The array in that memory, itself when it is there; null: the host's main one.
using CopyToMemoryFn = Result<Array> (*)(const Array& from, Memory* to);

struct RemoteCopy {
  // Whether the host has to leave a copy between the two to a device.
  static bool Needed(const Array& from, const Array& to);
  // Throws sluice::Error.
  static void Run(const Array& from, const Array& to);
  static Result<Array> To(const Array& from, Memory* memory);
  static bool Set(RemoteCopyFn copy, CopyToMemoryFn copy_to);
};

}  // namespace sluice
