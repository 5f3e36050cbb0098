// GpuCodeBuilder: values stored channels last, between kernels that use that
// layout.
#include <array>

#include "sluice/gpu/code_builder.h"
#include "sluice/kernels/cuda/channels_last.h"
#include "sluice/kernels/cuda/tensor_cores.h"

namespace sluice {

bool GpuCodeBuilder::LiesLast(int r) const {
  const Register& at = At(r);
  return !at.contiguous() && LiesChannelsLast(at.shape, at.strides);
}

// Whether a kernel gets its operands channels last: it prefers that layout, or
// one of them already has it.
bool GpuCodeBuilder::TakesLast(const Node& node) {
  const ChannelsLast* how = SaidOfOps<ChannelsLast>::Find(node.op());
  if (!how) return false;
  bool takes = how->wanted && ByTensorCores(node.input(0).dtype());
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (!(how->inputs >> i & 1)) continue;
    if (node.input(i).shape().rank() != 4) return false;
    auto it = register_.find(node.input(i));
    takes = takes || (it != register_.end() && LiesLast(it->second));
  }
  return takes;
}

// Copied if necessary, once for all readers.
Result<int> GpuCodeBuilder::ReadLast(const Node& node, const Value& v) {
  SL_ASSIGN_OR_RETURN(int r, Read(v));
  if (LiesChannelsLast(At(r).shape, At(r).strides)) return r;
  auto known = turned_.find(v);
  if (known != turned_.end()) return known->second;
  Register from = At(r);
  int64_t offset = TakeArena(from.bytes());
  taken_.back().until = std::max(now_, LastRead(v));
  Register to =
      Register::Dense(GpuPlace::kArena, 0, offset, from.dtype, from.shape);
  to.strides = ChannelsLastStrides(from.shape);
  int copy = AddRegister(std::move(to));
  code_.push_back(Copy(node, r, copy));
  return turned_[v] = copy;
}

int GpuCodeBuilder::NewLast(Node& node, int output) {
  Value v = node.output(output);
  Shape shape = v.shape().ToShape();
  int64_t offset = TakeArena(shape.num_elements() * DTypeSize(v.dtype()));
  taken_.back().until = std::max(now_, LastRead(v));
  Register made =
      Register::Dense(GpuPlace::kArena, 0, offset, v.dtype(), shape);
  made.strides = ChannelsLastStrides(shape);
  int r = register_[v] = AddRegister(std::move(made));
  auto target = target_.find(v);
  if (target != target_.end()) {
    after_.push_back(Copy(node, r, target->second->reg));
  }
  return r;
}

// [n, channels, height, width] as [n * height * width, channels].
int GpuCodeBuilder::AsRows(int r) {
  Register from = At(r);
  const Shape& s = from.shape;
  Register rows = Register::Dense(
      from.place, from.index, from.offset, from.dtype,
      *Shape::Make(std::array{s.dim(0) * s.dim(2) * s.dim(3), s.dim(1)}));
  return AddRegister(std::move(rows));
}

// A loop follows memory order: channels last if an operand of its size has that
// layout, unless the loop writes an output of the program, which is row-major.
bool GpuCodeBuilder::LoopsLast(const FusedNodes& nodes) {
  if (nodes.space.rank() != 4) return false;
  bool some = false;
  for (Node* node : nodes.nodes) {
    if (target_.count(node->output(0))) return false;
    if (!(node->output_type(0).shape == PartialShape(nodes.space))) {
      return false;
    }
    for (const Value& v : node->inputs()) {
      auto it = register_.find(v);
      some = some || (it != register_.end() && LiesLast(it->second) &&
                      At(it->second).shape == nodes.space);
    }
  }
  return some;
}

// The same elements with the axes in memory order.
int GpuCodeBuilder::TurnedLast(int r) {
  Register from = At(r);
  int rank = from.shape.rank();
  if (rank == 0) return r;
  std::array<int64_t, 4> dims{1, 1, 1, 1};
  Strides strides{};
  constexpr int kOrder[] = {0, 2, 3, 1};
  for (int k = 0; k < 4; ++k) {
    int axis = kOrder[k] - (4 - rank);
    if (axis < 0) continue;
    dims[static_cast<size_t>(k)] = from.shape.dim(axis);
    strides[static_cast<size_t>(k)] = from.strides[static_cast<size_t>(axis)];
  }
  from.shape = *Shape::Make(dims);
  from.strides = strides;
  return AddRegister(std::move(from));
}

}  // namespace sluice
