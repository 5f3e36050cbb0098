#include "sluice/plan/plan_builder.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/graph/frame_rules.h"
#include "sluice/graph/traverse.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/resource.h"
#include "sluice/op/run_op.h"
#include "sluice/plan/gpu_pieces.h"
#include "sluice/plan/loop_gain.h"
#include "sluice/plan/steady_args.h"
#include "sluice/tensor/live_blocks.h"
#include "sluice/vm/bytecode.h"

namespace sluice {

Result<std::shared_ptr<const Plan>> Plan::Build(std::unique_ptr<Graph> graph,
                                                const PlanOptions& options) {
  return PlanBuilder(std::move(graph), options).Build();
}

// Devices are identified by name; most graphs name none.
Status PlanBuilder::FindDevices(const Region& region) {
  for (const Node* node : region.nodes()) {
    const std::string& name = node->device();
    if (!name.empty() && !device_index_.count(name)) {
      Result<Device*> device = Devices::Find(name);
      if (!device.ok()) return device.status().WithLine(NodeLine(*node));
      auto& known = plan_->devices_;
      auto it = std::find(known.begin(), known.end(), *device);
      if (it == known.end() && known.size() == kMaxPlanDevices) {
        return Unimplemented(StrCat("a graph on more than ", kMaxPlanDevices,
                                    " devices of one process"))
            .WithLine(NodeLine(*node));
      }
      device_index_[name] = static_cast<uint8_t>(it - known.begin());
      if (it == known.end()) known.push_back(*device);
    }
    for (const auto& inner : node->regions()) {
      SL_RETURN_IF_ERROR(FindDevices(*inner));
    }
  }
  return OkStatus();
}

bool PlanBuilder::OnHost(const Value& v) {
  auto it = device_index_.find(places_->PlaceOf(v));
  return it == device_index_.end() ||
         plan_->devices_[it->second]->synchronous();
}

// The GPU on which a loop runs entirely; null: none.
Device* PlanBuilder::GpuOfLoop(const Node& node) {
  if (!places_ || node.op().flow != Flow::kLoop) return nullptr;
  auto known = gpu_loops_.find(&node);
  if (known != gpu_loops_.end()) return known->second;
  std::string device;
  std::string why = WhyNotGpuLoop(
      node, [this](const Value& v) { return OnHost(v); }, &device);
  Device* gpu = nullptr;
  if (why.empty()) {
    gpu = plan_->devices_[device_index_.at(device)];
  } else if (!device.empty()) {
    why_no_gpu_loop_[&node] = why;
  }
  return gpu_loops_[&node] = gpu;
}

// Why a conditional, loop or call cannot be a compiled piece. It cannot if it
// spans devices, or receives a value on another device, even if it only passes
// the value on.
std::string PlanBuilder::WhyOnTokens(const Node& node) {
  if (options_.executor == ExecutorChoice::kTokens) return "tokens asked for";
  if (GpuOfLoop(node)) return "";
  std::string why = WhyNotBytecode(node);
  if (why.empty() && options_.executor == ExecutorChoice::kAuto) {
    why = WhyInParallel(node, options_);
  }
  if (!why.empty() || !places_) return why;
  for (const Value& v : InputsWithCaptures(node)) {
    const std::string& place = places_->PlaceOf(v);
    auto it = device_index_.find(place);
    if (it == device_index_.end()) continue;
    if (!plan_->devices_[it->second]->synchronous()) {
      return StrCat("\"", v.ToString(), "\" is on ", place);
    }
  }
  return "";
}

Result<std::shared_ptr<const Plan>> PlanBuilder::Build() {
  plan_->devices_.push_back(&CpuDevice());
  SL_RETURN_IF_ERROR(FindDevices(plan_->graph_->root()));
  // Fed arrays may be on a device on which no node runs: they are copied from
  // there.
  for (const std::string& place : options_.args_at) {
    if (place.empty() || device_index_.count(place)) continue;
    SL_ASSIGN_OR_RETURN(Device * device, Devices::Find(place));
    auto& known = plan_->devices_;
    auto it = std::find(known.begin(), known.end(), device);
    if (it == known.end() && known.size() == kMaxPlanDevices) continue;
    device_index_[place] = static_cast<uint8_t>(it - known.begin());
    if (it == known.end()) known.push_back(device);
  }
  for (Device* device : plan_->devices_) {
    if (device->synchronous() || places_) continue;
    places_.emplace(CpuDevice().name_text(), options_.args_at);
  }
  auto why = [this](const Node& node) { return WhyOnTokens(node); };
  if (NeedsLowering(*plan_->graph_, why)) {
    SL_ASSIGN_OR_RETURN(plan_->lowered_, LowerControlFlow(*plan_->graph_, why));
    plan_->effects_ = plan_->lowered_.order;
  } else {
    plan_->effects_ = EffectEdges(plan_->graph_->root());
  }
  SL_RETURN_IF_ERROR(FindCode());
  SL_RETURN_IF_ERROR(FindFrames());
  for (const Code& code : codes_) FindVanishing(code);
  SL_RETURN_IF_ERROR(MakeNodes());
  SL_RETURN_IF_ERROR(MakeEdges());
  plan_->copied_args_ = ArgsReadAsPlaces(*plan_->graph_);
  return std::shared_ptr<const Plan>(std::move(plan_));
}

Status PlanBuilder::FindCode() {
  bool lowered = plan_->lowered_.graph != nullptr;
  const Graph& graph = lowered ? *plan_->lowered_.graph : *plan_->graph_;
  codes_.push_back({&graph.root(), nullptr, {}, 0});
  if (lowered) {
    for (const Node* node : graph.root().nodes()) {
      if (node->op().flow == Flow::kFunction && !node->regions().empty()) {
        codes_.push_back({node->regions()[0].get(), node, {}, 0});
      }
    }
  }
  for (Code& code : codes_) {
    std::vector<EffectEdge> effects;
    for (const EffectEdge& e : plan_->effects_) {
      if (e.after->region() == code.region) effects.push_back(e);
    }
    SL_ASSIGN_OR_RETURN(code.order, TopologicalOrder(*code.region, effects));
    SL_RETURN_IF_ERROR(FindPresets(code));
    for (const Value& v : code.region->results()) results_.insert(v);
  }
  return OkStatus();
}

// Values known before any step.
Status PlanBuilder::FindPresets(const Code& code) {
  for (Node* node : code.order) {
    if (node->op().flow == Flow::kFunction) {
      // Calls identify it by its node; no value is needed.
      preset_[node] = Array::Handle({});
    } else if (node->num_outputs() == 1 && node->controls().empty() &&
               ConstantValue(node->output(0))) {
      preset_[node] = *ConstantValue(node->output(0));
      Device& device = *plan_->devices_[DeviceOf(*node)];
      if (!device.synchronous()) {
        AllocatesFor site(node->op().name, node->line());
        Result<StartedCopy> there = StartCopy(preset_[node], device);
        if (!there.ok()) return there.status().WithLine(NodeLine(*node));
        preset_[node] = there->value;
      }
    } else if (node->op().flow == Flow::kLoopCond && node->controls().empty() &&
               IsPreset(node->input(0).node)) {
      preset_[node] = preset_.at(node->input(0).node);
    } else if (node->op().handle) {
      StepContext step;
      step.resources = options_.resources;
      NodeInfo info{node->name(), node->line(), node->key()};
      Result<std::vector<Array>> made =
          RunOp(node->op(), node->attrs(), {}, &step, &info);
      if (!made.ok()) return made.status().WithLine(NodeLine(*node));
      preset_[node] = (*made)[0];
    }
  }
  return OkStatus();
}

Status PlanBuilder::FindFrames() {
  auto everywhere = [&](const Node& node) { return IsPreset(&node); };
  for (Code& code : codes_) {
    SL_ASSIGN_OR_RETURN(int base, frame_map_.AddRegion(code.order, everywhere));
    code.base = static_cast<uint32_t>(base);
    frame_map_.SetArgs(*code.region->args_node(), base);
  }
  auto& frames = plan_->frames_;
  frames.resize(frame_map_.frames().size());
  for (size_t i = 0; i < frames.size(); ++i) {
    const FrameType& type = frame_map_.frames()[i];
    FrameInfo& info = frames[i];
    info.name = type.name;
    info.parent = type.parent;
    if (type.name.empty()) continue;
    auto& siblings = frames[static_cast<size_t>(type.parent)].children;
    info.child = static_cast<uint32_t>(siblings.size());
    siblings.push_back(static_cast<uint32_t>(i));
    info.window = static_cast<uint32_t>(type.parallel);
    auto origin = plan_->lowered_.frames.find(type.name);
    if (origin != plan_->lowered_.frames.end()) {
      info.loop = origin->second.node;
      info.calls = origin->second.calls;
      info.key = info.loop->key();
      info.why = WhyOnTokens(*info.loop);
      auto gpu = why_no_gpu_loop_.find(info.loop);
      if (gpu != why_no_gpu_loop_.end()) {
        StrAppend(info.why, "; not on the GPU alone: ", gpu->second);
      }
    } else {
      info.key = FrameKey(*type.enter);
    }
  }
  for (FrameInfo& info : frames) {
    for (int p = info.parent; p >= 0; p = frames[static_cast<size_t>(p)].parent)
      ++info.depth;
  }
  for (const Code& code : codes_) {
    FrameInfo& info = frames[code.base];
    info.is_call = code.function != nullptr;
    info.num_results = static_cast<uint32_t>(code.region->results().size());
    // A call's arguments arrive together.
    if (info.is_call) info.enters = 1;
  }
  DropEffectsAcrossFrames();
  return OkStatus();
}

// In a raw graph only explicit edges order a loop's iterations and the nodes
// around it.
void PlanBuilder::DropEffectsAcrossFrames() {
  if (plan_->lowered_.graph) {
    for (const EffectEdge& e : plan_->effects_) ordered_.insert(e.after);
    return;
  }
  std::erase_if(plan_->effects_, [&](const EffectEdge& e) {
    return RunsIn(*e.before) != RunsIn(*e.after);
  });
  for (const EffectEdge& e : plan_->effects_) ordered_.insert(e.after);
}

// ---- Structural nodes that become edges ----

bool PlanBuilder::IsLoopMerge(const Node& merge) const {
  if (merge.num_inputs() != 2) return false;
  bool back = IsBackEdge(merge, merge.input(1));
  if (back == IsBackEdge(merge, merge.input(0))) return false;
  const Node& enter = *merge.input(back ? 0 : 1).node;
  if (enter.op().flow != Flow::kEnter || enter.attrs().get<bool>("constant"))
    return false;
  Value index{const_cast<Node*>(&merge), 1};
  if (IsResult(index)) return false;
  for (const Node* user : merge.users()) {
    for (const Value& v : user->inputs()) {
      if (v == index) return false;
    }
  }
  return true;
}

// CPU devices can access each other's memory and nobody overwrites a value that
// is read elsewhere, so kernels of one read values of another in place. A real
// copy is made for readers that may pass their input on: results, carried
// values and list elements of a device must be in its own memory. REQUIRES: the
// node copies.
bool PlanBuilder::IsReadInPlace(const Node& copy) {
  if (places_ || IsResult({const_cast<Node*>(&copy), 0})) return false;
  for (const std::string& place : options_.args_at) {
    if (place.empty()) continue;
    Result<Device*> device = Devices::Find(place);
    if (!device.ok() || !(*device)->synchronous()) return false;
  }
  for (const Node* user : copy.users()) {
    if (user->region() != copy.region() || user->op().view) return false;
    if (plan_->lowered_.bytecodes.count(user)) return false;
    if (!WhyNotInIsland(*user).empty()) return false;
  }
  return !IsCaptured({const_cast<Node*>(&copy), 0});
}

bool PlanBuilder::CanVanish(const Node& node) {
  if (!node.controls().empty() || ordered_.count(&node)) return false;
  Flow flow = node.op().flow;
  if (plan_->devices_.size() > 1 && node.op().role == Role::kIdentity &&
      !node.device().empty() && !IsPreset(node.input(0).node)) {
    return IsReadInPlace(node);
  }
  if (flow == Flow::kMerge) return IsLoopMerge(node);
  bool pass = plan_->lowered_.passes.count(&node) > 0;
  bool moves = flow == Flow::kEnter || flow == Flow::kExit ||
               flow == Flow::kNextIteration;
  if (!pass && !moves && flow != Flow::kLoopCond) return false;
  if (IsPreset(node.input(0).node)) return false;
  if (!moves) return true;
  // An edge has one route; for a second one a node passes the value on.
  for (const Path& path : Resolve(node.input(0))) {
    if (path.way != Way::kHere) return false;
  }
  return true;
}

void PlanBuilder::FindVanishing(const Code& code) {
  for (const Node* node : code.order) {
    if (!IsPreset(node) && CanVanish(*node)) vanished_.insert(node);
  }
}

std::vector<PlanBuilder::Path> PlanBuilder::Resolve(const Value& v) const {
  const Node& node = *v.node;
  if (node.is_args()) return {{v}};
  Flow flow = node.op().flow;
  Way way = flow == Flow::kExit                  ? Way::kExit
            : flow == Flow::kNextIteration       ? Way::kNext
            : flow != Flow::kEnter               ? Way::kHere
            : node.attrs().get<bool>("constant") ? Way::kConstant
                                                 : Way::kEnter;
  if (!vanished_.count(&node)) return {{v, way, &node}};
  std::vector<Path> paths = Resolve(node.input(0));
  if (flow == Flow::kMerge) {
    for (const Path& p : Resolve(node.input(1))) paths.push_back(p);
  } else if (way != Way::kHere) {
    for (Path& p : paths) {
      p.way = way;
      p.via = &node;
    }
  }
  return paths;
}

}  // namespace sluice
