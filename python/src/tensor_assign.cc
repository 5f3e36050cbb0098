// t[...] = v.
#include "bindings.h"
#include "caller_line.h"
#include "errors.h"
#include "op_call.h"
#include "outside_memory.h"
#include "sluice/base/strings.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/operand.h"
#include "sluice/trace/capture.h"
#include "tensor_index.h"
#include "tensor_write.h"
#include "weak_numbers.h"
#include "written_numbers.h"

namespace sluice::py {

namespace {

Given Of(const Tensor& t) { return {t, {}, false}; }
Given Of(Array a) { return {{}, std::move(a), false}; }

Given SizesOf(const Tensor& t) {
  PartialShape shape = t.shape();
  if (shape.fully_known()) return Of(Array::Vector(shape.ToShape().dims()));
  return Of(CallOne("Shape", {Of(t)}));
}

Given Sizes(std::initializer_list<int64_t> sizes) {
  return Of(Array::Vector<int64_t>(sizes));
}

// A value of the tensor's type; leading axes of size 1 in excess of the part's
// are dropped, like numpy.
Tensor ValueFor(const Tensor& target, nb::handle object, int part_rank) {
  Given given = Take(object, "the value assigned");
  DType to = target.dtype();
  if ((to == DType::kString) != (given.dtype() == DType::kString)) {
    ThrowTypeError(StrCat("a value of ", PythonName(given.dtype()),
                          " assigned to a tensor of ", PythonName(to)));
  }
  Tensor value;
  if (given.tensor.defined()) {
    value = std::move(given.tensor);
    // From here on a number is a tensor of that type, too.
    if (value.dtype() != to || WeakNumbers::Has(value))
      value = CallOne("Cast", {Of(value)}, {{"dtype", to}});
  } else {
    if (given.weak) {
      CheckWritten(given.array, to, "the value assigned", Negatives::kWrap);
    }
    value = TensorOf(CastArray(given.array, to));
  }
  PartialShape shape = value.shape();
  int extra = part_rank < 0 ? 0 : shape.rank() - part_rank;
  if (extra <= 0) return value;
  std::vector<int64_t> axes;
  for (int i = 0; i < extra; ++i) {
    if (shape.dim(i) != 1) return value;
    axes.push_back(i);
  }
  return CallOne("Squeeze", {Of(value)}, {{"axes", axes}});
}

int RankOf(const Key& key) {
  int rank = 0, places = 0;
  bool found = false;
  for (const KeyEntry& e : key.entries) {
    if (e.kind == KeyEntry::Kind::kPlace) {
      found = true;
      if (e.place.rank() < 0) return -1;
      places = std::max(places, e.place.rank());
    } else if (e.kind != KeyEntry::Kind::kNumber) {
      ++rank;
    }
  }
  return found ? rank + places : rank;
}

[[noreturn]] void DoesNotFit(const Tensor& value, const PartialShape& part) {
  ThrowValueError(StrCat("a value of shape ", value.shape(),
                         " does not broadcast to the part of shape ", part,
                         " it is assigned to"));
}

void CheckFits(const Tensor& value, const PartialShape& part) {
  Result<PartialShape> both = BroadcastShapes(value.shape(), part);
  if (!both.ok() ||
      (both->fully_known() && part.fully_known() && !(*both == part))) {
    DoesNotFit(value, part);
  }
}

// The value on the device of the target, as in copy_.
Tensor BroughtTo(const Tensor& target, const Tensor& value) {
  if (target.symbolic() && !target.traced()) return value;
  return value.to(target.device());
}

// x with the part at `key` replaced, by recorded ops: the indices of the part
// are found by indexing the positions of all elements.
Tensor Replaced(const Tensor& x, const Key& key, const Tensor& value) {
  Tensor flat = CallOne("Reshape", {Of(x), Sizes({-1})});
  PartialShape shape = x.shape();
  Given count = shape.fully_known()
                    ? Of(Array::Scalar<int64_t>(shape.ToShape().num_elements()))
                    : Of(CallOne("Size", {Of(x)}));
  Tensor numbers =
      CallOne("Range", {Of(Array::Scalar<int64_t>(0)), std::move(count),
                        Of(Array::Scalar<int64_t>(1))});
  numbers = BroughtTo(x, numbers);
  Tensor places = PartOf(CallOne("Reshape", {Of(numbers), SizesOf(x)}), key);
  CheckFits(value, places.shape());
  Tensor part =
      CallOne("BroadcastTo", {Of(BroughtTo(x, value)), SizesOf(places)});
  Tensor changed =
      CallOne("TensorScatterUpdate",
              {Of(flat), Of(CallOne("Reshape", {Of(places), Sizes({-1, 1})})),
               Of(CallOne("Reshape", {Of(part), Sizes({-1})}))});
  return CallOne("Reshape", {Of(changed), SizesOf(x)});
}

// Advanced keys, on eager elements without recording.
void Scatter(const Tensor& target, const Key& key, const Tensor& value) {
  Basic basic = CutBasic(target, key);
  int count = basic.places[0].rank();
  Tensor rows = AxesFirst(basic.part, basic.axes);
  std::vector<int64_t> sizes;  // of the result of indexing the rows
  const PartialShape shown = basic.places[0].shape();  // dims() refers to it
  for (int64_t d : shown.dims()) sizes.push_back(d);
  for (int i = static_cast<int>(basic.axes.size()); i < rows.rank(); ++i) {
    sizes.push_back(rows.shape().dim(i));
  }
  // The value broadcasts to the shape of the part as read.
  std::vector<int64_t> part(sizes.begin() + count, sizes.end());
  part.insert(part.begin() + key.lead, sizes.begin(), sizes.begin() + count);
  PartialShape part_shape = ValueOrThrow(PartialShape::Make(part));
  CheckFits(value, part_shape);
  Tensor updates = CallOne(
      "BroadcastTo", {Of(BroughtTo(target, value)), Of(Array::Vector(part))});
  updates = MoveBlock(updates, key.lead, count, 0);
  EagerRef others[] = {PlaceTuples(basic).eager(), updates.eager()};
  SourceLine line = PythonLine();
  Status status = EagerCallInPlace(OpNamed("TensorScatterUpdate"), rows.eager(),
                                   others, {}, line);
  if (!status.ok()) throw Error(status.WithLine(StrCat("at ", line)));
}

bool Recorded(const Tensor& target, const Tensor& value) {
  return front_internal::EagerMode::Current().grad &&
         (target.requires_grad() || value.requires_grad());
}

// By calls recorded on the tape or in the function being recorded.
void AssignRecorded(const Tensor& target, const Key& key, const Tensor& value) {
  if (key.basic) {
    Tensor part = CutBasic(target, key).part;
    CheckFits(value, part.shape());
    WriteInPlace(WriteKind::kCopy, part, Of(value), "assignment");
  } else {
    target.copy_(Replaced(target, key, value));
  }
}

}  // namespace

int TensorSetItem(PyObject* self, PyObject* key, PyObject* value) {
  try {
    Tensor& target = AsTensor(self);
    if (!value) ThrowTypeError("elements of a tensor cannot be deleted");
    CheckMayWrite(target, "assignment");
    Key read = ReadKey(target, key);
    Tensor given = ValueFor(target, value, RankOf(read));
    bool traced = target.traced() || Capture::Open();
    if (traced || Recorded(target, given)) {
      AssignRecorded(target, read, given);
    } else if (target.symbolic()) {
      // The object's new value; the node is unchanged.
      target = Replaced(target, read, given);
    } else {
      NoGrad off;
      if (read.basic) {
        Tensor part = CutBasic(target, read).part;
        CheckFits(given, part.shape());
        WriteInPlace(WriteKind::kCopy, part, Of(given), "assignment");
      } else {
        Scatter(target, read, given);
      }
    }
    return 0;
  } catch (...) {
    SetPythonError();
    return -1;
  }
}

void BindTensorIndex(nb::module_& m) {
  m.def(
      "with_item",
      [](const Tensor& t, nb::handle key, nb::handle value) {
        Key read = ReadKey(t, key);
        return Replaced(t, read, ValueFor(t, value, RankOf(read)));
      },
      "tensor"_a, "key"_a.none(), "value"_a,
      "A new tensor: t with t[key] = value done. For gradients and graphs.");
}

}  // namespace sluice::py
