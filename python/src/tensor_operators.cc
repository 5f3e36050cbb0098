#include "tensor_operators.h"

#include "caller_line.h"
#include "errors.h"
#include "number_checks.h"
#include "op_call.h"
#include "recorder.h"
#include "sluice/base/strings.h"
#include "sluice/eager/default_float.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/scope.h"
#include "sluice/trace/region_draft.h"
#include "tape_garbage.h"
#include "tensor_attributes.h"
#include "tensor_index.h"
#include "tensor_matmul.h"
#include "tensor_values.h"
#include "tensor_write.h"
#include "weak_numbers.h"

namespace sluice::py {

bool TakeSide(PyObject* o, Given* out) {
  if (IsTensor(o)) {
    out->tensor = AsTensor(o);
    return out->tensor.defined();
  }
  if (o == Py_None || PyUnicode_Check(o) || PyBytes_Check(o) ||
      PyDict_Check(o)) {
    return false;
  }
  if (PyFloat_Check(o) || PyLong_Check(o) || PyList_Check(o) ||
      PyTuple_Check(o)) {
    *out = Take(o, "operand");
    return true;
  }
  try {
    *out = Take(o, "operand");
    return true;
  } catch (const nb::builtin_exception& e) {
    if (e.type() != nb::exception_type::type_error) throw;
    // An array of an unsupported type must not be left to the other operand.
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(o));
    if (nb::hasattr(nb::handle(type), "__array__")) throw;
    return false;
  }
}

namespace {

// ---- Small eager tensors of one type ----
// The most common case; it skips the general handling of operands.

constexpr int64_t kSmall = 16384;  // as in op_call.cc

EagerValue* SmallHere(PyObject* o) {
  if (!IsTensor(o)) return nullptr;
  const Tensor& t = AsTensor(o);
  if (!t.defined() || t.symbolic() || t.is_sparse()) return nullptr;
  EagerValue* value = t.eager().get();
  return value->array.num_elements() < kSmall ? value : nullptr;
}

// A Python number as a float of the other operand's type.
bool FloatLike(DType dtype, PyObject* o, Array* out) {
  double value;
  if (PyFloat_CheckExact(o)) {
    value = PyFloat_AS_DOUBLE(o);
  } else if (PyLong_CheckExact(o)) {
    int overflow = 0;
    long long whole = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow != 0) return false;
    value = static_cast<double>(whole);
  } else {
    return false;
  }
  if (dtype == DType::kF32) {
    *out = Array::Scalar<float>(static_cast<float>(value));
  } else if (dtype == DType::kF64) {
    *out = Array::Scalar<double>(value);
  } else {
    return false;
  }
  return true;
}

// Null without an error: operands not handled here.
PyObject* Quick(const OpRecord& op, PyObject* a, PyObject* b) {
  if (front_internal::Building::Current().graph) return nullptr;
  EagerValue* values[2] = {SmallHere(a), SmallHere(b)};
  if (!values[0] && !values[1]) return nullptr;
  DType dtype = (values[0] ? values[0] : values[1])->array.dtype();
  // Types that every operator supports.
  if (dtype != DType::kF32 && dtype != DType::kF64 && dtype != DType::kI64) {
    return nullptr;
  }
  EagerRef number;
  if (!values[0] || !values[1]) {
    Array value;
    if (!FloatLike(dtype, values[0] ? b : a, &value)) return nullptr;
    number = MakeRef<EagerValue>(std::move(value));
    (values[0] ? values[1] : values[0]) = number.get();
  } else if (values[1]->array.dtype() != dtype) {
    return nullptr;
  }
  SourceLine line = PythonLine();
  EagerResults made;
  Status status = EagerCall(op, EagerPointers(values), {}, line, made);
  if (!status.ok()) throw Error(status.WithLine(CallLine(op, values, line)));
  return Wrap(Tensor(std::move(made[0]))).release().ptr();
}

bool IsNumber(const Given& g) {
  if (!g.tensor.defined()) return g.weak && g.array.rank() == 0;
  return g.weak || front_internal::IsNumber(g.tensor);
}

