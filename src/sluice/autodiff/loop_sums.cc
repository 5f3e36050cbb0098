#include "sluice/autodiff/loop_sums.h"

#include <algorithm>

#include "sluice/autodiff/linear_in.h"
#include "sluice/graph/role_of.h"

namespace sluice {

namespace {

// This many rows form a large product already: accumulating it is cheaper than
// keeping the rows.
constexpr int64_t kManyRows = 256;

}  // namespace

// Two passes: values collected for products can be summed for other gradients
// without extra storage.
Status LoopSums::Plan() {
  for (int round = 0; round < 2; ++round) {
    carried_.clear();
    collected_.clear();
    left_.clear();
    for (size_t i = 0; i < captures_.size(); ++i) {
      Carried here{captures_[i], {}};
      for (const GradPart& part : inner_.parts()[i]) {
        SL_ASSIGN_OR_RETURN(bool left, Leave(part));
        if (left) {
          left_.push_back({i, part, reads_});
        } else {
          here.parts.push_back(part);
        }
      }
      if (!here.parts.empty()) carried_.push_back(std::move(here));
    }
  }
  return OkStatus();
}

Result<bool> LoopSums::Leave(const GradPart& part) {
  reads_.clear();
  if (!hoist_) return false;
  if (part.rows()) {
    Collect(part.indices);
    Collect(part.values);
    return true;
  }
  size_t carried = carried_.size(), collected = collected_.size();
  SL_ASSIGN_OR_RETURN(bool expanded, Expand(part.dense));
  if (!expanded) {
    carried_.resize(carried);
    collected_.resize(collected);
  }
  return expanded;
}

bool LoopSums::Invariant(const Value& v) const {
  if (v.node->region() != &body_ || ConstantValue(v)) return true;
  const OpRecord& op = v.node->op();
  bool looks = op.view && op.pure();
  if (!(op.shape_only || looks) || !v.node->controls().empty()) return false;
  return std::all_of(v.node->inputs().begin(), v.node->inputs().end(),
                     [&](const Value& in) { return Invariant(in); });
}

void LoopSums::Collect(const Value& v) {
  auto add = [&](std::vector<Value>& to) {
    if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
  };
  add(collected_);
  add(reads_);
}

// A sum over rows, if the rows of all iterations should be collected.
Result<bool> LoopSums::Reduces(const Value& v) {
  if (RoleOf(v) == Role::kSumTo) {
    const Value& x = v.node->input(0);
    bool rows = v.shape().rank_known() && x.shape().rank() > v.shape().rank();
    if (!rows || !products_.count(x) || !Invariant(v.node->input(1))) {
      return false;
    }
    Collect(x);
    return true;
  }
  bool outer = RoleOf(v) == Role::kOuter;
  if (!outer && RoleOf(v) != Role::kMatMul) return false;
  auto it = rewritten_.find(v);
  Value product = it == rewritten_.end() ? v : it->second;
  Value a = product.node->input(0), b = product.node->input(1);
  // The rows of an inner loop's iterations form a large product.
  if (Invariant(a) || Invariant(b) || RoleOf(a) == Role::kListConcat ||
      RoleOf(b) == Role::kListConcat) {
    return false;
  }
  if (it == rewritten_.end()) {
    SL_ASSIGN_OR_RETURN(product, OverRows(v, a, b));
    a = product.node->input(0), b = product.node->input(1);
    rewritten_[v] = product;
  }
  const PartialShape& rows = a.shape();
  if (rows.rank_known() && rows[0] > kManyRows) return false;
  for (const Value& factor : {a, b}) {
    Collect(factor);
    products_.insert(factor);
  }
  return true;
}

// The product as a' b, which sums over the rows of both.
Result<Value> LoopSums::OverRows(const Value& v, Value a, Value b) {
  if (RoleOf(v) == Role::kOuter) {
    for (Value* x : {&a, &b}) {
      SL_ASSIGN_OR_RETURN(*x,
                          inner_.Call(v, "ExpandDims", {x, 1}, {{"axis", 0}}));
    }
  } else {
    bool ta = v.node->attrs().get<bool>("transpose_a");
    bool tb = v.node->attrs().get<bool>("transpose_b");
    if (ta && !tb) return v;
    if (!ta) {
      SL_ASSIGN_OR_RETURN(a, inner_.Call(v, "Transpose", {&a, 1}));
    }
    if (tb) {
      SL_ASSIGN_OR_RETURN(b, inner_.Call(v, "Transpose", {&b, 1}));
    }
  }
  Value in[] = {a, b};
  return inner_.Call(v, "MatMul", in, {{"transpose_a", true}});
}

Result<bool> LoopSums::Expand(const Value& v) {
  // A value that the loop also reads is computed there anyway.
  if (!inner_.InTail(v) || v.node->num_outputs() != 1 ||
      v.node->users().size() > 1) {
    return false;
  }
  size_t carried = carried_.size(), collected = collected_.size(),
         reads = reads_.size();
  SL_ASSIGN_OR_RETURN(bool reduces, Reduces(v));
  if (reduces) return true;
  std::vector<Value> varying =
      LinearIn(*v.node, [&](const Value& in) { return Invariant(in); });
  if (varying.empty()) return false;
  for (const Value& in : varying) {
    SL_ASSIGN_OR_RETURN(bool expanded, Expand(in));
    if (expanded) continue;
    if (CarriedInstead(in, v)) {
      carried_.push_back({{}, {{in, {}, {}}}});
      continue;
    }
    carried_.resize(carried);
    collected_.resize(collected);
    reads_.resize(reads);
    return false;
  }
  return true;
}

// Whether to accumulate `in`, from which `v` is computed, instead of v.
bool LoopSums::CarriedInstead(const Value& in, const Value& v) const {
  if (!in.shape().fully_known() || Invariant(in)) return false;
  // A long sum in half precision would lose what a sum in float keeps.
  if (DTypeSize(in.dtype()) < DTypeSize(v.dtype())) return false;
  return !v.shape().fully_known() || in.shape().ToShape().num_elements() <=
                                         v.shape().ToShape().num_elements();
}

std::vector<Value> LoopSums::Wanted() const {
  std::vector<Value> wanted;
  for (const Carried& c : carried_) {
    for (const GradPart& part : c.parts) {
      for (const Value& v : {part.dense, part.indices, part.values}) {
        if (v) wanted.push_back(v);
      }
    }
  }
  for (const Value& v : collected_) {
    if (!inner_.Inside(v)) wanted.push_back(v);
  }
  return wanted;
}

}  // namespace sluice
