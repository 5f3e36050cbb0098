#include "tensor_matmul.h"

#include "errors.h"
#include "op_call.h"
#include "sluice/base/strings.h"
#include "tensor_operators.h"

namespace sluice::py {

namespace {

PartialShape ShapeOf(const Given& g) {
  return g.tensor.defined() ? g.tensor.shape() : PartialShape(g.array.shape());
}

Given Of(Tensor t) { return {std::move(t), {}, false}; }

Tensor Reshaped(Tensor x, std::vector<int64_t> sizes) {
  return CallOne("Reshape",
                 {Of(std::move(x)), {{}, Array::Vector(sizes), false}});
}

// Rows of a stack times one matrix are one product, if the result's sizes can
// be restored.
bool Flattens(const PartialShape& a, const PartialShape& b) {
  if (a.rank() < 3 || b.rank() != 2) return false;
  int unknown = 0;
  for (int i = 0; i + 1 < a.rank(); ++i) unknown += a.dim(i) < 0;
  return unknown <= 1 && a.dim(a.rank() - 1) > 0 && b.dim(1) >= 0;
}

Tensor AsOneProduct(Given a, Given b) {
  PartialShape sa = ShapeOf(a), sb = ShapeOf(b);
  std::vector<int64_t> back(sa.dims().begin(), sa.dims().end());
  back.back() = sb.dim(1);
  bool zero = false;
  for (int64_t& d : back) {
    zero = zero || d == 0;
    if (d < 0) d = -1;
  }
  int64_t inner = sa.dim(sa.rank() - 1);
  int64_t rows = 1;
  for (int i = 0; i + 1 < sa.rank(); ++i) {
    rows = sa.dim(i) < 0 || rows < 0 ? -1 : rows * sa.dim(i);
  }
  if (zero && rows < 0) {
    return CallOne("BatchMatMul", {std::move(a), std::move(b)});
  }
  Tensor flat =
      a.tensor.defined() ? std::move(a.tensor) : TensorOf(std::move(a.array));
  Tensor product = CallOne(
      "MatMul", {Of(Reshaped(std::move(flat), {rows, inner})), std::move(b)});
  return Reshaped(std::move(product), std::move(back));
}

Tensor Expanded(Given g, int64_t axis) {
  return CallOne("ExpandDims", {std::move(g)}, {{"axis", axis}});
}

}  // namespace

Tensor MatMulOf(Given a, Given b) {
  PartialShape sa = ShapeOf(a), sb = ShapeOf(b);
  int ra = sa.rank(), rb = sb.rank();
  if ((ra == 2 && rb == 2) || ra < 0 || rb < 0) [[likely]] {
    static const OpRecord& op = OpNamed("MatMul");
    Given sides[] = {std::move(a), std::move(b)};
    return std::move(CallOp(op, sides, {}).tensors[0]);
  }
  if (ra == 0 || rb == 0) {
    ThrowValueError(StrCat("matmul(): operands of shapes ", sa, " and ", sb,
                           "; wanted at least one axis on each side"));
  }
  if (ra == 1 && rb == 1) return CallOne("Dot", {std::move(a), std::move(b)});
  if (ra == 2 && rb == 1) {
    return CallOne("MatVec", {std::move(a), std::move(b)});
  }
  if (ra == 1 && rb == 2) {
    return CallOne("MatVec", {std::move(b), std::move(a)},
                   {{"transpose_a", true}});
  }
  if (ra == 1 || rb == 1) {
    int64_t axis = ra == 1 ? -2 : -1;
    if (ra == 1) {
      a = Of(Expanded(std::move(a), 0));
    } else {
      b = Of(Expanded(std::move(b), 1));
    }
    Tensor made = MatMulOf(std::move(a), std::move(b));
    return CallOne("Squeeze", {Of(std::move(made))},
                   {{"axes", std::vector<int64_t>{axis}}});
  }
  if (Flattens(sa, sb)) return AsOneProduct(std::move(a), std::move(b));
  return CallOne("BatchMatMul", {std::move(a), std::move(b)});
}

PyObject* TensorMatMul(PyObject* a, PyObject* b) {
  try {
    Given sides[2];
    if (!TakeSide(a, &sides[0]) || !TakeSide(b, &sides[1])) {
      Py_RETURN_NOTIMPLEMENTED;
    }
    return Wrap(MatMulOf(std::move(sides[0]), std::move(sides[1])))
        .release()
        .ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

void BindMatMul(nb::module_& m) {
  m.def(
      "matmul",
      [](nb::handle a, nb::handle b, bool transpose_a, bool transpose_b,
         std::string_view name) {
        Given x = Take(a, "matmul(): a"), y = Take(b, "matmul(): b");
        bool plain = ShapeOf(x).rank() == 2 && ShapeOf(y).rank() == 2;
        bool turned = transpose_a || transpose_b;
        if (!turned && (name.empty() || !plain)) {
          Tensor made = MatMulOf(std::move(x), std::move(y));
          if (name.empty()) return made;
          Given same[] = {Of(std::move(made))};
          return std::move(
              CallOp(OpNamed("Identity"), same, {}, name).tensors[0]);
        }
        Given sides[] = {std::move(x), std::move(y)};
        Attrs attrs;
        if (turned) {
          attrs.set("transpose_a", transpose_a);
          attrs.set("transpose_b", transpose_b);
        }
        const OpRecord& op = OpNamed(plain ? "MatMul" : "BatchMatMul");
        return std::move(CallOp(op, sides, attrs, name).tensors[0]);
      },
      "a"_a, "b"_a, "transpose_a"_a = false, "transpose_b"_a = false,
      "name"_a = "",
      "The matrix product, a @ b: vectors are rows or columns as needed, axes "
      "before the last two broadcast. Either side is transposed on request.");
}

}  // namespace sluice::py
