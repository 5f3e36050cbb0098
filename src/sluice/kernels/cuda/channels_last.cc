#include "sluice/kernels/cuda/channels_last.h"

#include <unordered_map>

#include "sluice/op/record.h"

namespace sluice {

namespace {

using Table = std::unordered_map<std::string_view, ChannelsLast>;

Table& AllOps() {
  static auto& table = *new Table;
  return table;
}

}  // namespace

SayChannelsLast::SayChannelsLast(const char* op, const ChannelsLast& how) {
  AllOps().emplace(op, how);
}

const ChannelsLast* ChannelsLastOf(const OpRecord& op) {
  auto it = AllOps().find(op.name);
  return it == AllOps().end() ? nullptr : &it->second;
}

Strides ChannelsLastStrides(const Shape& shape) {
  Strides strides{};
  int64_t step = 1;
  for (int axis : {1, 3, 2, 0}) {
    strides[static_cast<size_t>(axis)] = step;
    step *= shape.dim(axis);
  }
  return strides;
}

bool LiesChannelsLast(const Shape& shape, const Strides& strides) {
  if (shape.rank() != 4) return false;
  Strides want = ChannelsLastStrides(shape);
  for (int axis = 0; axis < 4; ++axis) {
    auto a = static_cast<size_t>(axis);
    if (shape.dim(axis) != 1 && strides[a] != want[a]) return false;
  }
  return true;
}

}  // namespace sluice
