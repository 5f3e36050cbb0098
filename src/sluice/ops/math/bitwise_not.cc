#include "sluice/kernels/cpu/bit_types.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/record.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct BitwiseNotFn {
  template <class C>
  static C Apply(C x) {
    if constexpr (std::is_same_v<C, bool>) {
      return !x;
    } else {
      return Wrap<C>(~ToWrap(x));
    }
  }
};

}  // namespace

SL_OP_OF(BitwiseNot, UnaryFunction)
    .doc("Every bit of x flipped, elementwise.")
    .types("T", kBits)
    .elementwise(unary_block<BitwiseNotFn, BitTypes>)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      bool truth = in[0].dtype == DType::kBool;
      return std::vector<RefArray>{
          ref::Map(in, [=](const std::vector<double>& v) -> double {
            if (truth) return v[0] == 0;
            return static_cast<double>(~static_cast<int64_t>(v[0]));
          })};
    })
    .samples(UnarySamples(-9, 9, /*specials=*/false));
SL_FACE(BitwiseNot).method();

}  // namespace sluice
