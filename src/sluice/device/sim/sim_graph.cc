#include "sluice/device/sim/sim_graph.h"

#include <cstring>
#include <utility>

#include "sluice/base/strings.h"
#include "sluice/device/sim/sim_device.h"

namespace sluice {

using Kind = SimGraphNode::Kind;

namespace {

const char* KindName(Kind kind) {
  switch (kind) {
    case Kind::kKernel:
      return "kernel";
    case Kind::kCopy:
      return "copy";
    case Kind::kFill:
      return "fill";
    case Kind::kEmpty:
      return "empty node";
    case Kind::kChild:
      return "child graph";
    case Kind::kIf:
      return "IF";
    case Kind::kWhile:
      return "WHILE";
    case Kind::kSwitch:
      return "SWITCH";
    case Kind::kHost:
      return "host function";
    case Kind::kMemory:
      return "memory node";
    case Kind::kEventRecord:
      return "event record";
    case Kind::kEventWait:
      return "event wait";
  }
  return "?";
}

ByteRange RangeAt(const Place& place, int64_t bytes) {
  bool host = !place.memory || place.memory->on_host();
  return {host ? nullptr : place.memory, place.address, bytes};
}

// Where the host, doing the device's work, finds it.
void* BytesAt(const Place& place) {
  auto* sim = dynamic_cast<SimMemory*>(place.memory);
  return sim ? sim->Bytes(place.address) : place.address;
}

}  // namespace

std::string SimGraphNode::ToString() const {
  return StrCat(KindName(kind), " \"", work.label, "\"");
}

SimGraph::SimGraph(SimDevice& device, std::string name)
    : device_(&device), name_(std::move(name)) {}

int SimGraph::Add(SimGraphNode node) {
  if (node.work.label.empty()) node.work.label = StrCat("#", nodes_.size());
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

int SimGraph::AddKernel(SimWork work, After after, SimConditionRef sets) {
  return Add({.kind = Kind::kKernel,
              .after = std::move(after),
              .work = std::move(work),
              .sets = std::move(sets)});
}

int SimGraph::AddCopy(const Place& to, const Place& from, int64_t bytes,
                      After after) {
  SimGraphNode node{.kind = Kind::kCopy, .after = std::move(after)};
  ByteRange source = RangeAt(from, bytes), target = RangeAt(to, bytes);
  node.work.reads = {source};
  node.work.writes = {target};
  node.work.bytes = 2 * bytes;
  node.crosses_link = source.memory != target.memory;
  node.work.run = [to = BytesAt(to), from = BytesAt(from), bytes] {
    std::memmove(to, from, static_cast<size_t>(bytes));
  };
  return Add(std::move(node));
}

int SimGraph::AddFill(const Place& to, uint8_t value, int64_t bytes,
                      After after) {
  SimGraphNode node{.kind = Kind::kFill, .after = std::move(after)};
  node.work.writes = {RangeAt(to, bytes)};
  node.work.bytes = bytes;
  node.work.run = [to = BytesAt(to), value, bytes] {
    std::memset(to, value, static_cast<size_t>(bytes));
  };
  return Add(std::move(node));
}

int SimGraph::AddEmpty(After after) {
  return Add({.kind = Kind::kEmpty, .after = std::move(after)});
}

int SimGraph::AddChild(const SimGraph& child, After after) {
  SimGraphNode node{.kind = Kind::kChild, .after = std::move(after)};
  node.work.label = child.name();
  node.bodies.push_back(std::make_shared<SimGraph>(child.Clone()));
  return Add(std::move(node));
}

SimConditionRef SimGraph::NewCondition(std::string name,
                                       std::optional<uint32_t> at_launch) {
  conditions_.push_back(
      std::make_shared<SimCondition>(std::move(name), at_launch));
  return conditions_.back();
}

SimGraph::Conditional SimGraph::AddConditional(Kind kind,
                                               SimConditionRef condition,
                                               int bodies, After after) {
  SimGraphNode node{.kind = kind, .after = std::move(after)};
  node.work.label = condition ? condition->name() : "";
  node.decides = std::move(condition);
  Conditional added;
  for (int i = 0; i < bodies; ++i) {
    node.bodies.push_back(std::make_shared<SimGraph>(
        *device_,
        StrCat("body ", i, " of ", KindName(kind), " ", node.work.label)));
    added.bodies.push_back(node.bodies.back().get());
  }
  added.node = Add(std::move(node));
  return added;
}

SimGraph::Conditional SimGraph::AddIf(SimConditionRef condition, After after,
                                      bool with_else) {
  return AddConditional(Kind::kIf, std::move(condition), with_else ? 2 : 1,
                        std::move(after));
}
SimGraph::Conditional SimGraph::AddWhile(SimConditionRef condition,
                                         After after) {
  return AddConditional(Kind::kWhile, std::move(condition), 1,
                        std::move(after));
}
SimGraph::Conditional SimGraph::AddSwitch(SimConditionRef condition, int bodies,
                                          After after) {
  return AddConditional(Kind::kSwitch, std::move(condition), bodies,
                        std::move(after));
}

int SimGraph::AddHost(std::string label, std::function<void()> run,
                      After after) {
  SimGraphNode node{.kind = Kind::kHost, .after = std::move(after)};
  node.work.label = std::move(label);
  node.work.run = std::move(run);
  return Add(std::move(node));
}

Result<Array> SimGraph::AddMemory(DType dtype, const Shape& shape,
                                  After after) {
  SL_ASSIGN_OR_RETURN(Array array,
                      Array::Make(dtype, shape, device_->allocator()));
  Add({.kind = Kind::kMemory, .after = std::move(after), .memory = array});
  return array;
}

int SimGraph::AddEventWait(EventRef event, After after) {
  return Add({.kind = Kind::kEventWait,
              .after = std::move(after),
              .wait = std::move(event)});
}
int SimGraph::AddEventRecord(std::shared_ptr<EventRef> slot, After after) {
  return Add({.kind = Kind::kEventRecord,
              .after = std::move(after),
              .record = std::move(slot)});
}

SimGraph SimGraph::Clone() const {
  SimGraph copy = *this;
  for (SimGraphNode& node : copy.nodes_) {
    for (auto& body : node.bodies) {
      body = std::make_shared<SimGraph>(body->Clone());
    }
  }
  return copy;
}

void CollectRanges(const SimGraph& graph, std::vector<ByteRange>& reads,
                   std::vector<ByteRange>& writes) {
  for (const SimGraphNode& node : graph.nodes()) {
    const SimWork& work = node.work;
    reads.insert(reads.end(), work.reads.begin(), work.reads.end());
    writes.insert(writes.end(), work.writes.begin(), work.writes.end());
    for (const auto& body : node.bodies) CollectRanges(*body, reads, writes);
  }
}

Result<std::unique_ptr<SimGraphExec>> SimGraph::Instantiate() const {
  if (device_->faults().refuse_capture) {
    return FailedPrecondition(StrCat(device_->name_text(), " refuses graph \"",
                                     name_, "\" (injected)"));
  }
  SL_RETURN_IF_ERROR(CheckGraph(*this));
  return std::make_unique<SimGraphExec>(std::make_shared<SimGraph>(Clone()));
}

}  // namespace sluice