// Both as numbers of exactly that type.
void AsNumbers(std::span<Given, 2> inputs, DType dtype) {
  for (Given& in : inputs) {
    if (in.dtype() != dtype && in.tensor.defined()) {
      in.tensor = CallOne("Cast", {in}, {{"dtype", dtype}});
    } else if (in.dtype() != dtype) {
      in.array = CastArray(in.array, dtype);
    }
    in.weak = false;
    in.typed = true;
  }
}

// Whether the graph being recorded computes a Python number here. Floats then
// have Python's full precision, and bools are added as integers.
bool OfNumbers(const OpRecord& op, std::span<Given, 2> inputs,
               bool compared = false) {
  bool recorded = inputs[0].tensor.defined() || inputs[1].tensor.defined();
  if (!recorded || !IsNumber(inputs[0]) || !IsNumber(inputs[1])) return false;
  bool bools =
      inputs[0].dtype() == DType::kBool && inputs[1].dtype() == DType::kBool;
  const std::string& type = op.inputs[0].type;
  if (op.role == Role::kDiv || IsFloating(inputs[0].dtype()) ||
      IsFloating(inputs[1].dtype())) {
    bool whole = IsInteger(inputs[0].dtype()) && IsInteger(inputs[1].dtype());
    if (compared || whole) {
      for (const Given& in : inputs) WantExact(in);
    }
    AsNumbers(inputs, DType::kF64);
  } else if (bools && op.FindType(type) && op.outputs[0].type == type) {
    AsNumbers(inputs, DType::kI64);
  }
  return true;
}

void IsOneToo(const Tensor& made) {
  front_internal::SetNumber(made);
  WeakNumbers::Add(made);
}

// The result of % on numbers, floats among them: a zero has the sign of b.
Tensor SignedRest(const Tensor& rest, const Given& b) {
  if (rest.dtype() != DType::kF64) return rest;
  Given made{rest, {}, false, true};
  Given zero{{}, Array::Scalar<double>(0), false, true};
  Given is_zero{CallOne("Equal", {made, zero}), {}, false};
  Given none{CallOne("CopySign", {zero, b}), {}, false, true};
  return CallOne("Select", {is_zero, none, made});
}
using NumberMade = Tensor (*)(const Tensor& made, const Given& b);

