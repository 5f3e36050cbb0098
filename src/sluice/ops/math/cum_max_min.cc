// CumMax and CumMin.
#include <limits>

#include "sluice/kernels/cpu/scan.h"
#include "sluice/kernels/scan_samples.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"
#include "sluice/ops/math/scan_grad.h"

namespace sluice {
namespace {

struct CumMaxOp {
  static constexpr bool kAssociative = true;
  template <class C>
  static C Start() {
    using Limits = std::numeric_limits<C>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  // Also for vectors, whose comparisons give vectors.
  template <class C>
  static C Apply(C a, C x) {
    return ((x > a) | (x != x)) ? x : a;
  }
};

struct CumMinOp {
  static constexpr bool kAssociative = true;
  template <class C>
  static C Start() {
    using Limits = std::numeric_limits<C>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  // Also for vectors, whose comparisons give vectors.
  template <class C>
  static C Apply(C a, C x) {
    return ((x < a) | (x != x)) ? x : a;
  }
};

template <bool kMax>
double Fold(const std::vector<double>& v) {
  double best = v[0];
  for (double x : v) best = (kMax ? x > best : x < best) || x != x ? x : best;
  return best;
}

OpDefinition& CumExtreme(OpDefinition&& op, std::string_view name) {
  return Scan(std::move(op), name)
      .types("T", kReals)
      .attr("reverse", false, "Start from the end.")
      .grad(CumExtremeGrad)
      .samples(ScanSamples(false));
}

}  // namespace

SL_OP_OF(CumMax, CumExtreme)
    .doc("The largest element so far along an axis; NaN from the first NaN on.")
    .cpu(ScanKernel<CumMaxOp, false, RealTypes>::Launch)
    .reference(ScanReference(Fold<true>));
SL_FACE(CumMax).keeps({DType::kBool});

SL_OP_OF(CumMin, CumExtreme)
    .doc(
        "The smallest element so far along an axis; NaN from the first NaN on.")
    .cpu(ScanKernel<CumMinOp, false, RealTypes>::Launch)
    .reference(ScanReference(Fold<false>));
SL_FACE(CumMin).keeps({DType::kBool});

}  // namespace sluice
