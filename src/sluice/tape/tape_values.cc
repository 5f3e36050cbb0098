#include "sluice/tape/tape_values.h"

#include <algorithm>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/tensor/strided.h"

namespace sluice {

TapeValues::TapeValues(Tape& tape, const TapeViews& views,
                       const std::vector<Node*>& nodes,
                       const std::vector<Value>& outputs,
                       const std::vector<FusionGroup>& groups)
    : tape_(tape), views_(views), inside_(nodes.begin(), nodes.end()) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    output_index_[outputs[i]] = static_cast<int>(i);
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    auto note = [&](Node* node) {
      group_of_[node] = g;
      for (const Value& v : node->inputs()) last_use_[views_.Root(v)] = g;
    };
    if (groups[g].node) note(groups[g].node);
    for (const auto* list :
         {&groups[g].before.nodes, &groups[g].views, &groups[g].loop.nodes}) {
      for (Node* node : *list) note(node);
    }
  }
}

int TapeValues::NewRegister(Tape::Register reg) {
  tape_.registers_.push_back(reg);
  return static_cast<int>(tape_.registers_.size()) - 1;
}

Tape::Register TapeValues::Contiguous(const Value& v) const {
  Tape::Register reg;
  reg.dtype = v.dtype();
  reg.shape = v.shape().ToShape();
  reg.strides = ContiguousStrides(reg.shape);
  return reg;
}

size_t TapeValues::LastUse(const Value& v) const {
  auto it = last_use_.find(v);
  return it == last_use_.end() ? now_ : std::max(it->second, now_);
}

int TapeValues::Read(const Value& v) {
  auto it = register_.find(v);
  if (it != register_.end()) return it->second;
  Tape::Register reg = Contiguous(v);
  if (const Array* constant = ConstantValue(v);
      constant && v.node->controls().empty()) {
    reg.at = {Tape::Place::kConst,
              static_cast<int32_t>(tape_.constants_.size()), 0};
    tape_.constants_.push_back(*constant->AsContiguous());
  } else {
    SL_CHECK(!inside_.count(v.node));
    reg.at = {Tape::Place::kInput, static_cast<int32_t>(tape_.inputs_.size()),
              0};
    tape_.inputs_.push_back(v);
    tape_.input_types_.push_back({reg.dtype, reg.shape});
  }
  return register_[v] = NewRegister(reg);
}

int TapeValues::Define(const Value& v, int reuse_storage) {
  Tape::Register reg = Contiguous(v);
  auto out = output_index_.find(v);
  if (out != output_index_.end()) {
    reg.at = {Tape::Place::kOutput, out->second, 0};
  } else if (reuse_storage >= 0) {
    Storage& s = storages_[static_cast<size_t>(reuse_storage)];
    s.last_use = LastUse(v);
    reg.at = {Tape::Place::kArena, 0, s.offset};
    storage_[v] = reuse_storage;
    expiring_[s.last_use].push_back(reuse_storage);
  } else {
    int64_t bytes = reg.shape.num_elements() * DTypeSize(reg.dtype);
    int64_t offset = planner_.Allocate(bytes);
    storage_[v] = static_cast<int>(storages_.size());
    storages_.push_back({offset, bytes, LastUse(v)});
    expiring_[LastUse(v)].push_back(storage_[v]);
    reg.at = {Tape::Place::kArena, 0, offset};
  }
  return register_[v] = NewRegister(reg);
}

int TapeValues::DefineOver(const Value& v, int other) {
  Tape::Register reg = Contiguous(v);
  reg.at = tape_.registers_[static_cast<size_t>(other)].at;
  return register_[v] = NewRegister(reg);
}

int TapeValues::DefineView(const Node& node) {
  TapeViews::Layout layout =
      views_.LayoutOf(Value{const_cast<Node*>(&node), 0});
  Tape::Register reg =
      tape_.registers_[static_cast<size_t>(Read(node.input(0)))];
  reg.at.offset += layout.offset;
  reg.shape = layout.shape;
  reg.strides = layout.strides;
  return register_[Value{const_cast<Node*>(&node), 0}] = NewRegister(reg);
}

