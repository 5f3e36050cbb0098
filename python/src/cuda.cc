// The GPUs of this machine, for the module sluice.cuda.
#include "sluice/front/cuda.h"

#include "caller_line.h"
#include "errors.h"
#include "graph.h"

namespace sluice::py {

namespace {

using namespace nb::literals;

nb::dict Properties(int device) {
  cuda::Properties figures = cuda::get_device_properties(device);
  nb::dict made;
  made["name"] = figures.name;
  made["major"] = figures.major;
  made["minor"] = figures.minor;
  made["multi_processor_count"] = figures.multi_processor_count;
  made["total_memory"] = figures.total_memory;
  return made;
}

nb::dict Memory(int device) {
  cuda::MemoryStats stats = cuda::memory_stats(device);
  nb::dict made;
  made["allocated"] = stats.allocated;
  made["max_allocated"] = stats.max_allocated;
  made["reserved"] = stats.reserved;
  made["allocations"] = stats.allocations;
  return made;
}

// Other threads may run while this one waits.
template <class Wait>
void Waiting(Wait wait) {
  ReleaseGil released;
  wait();
}

void BindStream(nb::module_& m) {
  nb::class_<cuda::CudaStream>(m, "CudaStream")
      .def_prop_ro("device_index", &cuda::CudaStream::device)
      .def_prop_ro("cuda_stream", &cuda::CudaStream::handle)
      .def("query", &cuda::CudaStream::query)
      .def("synchronize",
           [](const cuda::CudaStream& s) { Waiting([&] { s.synchronize(); }); })
      .def("wait_event", &cuda::CudaStream::wait_event, "event"_a)
      .def("wait_stream", &cuda::CudaStream::wait_stream, "stream"_a)
      .def("same", [](const cuda::CudaStream& a, const cuda::CudaStream& b) {
        return a == b;
      });
  m.def(
      "cuda_new_stream", [](int device) { return cuda::CudaStream(device); },
      "device"_a);
  m.def("cuda_current_stream", &cuda::CudaStream::current, "device"_a);
  m.def("cuda_external_stream", &cuda::CudaStream::external, "handle"_a,
        "device"_a);
}

void BindEvent(nb::module_& m) {
  nb::class_<cuda::Event>(m, "CudaEvent")
      .def(nb::init<bool, int>(), "enable_timing"_a, "device"_a)
      .def(
          "record",
          [](const cuda::Event& e, const cuda::CudaStream& s) { e.record(s); },
          "stream"_a)
      .def(
          "wait",
          [](const cuda::Event& e, const cuda::CudaStream& s) { e.wait(s); },
          "stream"_a)
      .def("query", &cuda::Event::query)
      .def("synchronize",
           [](const cuda::Event& e) { Waiting([&] { e.synchronize(); }); })
      .def("elapsed_time", &cuda::Event::elapsed_time, "end"_a);
}

}  // namespace

void BindCuda(nb::module_& m) {
  BindEvent(m);
  BindStream(m);
  m.def("cuda_device_count", &cuda::device_count);
  m.def("cuda_why_unavailable", &cuda::why_unavailable);
  m.def("cuda_properties", &Properties, "device"_a);
  m.def(
      "cuda_synchronize",
      [](int device) { Waiting([&] { cuda::synchronize(device); }); },
      "device"_a);
  m.def("cuda_memory", &Memory, "device"_a);
  m.def("cuda_reset_peak", &cuda::reset_peak_memory_stats, "device"_a);
  m.def("cuda_mem_get_info", &cuda::mem_get_info, "device"_a);
  m.def("cuda_tf32_allowed", &cuda::tf32_allowed);
  m.def("cuda_allow_tf32", &cuda::allow_tf32, "allow"_a);
}

}  // namespace sluice::py
