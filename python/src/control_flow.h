// What the files of control flow share.
#pragma once

#include "code.h"
#include "common.h"
#include "sluice/trace/record_region.h"

namespace sluice::py {

// Thrown by code of ours inside a loop, caught where the loop is begun again: a
// number it started with turned out to be of another type.
struct OtherTypes {
  std::vector<DType> dtypes;
};

// Compares what a loop carries with what it carries next. Throws OtherTypes
// when numbers it was given as such are tensors of another type from then on.
void CheckWeak(const std::vector<DType>& carried, const std::vector<bool>& weak,
               std::span<const Tensor> next);

// `save` is a str or a Save.
front_internal::LoopSettings Settings(nb::handle save, std::string name,
                                      int64_t parallel, int64_t maximum);

void BindLoops(nb::module_& m);      // while_loop
void BindSequences(nb::module_& m);  // map_fn, scan, folds

}  // namespace sluice::py
