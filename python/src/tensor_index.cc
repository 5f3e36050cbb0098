#include "tensor_index.h"

#include <numeric>

#include "bindings.h"
#include "caller_line.h"
#include "errors.h"
#include "op_call.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/capture.h"

namespace sluice::py {

namespace {

using Kind = KeyEntry::Kind;
using Ints = std::vector<int64_t>;

Given Of(const Tensor& t) { return {t, {}, false}; }

// One axis of the given size, with Python's slice semantics.
struct Cut {
  int64_t first, count;
};
Cut CutAxis(int64_t size, const KeyEntry& e) {
  Py_ssize_t begin = e.begin, end = e.end;
  Py_ssize_t count = PySlice_AdjustIndices(size, &begin, &end, e.step);
  return {begin, count};
}

// Applies a whole basic key at once, for tensors without recording.
Tensor ViewOf(const Tensor& tensor, const Key& key) {
  EagerValue& source = *tensor.eager();
  const Array& a = source.array;
  Ints sizes;
  Strides strides{};
  int64_t offset = 0;
  int axis = 0;
  auto add = [&](int64_t size, int64_t stride) {
    if (sizes.size() == static_cast<size_t>(kMaxRank)) {
      ThrowIndexError(StrCat("the result has more than ", kMaxRank, " axes"));
    }
    strides[sizes.size()] = stride;
    sizes.push_back(size);
  };
  for (const KeyEntry& e : key.entries) {
    if (e.kind == Kind::kNewAxis || e.fresh) {
      add(1, 0);
      continue;
    }
    int64_t size = a.dim(axis);
    int64_t stride = a.strides()[static_cast<size_t>(axis++)];
    if (e.kind == Kind::kNumber) {
      offset += (e.begin < 0 ? e.begin + size : e.begin) * stride;
    } else if (e.kind == Kind::kPlace) {
      add(size, stride);
    } else {
      Cut cut = CutAxis(size, e);
      if (cut.count > 0) offset += cut.first * stride;
      // A step larger than the axis is never taken, and could overflow.
      add(cut.count, cut.count > 1 ? stride * e.step : stride);
    }
  }
  Shape shape = ValueOrThrow(Shape::Make(sizes));
  bool empty = shape.num_elements() == 0;
  EagerRef value = MakeRef<EagerValue>(
      Array::View(a, empty ? 0 : offset, shape,
                  empty ? ContiguousStrides(shape) : strides));
  value->view = true;
  value->log = Ref<WriteLog>::Share(&source.writes());
  value->line = PythonLine();
  return Tensor(std::move(value));
}

// Whether to use ops, so that gradients are recorded; also if a write to the
// part may be recorded.
bool Recorded(const Tensor& t) {
  return front_internal::EagerMode::Current().grad &&
         CarriesGradient(t.dtype());
}

// One axis cut at sizes of a function being recorded.
Tensor CutAtSizes(const Tensor& x, int64_t axis, const KeyEntry& e) {
  auto place = [](const Tensor& symbol, int64_t number) {
    return symbol.defined() ? Of(symbol)
                            : Given{{}, Array::Scalar<int64_t>(number)};
  };
  return CallOne("SliceAxis",
                 {Of(x), place(e.from, e.begin), place(e.to, e.end)},
                 {{"axis", axis}, {"step", e.step}});
}

// The same by ops, for gradients and graphs.
Tensor ViewByOps(Tensor x, const Key& key) {
  Ints begin, end, strides, dropped, added;
  int64_t result_axis = 0;
  bool cuts = false, at_sizes = false;
  for (const KeyEntry& e : key.entries) {
    if (e.kind == Kind::kNewAxis || e.fresh) {
      added.push_back(result_axis++);
      continue;
    }
    bool number = e.kind == Kind::kNumber;
    if (number) dropped.push_back(static_cast<int64_t>(begin.size()));
    if (e.from.defined() || e.to.defined()) {
      x = CutAtSizes(x, static_cast<int64_t>(begin.size()), e);
      at_sizes = true;
    }
    if (e.kind == Kind::kPlace || e.from.defined() || e.to.defined()) {
      begin.push_back(0);
      end.push_back(std::numeric_limits<int64_t>::max());
      strides.push_back(1);
    } else {
      begin.push_back(e.begin);
      if (number) {
        // The end of a slice of one element; for the last element, the end of
        // the axis.
        bool last =
            e.begin == -1 || e.begin == std::numeric_limits<int64_t>::max();
        end.push_back(last ? std::numeric_limits<int64_t>::max() : e.begin + 1);
      } else {
        end.push_back(e.end);
      }
      strides.push_back(e.step);
      cuts = cuts || number || e.begin != 0 || e.step != 1 ||
             e.end != std::numeric_limits<int64_t>::max();
    }
    result_axis += !number;
  }
  // x[:] is also a new tensor over the same elements.
  bool whole = key.basic && !at_sizes && dropped.empty() && added.empty();
  if (cuts || whole) {
    x = CallOne("StridedSlice", {Of(x)},
                {{"begin", begin}, {"end", end}, {"strides", strides}});
  }
  if (!dropped.empty()) x = CallOne("Squeeze", {Of(x)}, {{"axes", dropped}});
  for (int64_t axis : added) {
    x = CallOne("ExpandDims", {Of(x)}, {{"axis", axis}});
  }
  return x;
}

// Broadcasts all indices to one shape.
void Broadcast(std::vector<Tensor>& places) {
  if (places.size() < 2) return;
  PartialShape shape = places[0].shape();
  bool equal = true, known = true;
  for (const Tensor& p : places) {
    known = known && p.shape().fully_known();
    equal = equal && p.shape() == places[0].shape();
    Result<PartialShape> both = BroadcastShapes(shape, p.shape());
    if (!both.ok()) {
      ThrowIndexError(StrCat("arrays of indices of shapes ", shape, " and ",
                             p.shape(), " do not broadcast together"));
    }
    shape = *both;
  }
  if (equal && known) return;
  Tensor zeros = CallOne("ZerosLike", {Of(places[0])});
  for (size_t i = 1; i < places.size(); ++i) {
    zeros =
        CallOne("Add", {Of(zeros), Of(CallOne("ZerosLike", {Of(places[i])}))});
  }
  for (Tensor& p : places) p = CallOne("Add", {Of(p), Of(zeros)});
}

}  // namespace

Basic CutBasic(const Tensor& tensor, const Key& key) {
  bool by_ops = !RunsNow(tensor) || Recorded(tensor);
  Basic made{by_ops ? ViewByOps(tensor, key) : ViewOf(tensor, key), {}, {}};
  int axis = 0;
  for (const KeyEntry& e : key.entries) {
    if (e.kind == Kind::kNumber) continue;
    if (e.kind == Kind::kPlace) {
      made.axes.push_back(axis);
      made.places.push_back(e.place);
    }
    ++axis;
  }
  Broadcast(made.places);
  return made;
}

Tensor PlaceTuples(const Basic& basic) {
  if (basic.places.size() == 1) {
    return CallOne("ExpandDims", {Of(basic.places[0])},
                   {{"axis", int64_t{-1}}});
  }
  std::vector<Given> all;
  for (const Tensor& p : basic.places) all.push_back(Of(p));
  return CallOne("Stack", std::move(all), {{"axis", int64_t{-1}}});
}

Tensor MoveBlock(const Tensor& x, int from, int count, int to) {
  if (from == to || count == 0) return x;
  Ints perm(static_cast<size_t>(x.rank()));
  std::iota(perm.begin(), perm.end(), 0);
  Ints block(perm.begin() + from, perm.begin() + from + count);
  perm.erase(perm.begin() + from, perm.begin() + from + count);
  perm.insert(perm.begin() + to, block.begin(), block.end());
  return CallOne("Transpose", {Of(x)}, {{"perm", perm}});
}

Tensor AxesFirst(const Tensor& x, const std::vector<int>& axes) {
  Ints perm(axes.begin(), axes.end());
  bool same = true;
  for (size_t i = 0; i < axes.size(); ++i) {
    same = same && axes[i] == static_cast<int>(i);
  }
  if (same) return x;
  for (int i = 0; i < x.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) perm.push_back(i);
  }
  return CallOne("Transpose", {Of(x)}, {{"perm", perm}});
}

