#include "sluice/front/ragged_call.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice::front_internal {

void RaggedCall::Throw(std::string_view message) const {
  throw Error(InvalidArgument(std::string(message))
                  .WithLine(StrCat("at ", SourceLine::From(where))));
}

const Tensor& RaggedCall::OneLevel(std::string_view function,
                                   const Ragged& r) const {
  if (!r.defined()) Throw(StrCat(function, ": the Ragged holds nothing"));
  if (r.depth() != 1) {
    Throw(StrCat(function, ": got rows of ", r.depth(),
                 " levels; wanted 1 (inner() gives the innermost rows)"));
  }
  return r.row_splits();
}

namespace {

bool SameHandle(const Tensor& a, const Tensor& b) {
  if (a.symbolic() != b.symbolic()) return false;
  return a.symbolic() ? a.value() == b.value()
                      : a.eager().get() == b.eager().get();
}

}  // namespace

Tensor RaggedCall::After(const Tensor& values,
                         const std::vector<Tensor>& splits) const {
  std::vector<Operand> in{values};
  for (const Tensor& s : splits) {
    if (s.symbolic()) in.push_back(s);
  }
  return in.size() == 1 ? values : (*this)("WaitFor", in);
}

std::vector<Tensor> RaggedCall::SameSplits(std::string_view function,
                                           const Ragged& a, const Ragged& b,
                                           bool* checked) const {
  if (!a.defined() || !b.defined())
    Throw(StrCat(function, ": a Ragged holds nothing"));
  if (a.depth() != b.depth()) {
    Throw(StrCat(function, ": got rows of ", a.depth(), " and of ", b.depth(),
                 " levels; wanted equal rows"));
  }
  std::vector<Tensor> splits;
  for (int i = 0; i < a.depth(); ++i) {
    const Tensor &x = a.splits(i), &y = b.splits(i);
    bool same = SameHandle(x, y);
    if (checked && !same) *checked = true;
    splits.push_back(same ? x : (*this)("RaggedSameSplits", {x, y}));
  }
  return splits;
}

Tensor RaggedCall::WithRank(Tensor x, int rank) const {
  for (int i = x.rank(); i < rank; ++i) {
    x = (*this)("ExpandDims", {x}, {{"axis", -1}});
  }
  return x;
}

int RaggedCall::RankOf(std::string_view function, const Tensor& x) const {
  int rank = x.rank();
  if (rank < 0) {
    Throw(StrCat(function, ": ", x.ToString(),
                 "; wanted the number of axes known"));
  }
  return rank;
}

}  // namespace sluice::front_internal
