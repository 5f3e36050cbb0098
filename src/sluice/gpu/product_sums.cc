// GpuCodeBuilder: sums of many products of one shape, such as a weight's
// gradient in a recurrent network: a^T b + c^T d + ... is one product of the
// stacked operands, [a; c; ...]^T [b; d; ...].
#include <algorithm>
#include <array>

#include "sluice/base/strings.h"
#include "sluice/gpu/code_builder.h"
#include "sluice/graph/graph.h"
#include "sluice/kernels/cuda/addend.h"

namespace sluice {

namespace {

constexpr size_t kFewest = 8;
// Products with more rows than this gain nothing from being combined.
constexpr int64_t kMostRows = 512;
constexpr int64_t kMostBytes = int64_t{256} << 20;

// a^T b of float32.
bool IsPart(const Node& node) {
  return SaidOfOps<TakesAddend>::Find(node.op()) && node.num_inputs() == 2 &&
         node.output_type(0).dtype == DType::kF32 &&
         node.attrs().get<bool>("transpose_a") &&
         !node.attrs().get<bool>("transpose_b") &&
         node.input(0).shape().ToShape().dim(0) <= kMostRows;
}

bool Alike(const Node& a, const Node& b) {
  return &a.op() == &b.op() && a.input(0).shape() == b.input(0).shape() &&
         a.input(1).shape() == b.input(1).shape();
}

}  // namespace

// The products that are summed; empty if the sum has other terms.
std::vector<Node*> GpuCodeBuilder::PartsOfSum(
    Node& root, std::vector<const Node*>& sums) const {
  std::vector<Node*> parts, open = {&root};
  while (!open.empty()) {
    Node* sum = open.back();
    open.pop_back();
    auto group = group_of_.find(sum);
    if (group == group_of_.end() ||
        groups_[group->second].loop.nodes.size() != 1) {
      return {};
    }
    sums.push_back(sum);
    for (const Value& v : sum->inputs()) {
      if (v.node->users().size() != 1 || target_.count(v) ||
          !group_of_.count(v.node) ||
          !(v.shape() == root.output_type(0).shape)) {
        return {};
      }
      if (v.node->op().role == Role::kAdd) {
        open.push_back(v.node);
      } else if (IsPart(*v.node) &&
                 (parts.empty() || Alike(*v.node, *parts[0]))) {
        parts.push_back(v.node);
      } else {
        return {};
      }
    }
  }
  return parts;
}

void GpuCodeBuilder::FindProductSums() {
  product_sums_.clear();
  done_by_.clear();
  if (!fuse_) return;
  // From the last one: a part of a sum is not a sum of its own.
  for (size_t g = groups_.size(); g-- > 0;) {
    const std::vector<Node*>& loop = groups_[g].loop.nodes;
    if (groups_[g].node || loop.size() != 1 || done_by_.count(g) ||
        loop[0]->op().role != Role::kAdd ||
        loop[0]->output_type(0).dtype != DType::kF32) {
      continue;
    }
    std::vector<const Node*> sums;
    std::vector<Node*> parts = PartsOfSum(*loop[0], sums);
    if (parts.size() < kFewest) continue;
    const Node& one = *parts[0];
    int64_t elements = one.input(0).shape().ToShape().num_elements() +
                       one.input(1).shape().ToShape().num_elements();
    if (elements * 4 > kMostBytes / static_cast<int64_t>(parts.size())) {
      continue;
    }
    for (const Node* sum : sums) done_by_[group_of_.at(sum)] = g;
    for (const Node* part : parts) done_by_[group_of_.at(part)] = g;
    product_sums_[g] = std::move(parts);
  }
}

// The stacked values: already contiguous, or copied.
Result<int> GpuCodeBuilder::Stacked(const Node& node,
                                    const std::vector<int>& parts) {
  const Register first = At(parts[0]);
  bool there = true;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Register& r = At(parts[i]);
    there = there && r.place == first.place && r.index == first.index &&
            r.offset == first.offset + static_cast<int64_t>(i) * first.bytes();
  }
  auto count = static_cast<int64_t>(parts.size());
  std::array<int64_t, 2> dims{first.shape.dim(0) * count, first.shape.dim(1)};
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  if (there) {
    return AddRegister(Register::Dense(first.place, first.index, first.offset,
                                       first.dtype, shape));
  }
  int64_t offset = TakeArena(first.bytes() * count);
  std::vector<int> to;
  for (int64_t i = 0; i < count; ++i) {
    to.push_back(AddRegister(Register::Dense(GpuPlace::kArena, 0,
                                             offset + i * first.bytes(),
                                             first.dtype, first.shape)));
  }
  GpuInstruction move = Move(node, parts, to);
  move.label =
      StrCat("move ", count, " x ", DTypeName(first.dtype), first.shape);
  code_.push_back(std::move(move));
  return AddRegister(
      Register::Dense(GpuPlace::kArena, 0, offset, first.dtype, shape));
}

Status GpuCodeBuilder::EmitProductSum(const std::vector<Node*>& parts) {
  Node& sum = *groups_[now_].loop.nodes[0];
  std::vector<int> a, b;
  for (Node* part : parts) {
    SL_ASSIGN_OR_RETURN(int left, ReadDense(*part, part->input(0)));
    SL_ASSIGN_OR_RETURN(int right, ReadDense(*part, part->input(1)));
    a.push_back(left);
    b.push_back(right);
  }
  // Gradients come from the last step to the first; memory may be in either
  // order.
  auto backwards = [&](const std::vector<int>& x) {
    const Register &first = At(x[0]), &next = At(x[1]);
    return first.place == next.place && first.index == next.index &&
           next.offset + next.bytes() == first.offset;
  };
  if (backwards(a) || backwards(b)) {
    std::reverse(a.begin(), a.end());
    std::reverse(b.begin(), b.end());
  }
  GpuInstruction instr;
  instr.node = parts[0];
  SL_ASSIGN_OR_RETURN(int left, Stacked(sum, a));
  SL_ASSIGN_OR_RETURN(int right, Stacked(sum, b));
  instr.in = {left, right};
  instr.out = {NewValue(sum.output(0))};
  instr.label = StrCat(parts[0]->op().name, " \"", parts[0]->name(), "\" of ",
                       parts.size());
  code_.push_back(std::move(instr));
  return OkStatus();
}

}  // namespace sluice
