#include "profile.h"

#include "sluice/base/error.h"
#include "sluice/op/kernel_times.h"
#include "sluice/tensor/allocator.h"

namespace sluice::py {

namespace {

// Op, line, calls, seconds, seconds on the caller's thread, flops, bytes.
nb::list Rows() {
  nb::list rows;
  for (const KernelTimes::Row& r : KernelTimes::End()) {
    rows.append(
        nb::make_tuple(r.op, r.line.known() ? r.line.ToString() : std::string(),
                       r.calls, r.seconds, r.caller_seconds, r.flops, r.bytes));
  }
  return rows;
}

// Memory blocks allocated, and how many of them came from the system.
nb::tuple Allocations() {
  AllocatorStats stats = HostAllocator().stats();
  return nb::make_tuple(stats.allocations, stats.system_allocations);
}

}  // namespace

void BindProfile(nb::module_& m) {
  m.def("profile_begin", [] { ThrowIfError(KernelTimes::Begin()); });
  m.def("profile_end", &Rows);
  m.def("allocations", &Allocations);
}

}  // namespace sluice::py