// A single run-time index is a view in imperative code. Here it is a copy that
// may alias its base, valid until one of them is written.
Tensor PerhapsView(const Tensor& picked, const Tensor& of) {
  Capture* capture = Capture::Open();
  if (!capture) return picked;
  // If a loop computes the index, decisions by value may unroll the loop, and
  // each index is then known. Elsewhere such decisions would not help.
  using How = TraceState::Perhaps::How;
  capture->MayBe(*capture->ValueOf(picked), capture->ValueOf(of),
                 capture->in_region() ? How::kLook : How::kStrides);
  return picked;
}

Tensor PartOf(const Tensor& tensor, const Key& key) {
  Basic basic = CutBasic(tensor, key);
  if (key.basic) return basic.part;
  int count = basic.places[0].rank();
  if (count < 0 && basic.axes[0] != key.lead) {
    ThrowIndexError("indexing needs to know how many axes the index has");
  }
  // Gather's gradient along axis 0 is sparse, like that of an embedding.
  // Indexing has a dense gradient. A loop adds up the rows of its iterations,
  // and what it hands out is dense.
  bool one_place = count == 0 && basic.places.size() == 1;
  Capture* capture = Capture::Open();
  bool rows = one_place && (!capture || capture->InLoopSince(0));
  if (basic.axes.size() == 1 && (basic.axes[0] > 0 || rows)) {
    int axis = basic.axes[0];
    Tensor picked = CallOne("Gather", {Of(basic.part), Of(basic.places[0])},
                            {{"axis", int64_t{axis}}});
    if (one_place) return PerhapsView(picked, tensor);
    return MoveBlock(picked, axis, count, key.lead);
  }
  Tensor picked = CallOne("GatherNd", {Of(AxesFirst(basic.part, basic.axes)),
                                       Of(PlaceTuples(basic))});
  if (count == 0) PerhapsView(picked, tensor);
  return MoveBlock(picked, 0, count, key.lead);
}

PyObject* TensorGetItem(PyObject* self, PyObject* key) {
  try {
    const Tensor& tensor = AsTensor(self);
    return nb::cast(PartOf(tensor, ReadKey(tensor, key))).release().ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

}  // namespace sluice::py
