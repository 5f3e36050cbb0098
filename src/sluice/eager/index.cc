#include "sluice/eager/index.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recording.h"

namespace sluice {

namespace {

using Ints = std::vector<int64_t>;

std::span<const Index> Given(std::initializer_list<Index> indices) {
  return {indices.begin(), indices.size()};
}

// Indices as a slice of every axis, then axes to drop and axes to add.
struct Cuts {
  Ints begin, end, strides;
  Ints dropped;  // axes of the slice
  Ints added;    // axes of the result, in order
};

[[noreturn]] void Refuse(const std::string& text, std::source_location where) {
  throw Error(
      OutOfRange(text).WithLine(StrCat("at ", SourceLine::From(where))));
}

Cuts CutsOf(const Tensor& x, std::span<const Index> indices,
            std::source_location where) {
  PartialShape shape = x.shape();
  int used = 0;
  for (const Index& index : indices) {
    used +=
        index.kind == Index::Kind::kNumber || index.kind == Index::Kind::kSlice;
  }
  if (!shape.rank_known()) {
    Refuse("indexing needs to know how many axes the tensor has", where);
  }
  if (used > shape.rank()) {
    Refuse(StrCat(used, " indices for a tensor of shape ", shape,
                  "; wanted at most ", shape.rank()),
           where);
  }
  Cuts cuts;
  int64_t result_axis = 0;
  bool stretched = false;
  auto keep_all = [&] {
    cuts.begin.push_back(0);
    cuts.end.push_back(Index::kOpen);
    cuts.strides.push_back(1);
    ++result_axis;
  };
  for (const Index& index : indices) {
    int axis = static_cast<int>(cuts.begin.size());
    switch (index.kind) {
      case Index::Kind::kEllipsis:
        if (stretched) Refuse("two ellipses; wanted at most one", where);
        stretched = true;
        for (int k = shape.rank() - used; k > 0; --k) keep_all();
        break;
      case Index::Kind::kNewAxis:
        cuts.added.push_back(result_axis++);
        break;
      case Index::Kind::kNumber: {
        int64_t size = shape.dim(axis), at = index.begin;
        if (size >= 0 && (at < -size || at >= size)) {
          Refuse(
              StrCat("index ", at, " of axis ", axis, " of a tensor of shape ",
                     shape, "; wanted ", -size, " to ", size - 1),
              where);
        }
        cuts.dropped.push_back(axis);
        cuts.begin.push_back(at);
        // Of the last element, and of a place no tensor has, to the end.
        bool last = at == -1 || at == Index::kOpen;
        cuts.end.push_back(last ? Index::kOpen : at + 1);
        cuts.strides.push_back(1);
        break;
      }
      case Index::Kind::kSlice: {
        if (index.step == 0) Refuse("a slice with step 0", where);
        bool back = index.step < 0;
        int64_t first = back ? Index::kOpen : 0;
        int64_t last = back ? -Index::kOpen : Index::kOpen;
        cuts.begin.push_back(index.begin == Index::kOpen ? first : index.begin);
        cuts.end.push_back(index.end == Index::kOpen ? last : index.end);
        cuts.strides.push_back(index.step);
        ++result_axis;
        break;
      }
    }
  }
  return cuts;
}

// `where` for calls that the indices stand for.
Tensor Apply(Tensor x, const Cuts& cuts, std::source_location where) {
  auto call = [&](std::string_view op, const Attrs& attrs) {
    Operand operands[] = {Operand(x, where)};
    x = front_internal::CallOne(op, operands, attrs, {}, where);
  };
  if (!cuts.begin.empty()) {
    call("StridedSlice",
         {{"begin", cuts.begin}, {"end", cuts.end}, {"strides", cuts.strides}});
  }
  if (!cuts.dropped.empty()) call("Squeeze", {{"axes", cuts.dropped}});
  for (int64_t axis : cuts.added) call("ExpandDims", {{"axis", axis}});
  return x;
}

Tensor Call(std::string_view op, std::initializer_list<Operand> operands,
            const Attrs& attrs, std::source_location where) {
  return front_internal::CallOne(
      op, std::span<const Operand>(operands.begin(), operands.size()), attrs,
      {}, where);
}

// x with the part at `cuts` replaced, by calls that can be recorded: the places
// of the part are found by indexing the numbers of all elements.
Tensor Replaced(const Tensor& x, const Cuts& cuts, const Operand& value,
                std::source_location where) {
  Tensor flat = Call("Reshape", {x, Array::Vector<int64_t>({-1})}, {}, where);
  Tensor count = Call("Size", {x}, {}, where);
  Tensor numbers = Call("Range", {int64_t{0}, count, int64_t{1}}, {}, where);
  Tensor shape = Call("Shape", {x}, {}, where);
  Tensor places =
      Apply(Call("Reshape", {numbers, shape}, {}, where), cuts, where);
  Tensor part_shape = Call("Shape", {places}, {}, where);
  Operand typed = front_internal::Typed("set", value, x.dtype());
  Tensor part = Call("BroadcastTo", {typed, part_shape}, {}, where);
  Array line = Array::Vector<int64_t>({-1}),
        column = Array::Vector<int64_t>({-1, 1});
  Tensor changed = Call("TensorScatterUpdate",
                        {flat, Call("Reshape", {places, column}, {}, where),
                         Call("Reshape", {part, line}, {}, where)},
                        {}, where);
  return Call("Reshape", {changed, shape}, {}, where);
}

}  // namespace

Tensor Tensor::at(std::initializer_list<Index> indices, Where where) const {
  return Apply(*this, CutsOf(*this, Given(indices), where), where);
}

Tensor Tensor::operator[](const Indices& indices) const {
  return Apply(*this, CutsOf(*this, indices.list(), indices.where()),
               indices.where());
}

const Tensor& Tensor::set(std::initializer_list<Index> indices,
                          const Operand& value, Where where) const {
  Cuts cuts = CutsOf(*this, Given(indices), where);
  bool tracked =
      requires_grad() || (value.is_tensor() && value.tensor().requires_grad());
  bool records = front_internal::EagerMode::Current().grad && tracked;
  if (records || traced() || Recording::Open()) {
    // A write to a view: what it looks at changes with it.
    Apply(*this, cuts, where).copy_(value, where);
    return *this;
  }
  if (symbolic()) {
    return copy_(Operand(Replaced(*this, cuts, value, where), where), where);
  }
  NoGrad off;
  Apply(*this, cuts, where).copy_(value, where);
  return *this;
}

}  // namespace sluice