int TapeValues::DefineNowhere(const Value& v) {
  Tape::Register reg = Contiguous(v);
  reg.at.place = Tape::Place::kNowhere;
  return NewRegister(reg);
}

int TapeValues::DefineCopy(int from) {
  Tape::Register reg = tape_.registers_[static_cast<size_t>(from)];
  reg.strides = ContiguousStrides(reg.shape);
  reg.at = {Tape::Place::kArena, 0,
            Temporary(reg.shape.num_elements() * DTypeSize(reg.dtype))};
  return NewRegister(reg);
}

int64_t TapeValues::Temporary(int64_t bytes) {
  int64_t offset = planner_.Allocate(bytes);
  expiring_[now_].push_back(static_cast<int>(storages_.size()));
  storages_.push_back({offset, bytes, now_});
  return offset;
}

void TapeValues::EndGroup() {
  auto it = expiring_.find(now_);
  if (it == expiring_.end()) return;
  for (int index : it->second) {
    Storage& s = storages_[static_cast<size_t>(index)];
    // A storage taken over in place now ends later.
    if (s.released || s.last_use != now_) continue;
    s.released = true;
    planner_.Release(s.offset, s.bytes);
  }
  expiring_.erase(it);
}

bool TapeValues::InGroup(const Node* node, size_t group) const {
  auto it = group_of_.find(node);
  return it != group_of_.end() && it->second == group;
}

bool TapeValues::UsedOutside(const Value& v, size_t group) const {
  if (IsOutput(v)) return true;
  for (Node* user : v.node->users()) {
    auto it = group_of_.find(user);
    if (it == group_of_.end() || it->second == group) continue;
    if (Reads(*user, v)) return true;
  }
  return false;
}

// A set if there are many inputs: a node may have thousands, and every one of
// them is queried.
bool TapeValues::Reads(const Node& node, const Value& v) const {
  constexpr int kFew = 32;
  if (node.num_inputs() <= kFew) {
    for (const Value& in : node.inputs()) {
      if (in == v) return true;
    }
    return false;
  }
  auto& read = wide_[&node];
  if (read.empty()) read.insert(node.inputs().begin(), node.inputs().end());
  return read.count(v) > 0;
}

int TapeValues::StorageOf(const Value& v) const {
  auto it = storage_.find(views_.Root(v));
  return it == storage_.end() ? -1 : it->second;
}

int TapeValues::InputOver(const Value& in, const Value& out) const {
  if (inside_.count(in.node) || IsOutput(in)) return -1;
  auto it = register_.find(in);
  if (it == register_.end() || LastUse(in) != now_) return -1;
  const Tape::Location& at =
      tape_.registers_[static_cast<size_t>(it->second)].at;
  if (at.place != Tape::Place::kInput || in.dtype() != out.dtype() ||
      !(in.shape() == out.shape())) {
    return -1;
  }
  return at.index;
}

int TapeValues::Reusable(const Value& in, const Value& out) const {
  int storage = StorageOf(in);
  if (storage < 0) return -1;
  const Storage& s = storages_[static_cast<size_t>(storage)];
  if (s.last_use != now_ || s.released) return -1;
  if (DTypeSize(in.dtype()) != DTypeSize(out.dtype())) return -1;
  TapeViews::Layout layout = views_.LayoutOf(in);
  int64_t elements = out.shape().ToShape().num_elements();
  int64_t starts =
      tape_.registers_[static_cast<size_t>(register_.at(in))].at.offset;
  if (s.bytes != elements * DTypeSize(out.dtype()) || starts != s.offset ||
      layout.shape.num_elements() != elements ||
      !IsContiguous(layout.shape, layout.strides)) {
    return -1;
  }
  return storage;
}

}  // namespace sluice
