// Elements of a GPU that change hands by DLPack: nobody waits, but the streams
// of both sides come in order.
#pragma once

#include "common.h"
#include "dlpack_abi.h"
#include "sluice/device/device.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// Throws TypeError for memory that is neither the CPU's nor a GPU's.
dlpack::Device DlpackDeviceOf(const Array& array);
// The GPU of that number. Throws BufferError when there is none.
Device& DlpackGpu(int32_t id);
// The driver's default stream, where libraries that say nothing else work.
Stream& DefaultCudaStream(Device& device);

// Makes the stream that __dlpack__ was called with wait for what we do with the
// elements; returns it, or null for those of the CPU. None is the default
// stream, as is 1; 2 that of each thread; -1 asks for no order.
Stream* HandOver(const Array& array, nb::handle stream);
// What that stream did with them comes before what we do next.
void TakeBack(const Array& array, Stream& reader);

}  // namespace sluice::py
