#include "tensor_index_key.h"

#include <limits>

#include "errors.h"
#include "op_call.h"
#include "size.h"
#include "sluice/base/strings.h"
#include "sluice/eager/scope.h"
#include "sluice/nn/beside.h"

namespace sluice::py {

namespace {

using Kind = KeyEntry::Kind;
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = -kLargest;

// The kind of one key entry, before it is known which axes it applies to.
struct Item {
  enum class Kind { kNumber, kSlice, kNewAxis, kEllipsis, kPlaces, kMask };
  Kind kind;
  int64_t begin = 0, end = 0, step = 1;
  Tensor tensor{};
  Tensor from{}, to{};
  int axes() const {  // number of axes of the indexed tensor
    switch (kind) {
      case Kind::kNewAxis:
      case Kind::kEllipsis:
        return 0;
      case Kind::kMask:
        return tensor.rank();
      default:
        return 1;
    }
  }
};

[[noreturn]] void BadItem(nb::handle item) {
  ThrowIndexError(StrCat(
      "an index is a ", Py_TYPE(item.ptr())->tp_name,
      "; wanted integers, slices, None, ..., or arrays of integers or bools"));
}

int64_t Bound(PyObject* o, int64_t open) {
  if (o == Py_None) return open;
  if (!PyIndex_Check(o)) {
    ThrowIndexError(StrCat("a bound of a slice is a ", Py_TYPE(o)->tp_name,
                           "; wanted an integer or None"));
  }
  // Bounds beyond 64 bits are equivalent to the ends.
  Py_ssize_t value = PyNumber_AsSsize_t(o, nullptr);
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return std::max<int64_t>(value, kSmallest);
}

// A size that is not yet known. Negative steps use its current value.
bool IsOpenSize(PyObject* o, int64_t step) { return step > 0 && IsSymbol(o); }

Item ReadSlice(PyObject* o) {
  auto* slice = reinterpret_cast<PySliceObject*>(o);
  Item item{Item::Kind::kSlice};
  item.step = Bound(slice->step, 1);
  if (item.step == 0) ThrowValueError("a slice with step 0");
  bool back = item.step < 0;
  if (IsOpenSize(slice->start, item.step)) {
    item.from = SymbolTensor(slice->start);
  } else {
    item.begin = Bound(slice->start, back ? kLargest : 0);
  }
  if (IsOpenSize(slice->stop, item.step)) {
    item.to = SymbolTensor(slice->stop);
  } else {
    item.end = Bound(slice->stop, back ? kSmallest : kLargest);
  }
  return item;
}

Item ReadArray(nb::handle object, Given given) {
  DType dtype = given.dtype();
  if (given.weak && !given.tensor.defined() &&
      given.array.num_elements() == 0) {
    given.array = CastArray(given.array, dtype = DType::kI64);  // t[[]]
  }
  if (dtype != DType::kBool && !IsInteger(dtype)) {
    ThrowIndexError(StrCat("an index is an array of ", PythonName(dtype),
                           "; wanted integers or bools"));
  }
  Tensor tensor = given.tensor.defined() ? given.tensor : TensorOf(given.array);
  if (dtype == DType::kBool) return {Item::Kind::kMask, 0, 0, 1, tensor};
  if (tensor.rank() == 0 && RunsNow(tensor)) {
    Py_ssize_t value = PyNumber_AsSsize_t(
        IsTensor(object) ? object.ptr() : nb::cast(tensor).ptr(),
        PyExc_IndexError);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return {Item::Kind::kNumber, value};
  }
  if (dtype != DType::kI64) {
    tensor = CallOne("Cast", {{tensor, {}, false}}, {{"dtype", DType::kI64}});
  }
  return {Item::Kind::kPlaces, 0, 0, 1, tensor};
}

bool Is(PyObject* a, int compare, int64_t b) {
  nb::object number = nb::int_(b);
  int truth = PyObject_RichCompareBool(a, number.ptr(), compare);
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

// x[n] with a size n: the slice n:n+1, without its axis. Whether it counts from
// the end is decided here.
Item ReadSize(nb::handle size) {
  Tensor at = SymbolTensor(size);
  if (at.dtype() == DType::kBool) {
    int truth = PyObject_IsTrue(size.ptr());
    if (truth < 0) throw nb::python_error();
    return ReadArray(size, Take(nb::bool_(truth != 0), "index"));
  }
  if (at.dtype() != DType::kI64) BadItem(size);
  if (size.attr("hint").is_none()) return {Item::Kind::kPlaces, 0, 0, 1, at};
  Item item{Item::Kind::kNumber};
  item.from = at;
  if (Is(size.ptr(), Py_GE, 0) || !Is(size.ptr(), Py_EQ, -1)) {
    item.to = SymbolTensor(size.attr("__add__")(1));
  } else {
    item.end = kLargest;
  }
  return item;
}

Item ReadItem(nb::handle item) {
  PyObject* o = item.ptr();
  if (o == Py_None) return {Item::Kind::kNewAxis};
  if (o == Py_Ellipsis) return {Item::Kind::kEllipsis};
  if (PySlice_Check(o)) return ReadSlice(o);
  if (IsSymbol(item)) return ReadSize(item);
  if (PyBool_Check(o)) return ReadArray(item, Take(item, "index"));
  if (PyLong_Check(o) || (PyIndex_Check(o) && !IsTensor(item))) {
    // numpy arrays also have __index__, but a different meaning.
    if (!PyLong_Check(o) && nb::hasattr(item, "shape") &&
        nb::len(nb::getattr(item, "shape")) > 0) {
      return ReadArray(item, Take(item, "index"));
    }
    Py_ssize_t value = PyNumber_AsSsize_t(o, PyExc_IndexError);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return {Item::Kind::kNumber, value};
  }
  if (PyUnicode_Check(o) || PyBytes_Check(o) || PyFloat_Check(o) ||
      PyDict_Check(o)) {
    BadItem(item);
  }
  return ReadArray(item, Take(item, "index"));
}

Tensor Where(const Tensor& cond, const Tensor& a, const Tensor& b) {
  return CallOne("Select", {{cond, {}, false}, {a, {}, false}, {b, {}, false}});
}

// Negative indices count from the end. Arrays with elements on the host are
// checked here, others when a step runs.
Tensor Counted(const Tensor& places, const Tensor& of, int axis) {
  int64_t size = of.shape().dim(axis);
  if (RunsNow(places) && size >= 0 && places.array().on_host()) {
    Array given = ValueOrThrow(places.array().AsContiguous());
    const auto* at = given.data<int64_t>();
    bool negative = false;
    for (int64_t i = 0; i < given.num_elements(); ++i) {
      if (at[i] < -size || at[i] >= size) {
        ThrowIndexError(StrCat("index ", at[i], " is out of bounds for axis ",
                               axis, " with size ", size));
      }
      negative = negative || at[i] < 0;
    }
    if (!negative) return places;
    Array made = ValueOrThrow(Array::Make(DType::kI64, given.shape()));
    for (int64_t i = 0; i < given.num_elements(); ++i) {
      made.mutable_data<int64_t>()[i] = at[i] < 0 ? at[i] + size : at[i];
    }
    return TensorOf(std::move(made));
  }
  Tensor all =
      size >= 0
          ? TensorOf(Array::Scalar<int64_t>(size))
          : CallOne("Gather", {{CallOne("Shape", {{of, {}, false}}), {}, false},
                               {{}, Array::Scalar<int64_t>(axis), false}});
  Tensor zero = TensorOf(Array::Scalar<int64_t>(0));
  Tensor below = CallOne("Less", {{places, {}, false}, {zero, {}, false}});
  Tensor moved = CallOne("Add", {{places, {}, false}, {all, {}, false}});
  return Where(below, moved, places);
}

void CheckMask(const Tensor& mask, const Tensor& of, int axis) {
  PartialShape shape = mask.shape();
  for (int i = 0; i < shape.rank(); ++i) {
    int64_t want = of.shape().dim(axis + i), got = shape.dim(i);
    // An empty mask selects nothing, whatever its size.
    if (want >= 0 && got > 0 && want != got) {
      ThrowIndexError(StrCat("a mask of shape ", shape, " has size ", got,
                             " where axis ", axis + i,
                             " of the tensor has size ", want));
    }
  }
}

// A mask as one index array per axis.
void AddMask(const Tensor& mask, std::vector<KeyEntry>& entries) {
  Tensor rows = CallOne("NonZero", {{mask, {}, false}});
  for (int i = 0; i < mask.rank(); ++i) {
    Tensor column = CallOne(
        "Gather", {{rows, {}, false}, {{}, Array::Scalar<int64_t>(i), false}},
        {{"axis", int64_t{1}}});
    entries.push_back({Kind::kPlace, 0, 0, 1, column});
  }
}

// A single bool: a new axis, whose only slice is selected or not.
void AddTruth(const Tensor& truth, std::vector<KeyEntry>& entries) {
  Tensor one =
      CallOne("ExpandDims", {{truth, {}, false}}, {{"axis", int64_t{0}}});
  AddMask(one, entries);
  entries.back().fresh = true;
}

// The position of the advanced entries' axes. Integers combined with arrays
// count as advanced.
int LeadOf(const std::vector<Item>& items) {
  int lead = 0, axes = 0;
  bool found = false, apart = false, closed = false;
  for (const Item& item : items) {
    bool advanced = item.kind == Item::Kind::kNumber ||
                    item.kind == Item::Kind::kPlaces ||
                    item.kind == Item::Kind::kMask;
    if (advanced) {
      if (!found) lead = axes;
      apart = apart || closed;
      found = true;
    } else {
      closed = found;
      axes += 1;
    }
  }
  return apart ? 0 : lead;
}

using Items = std::vector<Item>;

Items ReadItems(nb::handle key) {
  Items items;
  if (!PyTuple_Check(key.ptr())) {
    items.push_back(ReadItem(key));
    return items;
  }
  for (nb::handle item : nb::borrow<nb::tuple>(key)) {
    items.push_back(ReadItem(item));
  }
  return items;
}

// The number of axes and ellipses in the key.
struct Named {
  int axes = 0, ellipses = 0;
};

Named CountNamed(const Items& items, const PartialShape& shape) {
  Named named;
  for (const Item& item : items) {
    named.axes += item.axes();
    named.ellipses += item.kind == Item::Kind::kEllipsis;
  }
  if (named.ellipses > 1) ThrowIndexError("two ellipses; wanted at most one");
  if (named.axes > shape.rank()) {
    ThrowIndexError(StrCat("too many indices: the tensor of shape ", shape,
                           " has ", shape.rank(), " axes, but ", named.axes,
                           " were indexed"));
  }
  return named;
}

// Replaces the ellipsis by full slices.
Items Spread(const Items& items, int axes) {
  Items spread;
  for (const Item& item : items) {
    if (item.kind != Item::Kind::kEllipsis) {
      spread.push_back(item);
    } else {
      spread.insert(spread.end(), static_cast<size_t>(axes),
                    {Item::Kind::kSlice, 0, kLargest, 1});
    }
  }
  return spread;
}

void AddNumber(const Item& item, int64_t size, int axis, Key& key) {
  if (item.from.defined()) {
    key.entries.push_back({Kind::kNumber, 0, item.end, 1});
    key.entries.back().from = item.from;
    key.entries.back().to = item.to;
    return;
  }
  if (size >= 0 && (item.begin < -size || item.begin >= size)) {
    ThrowIndexError(StrCat("index ", item.begin, " is out of bounds for axis ",
                           axis, " with size ", size));
  }
  key.entries.push_back({Kind::kNumber, item.begin});
}

void AddItem(const Item& item, const Tensor& tensor, int axis, Key& key) {
  switch (item.kind) {
    case Item::Kind::kNumber:
      AddNumber(item, tensor.dim(axis), axis, key);
      break;
    case Item::Kind::kSlice:
      key.entries.push_back({Kind::kSlice, item.begin, item.end, item.step});
      key.entries.back().from = item.from;
      key.entries.back().to = item.to;
      break;
    case Item::Kind::kNewAxis:
      key.entries.push_back({Kind::kNewAxis});
      break;
    case Item::Kind::kPlaces:
      key.basic = false;
      key.entries.push_back(
          {Kind::kPlace, 0, 0, 1,
           nn::Beside(tensor, Counted(item.tensor, tensor, axis))});
      break;
    case Item::Kind::kMask:
      key.basic = false;
      CheckMask(item.tensor, tensor, axis);
      if (item.tensor.rank() == 0) {
        AddTruth(nn::Beside(tensor, item.tensor), key.entries);
      } else {
        AddMask(nn::Beside(tensor, item.tensor), key.entries);
      }
      break;
    case Item::Kind::kEllipsis:
      break;
  }
}

// Slices and new axes before the first entry of another kind.
int LeadingPlain(const Items& items) {
  int lead = 0;
  for (const Item& item : items) {
    bool plain =
        item.kind == Item::Kind::kSlice || item.kind == Item::Kind::kNewAxis;
    if (!plain) break;
    ++lead;
  }
  return lead;
}

}  // namespace

bool RunsNow(const Tensor& tensor) {
  return !tensor.symbolic() && !front_internal::Building::Current().graph;
}

void ThrowIndexError(const std::string& message) {
  throw nb::index_error(message.c_str());
}

Key ReadKey(const Tensor& tensor, nb::handle key) {
  const PartialShape shape = tensor.shape();
  if (!shape.rank_known()) {
    ThrowIndexError("indexing needs to know how many axes the tensor has");
  }
  Items items = ReadItems(key);
  const Named named = CountNamed(items, shape);
  if (named.ellipses == 0) items.push_back({Item::Kind::kEllipsis});
  const Items spread = Spread(items, shape.rank() - named.axes);
  Key made;
  int axis = 0;
  for (const Item& item : spread) {
    AddItem(item, tensor, axis, made);
    axis += item.axes();
  }
  if (made.basic) return made;
  // An ellipsis separates entries even if it represents no axes; the axes it
  // represents count individually.
  made.lead = LeadOf(named.ellipses == 0 ? spread : items);
  if (named.ellipses > 0 && made.lead > 0) made.lead = LeadingPlain(spread);
  return made;
}

}  // namespace sluice::py