PyObject* Binary(const OpRecord& op, PyObject* a, PyObject* b,
                 NumberCheck check = nullptr, bool compared = false,
                 NumberMade then = nullptr) {
  try {
    if (PyObject* made = Quick(op, a, b)) return made;
    Given inputs[2];
    if (!TakeSide(a, &inputs[0]) || !TakeSide(b, &inputs[1])) {
      Py_RETURN_NOTIMPLEMENTED;
    }
    bool numbers = OfNumbers(op, inputs, compared);
    if (numbers && check) check(std::span<const Given, 2>(inputs));
    const Given b_given = then ? inputs[1] : Given();
    CallResult result = CallOp(op, inputs, {});
    if (numbers && then) {
      result.tensors[0] = then(result.tensors[0], b_given);
    }
    if (numbers) IsOneToo(result.tensors[0]);
    return Wrap(std::move(result.tensors[0])).release().ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

PyObject* Unary(const OpRecord& op, PyObject* a) {
  try {
    Given inputs[1] = {{AsTensor(a), {}, false}};
    bool number = front_internal::IsNumber(inputs[0].tensor);
    inputs[0].typed = number;
    CallResult result = CallOp(op, inputs, {});
    if (number) IsOneToo(result.tensors[0]);
    return Wrap(std::move(result.tensors[0])).release().ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

#define SL_BINARY(Function, Op) SL_CHECKED(Function, Op, nullptr)
#define SL_CHECKED(Function, Op, check)          \
  PyObject* Function(PyObject* a, PyObject* b) { \
    static const OpRecord& op = OpNamed(Op);     \
    return Binary(op, a, b, check);              \
  }
#define SL_UNARY(Function, Op)               \
  PyObject* Function(PyObject* a) {          \
    static const OpRecord& op = OpNamed(Op); \
    return Unary(op, a);                     \
  }

SL_CHECKED(Add, "Add", &WantSum)
SL_CHECKED(Sub, "Sub", &WantDifference)
SL_CHECKED(Mul, "Mul", &WantProduct)
SL_CHECKED(FloorDiv, "FloorDiv", &WantDivisor)
PyObject* Mod(PyObject* a, PyObject* b) {
  static const OpRecord& op = OpNamed("Mod");
  return Binary(op, a, b, &WantDivisor, /*compared=*/false, &SignedRest);
}
SL_UNARY(Neg, "Neg")

PyObject* Abs(PyObject* a) {
  static const OpRecord& real = OpNamed("Abs");
  static const OpRecord& complex = OpNamed("ComplexAbs");
  // Unary refuses objects that are not tensors.
  bool of_complex = IsTensor(a) && AsTensor(a).dtype() == DType::kC64;
  return Unary(of_complex ? complex : real, a);
}

PyObject* Positive(PyObject* a) { return Py_NewRef(a); }

PyObject* DivMod(PyObject* a, PyObject* b) {
  nb::object quotient = nb::steal(FloorDiv(a, b));
  if (!quotient.is_valid() || quotient.ptr() == Py_NotImplemented) {
    return quotient.release().ptr();
  }
  nb::object rest = nb::steal(Mod(a, b));
  if (!rest.is_valid()) return nullptr;
  return PyTuple_Pack(2, quotient.ptr(), rest.ptr());
}

bool OfFloats(PyObject* o) {
  return IsTensor(o) && AsTensor(o).defined() &&
         IsFloating(AsTensor(o).dtype());
}

// Division of integers gives floats, as in Python.
PyObject* Div(PyObject* a, PyObject* b) {
  static const OpRecord& op = OpNamed("Div");
  try {
    if (OfFloats(a) || OfFloats(b)) {
      if (PyObject* made = Quick(op, a, b)) return made;
    }
    Given inputs[2];
    if (!TakeSide(a, &inputs[0]) || !TakeSide(b, &inputs[1])) {
      Py_RETURN_NOTIMPLEMENTED;
    }
    auto whole = [](const Given& g) {
      return IsInteger(g.dtype()) || g.dtype() == DType::kBool;
    };
    bool numbers = OfNumbers(op, inputs);
    if (numbers) WantDivisor(inputs);
    if (!numbers && whole(inputs[0]) && whole(inputs[1])) {
      for (Given& in : inputs) {
        if (in.tensor.defined()) {
          in = {CallOne("Cast", {std::move(in)},
                        {{"dtype", front_internal::DefaultFloat()}}),
                {},
                false};
        } else {
          in.array = CastArray(in.array, front_internal::DefaultFloat());
        }
      }
    }
    CallResult result = CallOp(op, inputs, {});
    if (numbers) IsOneToo(result.tensors[0]);
    return Wrap(std::move(result.tensors[0])).release().ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

PyObject* Pow(PyObject* a, PyObject* b, PyObject* modulo) {
  if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
  static const OpRecord& op = OpNamed("Pow");
  return Binary(op, a, b, &WantPower);
}

// Bitwise on integers, logical on bools.
bool OfBools(PyObject* a, PyObject* b) {
  auto is_bool = [](PyObject* o) {
    return IsTensor(o) ? AsTensor(o).dtype() == DType::kBool
                       : PyBool_Check(o) != 0;
  };
  return is_bool(a) && is_bool(b);
}
#define SL_BITWISE(Function, Logical, Bitwise)              \
  PyObject* Function(PyObject* a, PyObject* b) {            \
    static const OpRecord& logical = OpNamed(Logical);      \
    static const OpRecord& bitwise = OpNamed(Bitwise);      \
    return Binary(OfBools(a, b) ? logical : bitwise, a, b); \
  }
SL_BITWISE(And, "LogicalAnd", "BitwiseAnd")
SL_BITWISE(Or, "LogicalOr", "BitwiseOr")
SL_BITWISE(Xor, "LogicalXor", "BitwiseXor")
SL_CHECKED(LeftShift, "LeftShift", &WantShifted)
SL_BINARY(RightShift, "RightShift")

PyObject* Invert(PyObject* a) {
  static const OpRecord& logical = OpNamed("LogicalNot");
  static const OpRecord& bitwise = OpNamed("BitwiseNot");
  return Unary(OfBools(a, a) ? logical : bitwise, a);
}

bool OfStrings(PyObject* o) {
  return IsTensor(o) && AsTensor(o).defined() &&
         AsTensor(o).dtype() == DType::kString;
}

// Strings support only equality.
PyObject* CompareStrings(PyObject* a, PyObject* b, bool equal) {
  try {
    CallResult same;
    Given inputs[] = {Take(a, "operand"), Take(b, "operand")};
    same = CallOp(OpNamed("StringEqual"), inputs, {});
    if (equal) return Wrap(std::move(same.tensors[0])).release().ptr();
    Given other[] = {{std::move(same.tensors[0]), {}, false}};
    same = CallOp(OpNamed("LogicalNot"), other, {});
    return Wrap(std::move(same.tensors[0])).release().ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

PyObject* Compare(PyObject* a, PyObject* b, int how) {
  if ((how == Py_EQ || how == Py_NE) && b != Py_None && OfStrings(a))
      [[unlikely]] {
    return CompareStrings(a, b, how == Py_EQ);
  }
  static const OpRecord* const ops[] = {
      &OpNamed("Less"),     &OpNamed("LessEqual"), &OpNamed("Equal"),
      &OpNamed("NotEqual"), &OpNamed("Greater"),   &OpNamed("GreaterEqual")};
  return Binary(*ops[how], a, b, nullptr, /*compared=*/true);
}

// Hashed by identity, because equality is elementwise.
Py_hash_t Hash(PyObject* a) {
  // Two equal numbers are the same dict key.
  if (const Tensor& t = AsTensor(a);
      t.symbolic() && front_internal::IsNumber(t)) {
    constexpr char kWords[] =
        "hash() of a number that a captured function computes, as the key of a "
        "dict or set: it is known only while a step runs; wanted sl.where, "
        "sl.cond or a comparison";
    // For code that handles the exception: the eager code would not have seen
    // it.
    if (nb::object recorder = CurrentRecorder(); recorder.is_valid()) {
      recorder.attr("wanted") = kWords;
    }
    PyErr_SetString(PyExc_TypeError, kWords);
    return -1;
  }
  return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(a) >> 4);
}

template <class F>
void* Slot(F* f) {
  return reinterpret_cast<void*>(f);
}

}  // namespace

PyType_Slot* TensorSlots() {
  static PyType_Slot slots[] = {{Py_nb_add, Slot(&Add)},
                                {Py_nb_subtract, Slot(&Sub)},
                                {Py_nb_multiply, Slot(&Mul)},
                                {Py_nb_true_divide, Slot(&Div)},
                                {Py_nb_floor_divide, Slot(&FloorDiv)},
                                {Py_nb_remainder, Slot(&Mod)},
                                {Py_nb_matrix_multiply, Slot(&TensorMatMul)},
                                {Py_nb_power, Slot(&Pow)},
                                {Py_nb_negative, Slot(&Neg)},
                                {Py_nb_absolute, Slot(&Abs)},
                                {Py_nb_positive, Slot(&Positive)},
                                {Py_nb_divmod, Slot(&DivMod)},
                                {Py_nb_and, Slot(&And)},
                                {Py_nb_or, Slot(&Or)},
                                {Py_nb_xor, Slot(&Xor)},
                                {Py_nb_lshift, Slot(&LeftShift)},
                                {Py_nb_rshift, Slot(&RightShift)},
                                {Py_nb_invert, Slot(&Invert)},
                                {Py_tp_richcompare, Slot(&Compare)},
                                {Py_tp_hash, Slot(&Hash)},
                                {Py_tp_setattro, Slot(&SetTensorAttribute)},
                                {Py_tp_traverse, Slot(&TraverseTensor)},
                                {Py_tp_clear, Slot(&ClearTensor)},
                                {Py_nb_inplace_add, Slot(&InPlaceAdd)},
                                {Py_nb_inplace_subtract, Slot(&InPlaceSub)},
                                {Py_nb_inplace_multiply, Slot(&InPlaceMul)},
                                {Py_nb_inplace_true_divide, Slot(&InPlaceDiv)},
                                {Py_nb_bool, Slot(&TensorTruth)},
                                {Py_nb_int, Slot(&TensorInt)},
                                {Py_nb_float, Slot(&TensorFloat)},
                                {Py_nb_index, Slot(&TensorIndex)},
                                {Py_mp_length, Slot(&TensorLength)},
                                {Py_mp_subscript, Slot(&TensorGetItem)},
                                {Py_mp_ass_subscript, Slot(&TensorSetItem)},
                                {0, nullptr}};
  return slots;
}

}  // namespace sluice::py
