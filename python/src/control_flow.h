// Declarations shared by the files of control flow.
#pragma once

#include "code.h"
#include "common.h"
#include "sluice/trace/record_region.h"

namespace sluice::py {

// Thrown inside a loop, caught where the loop is restarted: a number it started
// with turned out to need another type.
struct OtherTypes {
  std::vector<DType> dtypes;
};

// Compares carried values with their next values. Throws OtherTypes if a weak
// number becomes a tensor of another type.
void CheckWeak(const std::vector<DType>& carried, const std::vector<bool>& weak,
               std::span<const Tensor> next);

// `save` is a str or a Save.
front_internal::LoopSettings Settings(nb::handle save, std::string name,
                                      int64_t parallel, int64_t maximum);

void BindLoops(nb::module_& m);      // while_loop
void BindSequences(nb::module_& m);  // map_fn, scan, folds

}  // namespace sluice::py
