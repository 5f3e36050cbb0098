#include "sluice/nn/reduced.h"

#include "sluice/nn/checks.h"
#include "sluice/ops.h"

namespace sluice::nn {

Tensor Reduced(std::string_view loss, const Tensor& each,
               const std::string& reduction, std::source_location where) {
  if (reduction == "none") return each;
  if (reduction == "sum") return sum(each, {}, {}, where);
  SL_WANT(reduction == "mean", where, loss, ": reduction is \"", reduction,
          "\"; wanted none, mean or sum");
  return mean(each, {}, {}, where);
}

}  // namespace sluice::nn
