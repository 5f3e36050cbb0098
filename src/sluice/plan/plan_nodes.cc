// The nodes of a plan: single nodes, islands, bytecode, and the few left by
// control flow.
#include "sluice/base/strings.h"
#include "sluice/graph/swap.h"
#include "sluice/graph/traverse.h"
#include "sluice/launch/launch.h"
#include "sluice/launch/op_cost.h"
#include "sluice/plan/gpu_pieces.h"
#include "sluice/plan/plan_builder.h"
#include "sluice/tape/fusion.h"
#include "sluice/tape/tape_builder.h"
#include "sluice/vm/bytecode.h"

namespace sluice {

Status PlanBuilder::MakeNodes() {
  std::vector<IslandChoice> islands(codes_.size());
  for (size_t c = 0; c < codes_.size(); ++c) {
    const std::vector<Node*>& order = codes_[c].order;
    islands[c].island.assign(order.size(), -1);
    islands[c].why_not.assign(order.size(), "");
    if (options_.executor == ExecutorChoice::kTokens) continue;
    IslandOptions island_options;
    if (options_.executor == ExecutorChoice::kTape) {
      island_options.min_nodes = 1;
    }
    // Random numbers and error messages of a call are its own.
    std::map<std::vector<const Node*>, int> groups{{{}, 0}};
    if (plan_->lowered_.graph) {
      island_options.group = [&](const Node& node) {
        auto it = plan_->lowered_.origins.find(&node);
        if (it == plan_->lowered_.origins.end()) return 0;
        return groups.emplace(it->second.calls, static_cast<int>(groups.size()))
            .first->second;
      };
    }
    std::vector<EffectEdge> effects;
    for (const EffectEdge& e : plan_->effects_) {
      if (e.after->region() == codes_[c].region) effects.push_back(e);
    }
    islands[c] = ChooseIslands(order, effects, island_options);
  }
  // Nodes of one frame are adjacent.
  for (uint32_t f = 0; f < plan_->frames_.size(); ++f) {
    FrameInfo& frame = plan_->frames_[f];
    frame.first_node = static_cast<uint32_t>(plan_->nodes_.size());
    for (size_t c = 0; c < codes_.size(); ++c) {
      SL_RETURN_IF_ERROR(MakeNodes(codes_[c], f, islands[c]));
    }
    frame.num_nodes =
        static_cast<uint32_t>(plan_->nodes_.size()) - frame.first_node;
  }
  size_t n = plan_->nodes_.size();
  plan_->costs_.reset(new std::atomic<float>[n]);
  for (size_t i = 0; i < n; ++i) {
    plan_->costs_[i].store(costs_[i], std::memory_order_relaxed);
    plan_->worth_sharing_ = plan_->worth_sharing_ || costs_[i] >= kShareNanos;
    const PlanNode& node = plan_->nodes_[i];
    plan_->waits_for_gpus_ =
        plan_->waits_for_gpus_ ||
        (node.kind == NodeKind::kLaunch &&
         plan_->devices_[node.device]->kind() == DeviceKind::kCuda);
  }
  return OkStatus();
}

Status PlanBuilder::MakeNodes(const Code& code, uint32_t frame,
                              const IslandChoice& islands) {
  std::vector<std::vector<Node*>> members(static_cast<size_t>(islands.count));
  for (size_t i = 0; i < code.order.size(); ++i) {
    if (islands.island[i] >= 0) {
      members[static_cast<size_t>(islands.island[i])].push_back(code.order[i]);
    }
  }
  std::vector<bool> made(members.size(), false);
  for (size_t i = 0; i < code.order.size(); ++i) {
    Node* node = code.order[i];
    if (IsPreset(node) || vanished_.count(node) || RunsIn(*node) != frame) {
      continue;
    }
    int island = islands.island[i];
    bool bytecode =
        plan_->lowered_.graph
            ? plan_->lowered_.bytecodes.count(node) > 0
            : !node->regions().empty() || node->op().flow == Flow::kCall;
    if (bytecode) {
      SL_RETURN_IF_ERROR(AddBytecode(*node));
    } else if (island < 0) {
      AddSingle(*node, islands.why_not[i]);
    } else if (!made[static_cast<size_t>(island)]) {
      made[static_cast<size_t>(island)] = true;
      SL_RETURN_IF_ERROR(AddIsland(members[static_cast<size_t>(island)]));
    }
  }
  return OkStatus();
}

uint32_t PlanBuilder::NewNode(uint32_t frame, NodeKind kind, size_t inputs,
                              size_t outputs) {
  PlanNode node;
  node.kind = kind;
  node.num_inputs = static_cast<uint16_t>(inputs);
  node.num_outputs = static_cast<uint16_t>(outputs);
  node.first_slot = plan_->frames_[frame].num_slots;
  plan_->frames_[frame].num_slots += static_cast<uint32_t>(inputs);
  plan_->nodes_.push_back(node);
  plan_->infos_.emplace_back();
  plan_->infos_.back().frame = frame;
  inputs_.emplace_back();
  members_.emplace_back();
  costs_.push_back(20);
  return static_cast<uint32_t>(plan_->nodes_.size() - 1);
}

void PlanBuilder::SetOutputs(Node& node, uint32_t id) {
  PlanNodeInfo& info = plan_->infos_[id];
  for (int i = 0; i < node.num_outputs(); ++i) {
    producer_[node.output(i)] = {id, i};
    info.out_dtypes.push_back(node.output_type(i).dtype);
  }
  plan_id_[&node] = id;
  members_[id] = {&node};
}

uint8_t PlanBuilder::DeviceOf(const Node& node) const {
  auto it = device_index_.find(plan_->SourceOf(node).device());
  return it == device_index_.end() ? 0 : it->second;
}

// A constant that a Merge reads arrives like any other value.
void PlanBuilder::AddPresetPass(uint32_t frame, const Node& node, int input) {
  uint32_t id = NewNode(frame, NodeKind::kPass, 1, 1);
  plan_->infos_[id].node = plan_->infos_[id].origin = &plan_->SourceOf(node);
  inputs_[id] = {node.input(input)};
  preset_pass_[{&node, input}] = id;
}

uint32_t PlanBuilder::AddSingle(Node& node, std::string why) {
  NodeKind kind = NodeKind::kKernel;
  auto inputs = static_cast<size_t>(node.num_inputs());
  uint32_t frame = RunsIn(node);
  switch (node.op().flow) {
    case Flow::kSwitch:
      kind = NodeKind::kSwitch;
      break;
    case Flow::kMerge:
      kind = NodeKind::kMerge;
      inputs = 2;  // the value, and its number
      for (int i = 0; i < node.num_inputs(); ++i) {
        if (IsPreset(node.input(i).node)) AddPresetPass(frame, node, i);
      }
      break;
    case Flow::kCall:
      kind = NodeKind::kCall;
      --inputs;
      break;
    case Flow::kNone:
      if (plan_->lowered_.passes.count(&node)) kind = NodeKind::kPass;
      break;
    default:
      kind = NodeKind::kPass;
  }
  uint32_t id =
      NewNode(frame, kind, inputs, static_cast<size_t>(node.num_outputs()));
  PlanNode& hot = plan_->nodes_[id];
  PlanNodeInfo& info = plan_->infos_[id];
  info.origin = &plan_->SourceOf(node);
  const Node& source = &info.origin->op() == &node.op() ? *info.origin : node;
  info.node = hot.node = &source;
  auto origin = plan_->lowered_.origins.find(&node);
  if (origin != plan_->lowered_.origins.end()) {
    info.calls = origin->second.calls;
  }
  hot.op = &node.op();
  info.info = {source.name(), source.line(), source.key()};
  info.why_alone = std::move(why);
  SetOutputs(node, id);
  inputs_[id].assign(node.inputs().begin(), node.inputs().end());
  if (kind == NodeKind::kCall) {
    inputs_[id].erase(inputs_[id].begin());
    for (const Code& code : codes_) {
      if (code.function == plan_->lowered_.callees.at(&node)) {
        info.callee = code.base;
      }
    }
  }
  if (kind != NodeKind::kKernel) return id;
  hot.device = DeviceOf(node);
  if (plan_->devices_.size() > 1 && IsCopy(node)) {
    hot.kind = IsSwapOut(node) ? NodeKind::kSwapOut : NodeKind::kCopy;
  } else if (!plan_->devices_[hot.device]->synchronous()) {
    hot.kind = NodeKind::kLaunch;
    info.shapes = KernelShapes(node);
  } else if (node.op().async()) {
    hot.kind = NodeKind::kAsync;
  } else if (node.op().block && (info.block = SelectBlock(node)).fn) {
    hot.kind = NodeKind::kElementwise;
  } else {
    info.shapes = KernelShapes(node);
  }
  hot.uses_tag = node.op().random;
  double cost = NodeCostNanos(node);
  hot.heavy = cost >= kHeavyNanos && hot.kind != NodeKind::kAsync;
  costs_[id] = static_cast<float>(cost);
  return id;
}

Status PlanBuilder::AddIsland(const std::vector<Node*>& nodes) {
  std::unordered_set<const Node*> inside(nodes.begin(), nodes.end());
  std::vector<Value> outputs;
  for (Node* node : nodes) {
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (ReadOutside(node->output(i), inside))
        outputs.push_back(node->output(i));
    }
  }
  Device& device = *plan_->devices_[DeviceOf(*nodes[0])];
  std::unique_ptr<CompiledPiece> tape;
  if (device.kind() == DeviceKind::kCuda) {
    SL_ASSIGN_OR_RETURN(tape,
                        BuildGpuPiece(device, nodes, outputs, options_.fuse));
  } else {
    TapeOptions tape_options;
    tape_options.fusion.enabled = options_.fuse;
    SL_ASSIGN_OR_RETURN(tape, BuildTape(nodes, outputs, tape_options));
  }
  uint32_t id = NewNode(RunsIn(*nodes[0]), NodeKind::kIsland,
                        tape->inputs().size(), outputs.size());
  PlanNode& hot = plan_->nodes_[id];
  hot.heavy = tape->cost_ns() >= kHeavyNanos;
  costs_[id] = static_cast<float>(tape->cost_ns());
  inputs_[id].assign(tape->inputs().begin(), tape->inputs().end());
  for (size_t i = 0; i < outputs.size(); ++i) {
    producer_[outputs[i]] = {id, static_cast<int>(i)};
    plan_->infos_[id].out_dtypes.push_back(outputs[i].dtype());
  }
  for (Node* node : nodes) {
    plan_id_[node] = id;
    hot.uses_tag = hot.uses_tag || node->op().random;
  }
  auto origin = plan_->lowered_.origins.find(nodes[0]);
  if (origin != plan_->lowered_.origins.end()) {
    plan_->infos_[id].calls = origin->second.calls;
  }
  members_[id] = nodes;
  hot.device = DeviceOf(*nodes[0]);
  for (const Value& v : outputs) {
    uint8_t there = DeviceOf(*v.node);
    if (there == hot.device && plan_->infos_[id].out_devices.empty()) continue;
    plan_->infos_[id].out_devices.resize(outputs.size(), hot.device);
    plan_->infos_[id].out_devices[static_cast<size_t>(&v - outputs.data())] =
        there;
  }
  plan_->infos_[id].piece = std::move(tape);
  return OkStatus();
}

