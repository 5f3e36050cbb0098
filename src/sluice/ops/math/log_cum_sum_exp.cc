#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/scan.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/scan_samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct LogCumSumExpOp {
  template <class C>
  static C Start() {
    return -std::numeric_limits<C>::infinity();
  }
  template <class C>
  static C Apply(C a, C x) {
    C high = a > x ? a : x, low = a > x ? x : a;
    // Equal infinities have no difference.
    C gap = low == high ? C(0) : low - high;
    C y = high + vmath::Log1p(vmath::Exp(gap));
    return high == -std::numeric_limits<C>::infinity() && a == a ? high : y;
  }
};

}  // namespace

SL_OP(LogCumSumExp)
    .doc(
        "log of the running sums of exp(x) along an axis, without overflow on "
        "the way.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("axis", 0, "The axis to go along.")
    .attr("exclusive", false, "Leave out the element itself.")
    .attr("reverse", false, "Start from the end.")
    .shape(scan_shape)
    .cpu(ScanKernel<LogCumSumExpOp, true, FloatTypes>::Launch)
    .in_place()
    .tolerance(1e-5)
    .reference(ScanReference([](const std::vector<double>& v) {
      double high = -HUGE_VAL, sum = 0;
      for (double x : v) high = std::fmax(high, x);
      if (std::isinf(high)) return high;
      for (double x : v) sum += std::exp(x - high);
      return high + std::log(sum);
    }))
    .samples(ScanSamples(true, -30, 30))
    .rejects(ScanRejects("LogCumSumExp"));

}  // namespace sluice
