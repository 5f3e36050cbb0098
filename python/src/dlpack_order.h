// Order of GPU accesses when elements are shared by DLPack: the host does not
// wait, but the streams of both sides are synchronized.
#pragma once

#include "common.h"
#include "dlpack_abi.h"
#include "sluice/device/device.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// Throws TypeError for memory that is neither the CPU's nor a GPU's.
dlpack::Device DlpackDeviceOf(const Array& array);
// The GPU with that number. Throws BufferError if there is none.
Device& DlpackGpu(int32_t id);
// The driver's default stream, which other libraries use by default.
Stream& DefaultCudaStream(Device& device);

// Makes the stream given to __dlpack__ wait for our work on the elements;
// returns it, or null for the CPU. None and 1 are the default stream, 2 the
// per-thread default stream; -1 requests no synchronization.
Stream* HandOver(const Array& array, nb::handle stream);
// Makes our later work wait for that stream's work on the elements.
void TakeBack(const Array& array, Stream& reader);

}  // namespace sluice::py