Status PlanBuilder::AddBytecode(Node& node) {
  BytecodeOptions bytecode_options;
  bytecode_options.fuse = options_.fuse;
  auto piece = plan_->lowered_.bytecodes.find(&node);
  bool lowered = piece != plan_->lowered_.bytecodes.end();
  const Node& source = lowered ? *piece->second.source : node;
  std::unique_ptr<CompiledPiece> code;
  Device* gpu = GpuOfLoop(source);
  if (gpu) {
    std::vector<bool> host_outputs;
    for (int i = 0; i < source.num_outputs(); ++i) {
      host_outputs.push_back(OnHost({const_cast<Node*>(&source), i}));
    }
    auto on_host = [this](const Value& v) { return OnHost(v); };
    SL_ASSIGN_OR_RETURN(
        code, BuildGpuLoop(*gpu, source, on_host, std::move(host_outputs),
                           options_.fuse));
  } else {
    SL_ASSIGN_OR_RETURN(code, Bytecode::Build(source, bytecode_options));
  }
  uint32_t id =
      NewNode(RunsIn(node), NodeKind::kBytecode, code->inputs().size(),
              static_cast<size_t>(node.num_outputs()));
  PlanNode& hot = plan_->nodes_[id];
  PlanNodeInfo& info = plan_->infos_[id];
  info.node = info.origin = &source;  // not hot.node: its errors name it
  if (lowered) info.calls = plan_->lowered_.origins.at(&node).calls;
  hot.uses_tag = true;
  for (size_t d = 0; gpu && d < plan_->devices_.size(); ++d) {
    if (plan_->devices_[d] == gpu) hot.device = static_cast<uint8_t>(d);
  }
  hot.heavy = code->cost_ns() >= kHeavyNanos;
  info.info = {source.name(), source.line(), source.key()};
  costs_[id] = static_cast<float>(code->cost_ns());
  for (const Value& v : code->inputs()) {
    inputs_[id].push_back(lowered ? piece->second.values.at(v) : v);
  }
  SetOutputs(node, id);
  info.piece = std::move(code);
  return OkStatus();
}

bool PlanBuilder::ReadOutside(const Value& v,
                              const std::unordered_set<const Node*>& inside) {
  for (Node* user : v.node->users()) {
    if (inside.count(user)) continue;
    for (const Value& in : user->inputs()) {
      if (in == v) return true;
    }
  }
  return IsResult(v) || IsCaptured(v);
}

// Captured by a region that returns it as a result, which is not a use by a
// node.
bool PlanBuilder::IsCaptured(const Value& v) {
  if (!captured_known_) {
    captured_known_ = true;
    for (const Code& code : codes_) {
      for (Node* node : code.order) {
        if (node->regions().empty()) continue;
        for (const Value& c : InputsWithCaptures(*node)) captured_.insert(c);
      }
    }
  }
  return captured_.count(v) > 0;
}

}  // namespace sluice
