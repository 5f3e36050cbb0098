#include "sluice/kernels/cpu/scan.h"
#include "sluice/kernels/scan_samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct CumProdOp {
  static constexpr bool kAssociative = true, kWraps = true;
  template <class C>
  static C Start() {
    return 1;
  }
  template <class C>
  static C Apply(C a, C x) {
    if constexpr (std::is_integral_v<C>) {
      return Wrap<C>(ToWrap(a) * ToWrap(x));
    } else {
      return a * x;
    }
  }
};

}  // namespace

SL_OP(CumProd)
    .doc("Running products along an axis; integers wrap.")
    .input("x: T")
    .output("y: T")
    .types("T", kReals)
    .attr("axis", 0, "The axis to go along.")
    .attr("exclusive", false, "Leave out the element itself.")
    .attr("reverse", false, "Start from the end.")
    .shape(scan_shape)
    .cpu(ScanKernel<CumProdOp, true, RealTypes>::Launch)
    .cpu_workspace(scan_workspace)
    .in_place()
    .tolerance(1e-5)
    .reference(ScanReference([](const std::vector<double>& v) {
      double product = 1;
      for (double x : v) product *= x;
      return product;
    }))
    .samples(ScanSamples(true, -1, 1))
    .rejects(ScanRejects("CumProd"));

}  // namespace sluice
