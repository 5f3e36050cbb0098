#include "fit_array.h"

#include "op_call.h"
#include "operand.h"

namespace sluice::py {

bool SameKind(DType from, DType to) {
  if (from == to) return true;
  int a = NumberKind(from), b = NumberKind(to);
  return a >= 1 && b <= 3 && a <= b;
}

Array FitArray(const Array& array, DType dtype) {
  if (array.dtype() == dtype || !SameKind(array.dtype(), dtype)) return array;
  Array cast = CastArray(array, dtype);
  if (IsInteger(dtype)) {
    Array whole = CastArray(cast, array.dtype());
    if (!whole.BitEquals(array)) return array;
  }
  return cast;
}

Tensor FitTensor(nb::handle object, std::string_view what, DType dtype) {
  Given given = Take(object, what);
  if (!given.tensor.defined()) return TensorOf(FitArray(given.array, dtype));
  DType own = given.tensor.dtype();
  if (own == dtype || !SameKind(own, dtype)) return given.tensor;
  return CallOne("Cast", {std::move(given)}, {{"dtype", dtype}});
}

}  // namespace sluice::py
