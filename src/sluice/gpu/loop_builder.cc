// Building a GpuWhile: slots for what is carried, the regions' code around
// them.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/gpu/gpu_loop.h"
#include "sluice/gpu/loop_regions.h"
#include "sluice/gpu/whole_loop.h"
#include "sluice/graph/traverse.h"
#include "sluice/launch/op_cost.h"
#include "sluice/tape/islands.h"

namespace sluice {

namespace {

bool Static(const ValueType& type) {
  return IsPlainData(type.dtype) && type.shape.fully_known();
}

bool SameType(const ValueType& a, const ValueType& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

std::string WhyNotRegion(const Region& region, std::string* device) {
  for (const Node* node : region.nodes()) {
    if (node->is_args()) continue;
    if (node->num_outputs() == 1 && node->controls().empty() &&
        ConstantValue({const_cast<Node*>(node), 0})) {
      continue;
    }
    if (!node->controls().empty()) return "order by control edges";
    if (HandsOn(*node)) continue;
    std::string why = WhyNotOnGpu(*node);
    if (!why.empty()) {
      return StrCat(node->op().name, " \"", node->name(), "\": ", why);
    }
    Result<DeviceName> name = DeviceName::Parse(node->device());
    if (node->device().empty() || !name.ok()) continue;
    if (name->kind != DeviceKind::kCuda) continue;
    if (!device->empty() && *device != node->device()) {
      return StrCat("nodes on ", *device, " and ", node->device());
    }
    *device = node->device();
  }
  return "";
}

}  // namespace

std::string WhyNotGpuWhile(const Node& loop, const GpuWhile::OnHost& on_host,
                           std::string* device) {
  if (loop.op().flow != Flow::kLoop || loop.regions().size() != 2) {
    return "no loop with a condition";
  }
  if (loop.attrs().get<int64_t>("maximum") >= 0) {
    return "a limit of iterations";
  }
  const Region &cond = CondOf(loop), &body = BodyOf(loop);
  for (const Region* region : {&cond, &body}) {
    std::string why = WhyNotRegion(*region, device);
    if (!why.empty()) return why;
  }
  if (device->empty()) return "nothing of it is on a GPU";
  for (int i = 0; i < loop.num_inputs(); ++i) {
    auto n = static_cast<size_t>(i);
    ValueType type = TypeOf(loop.input(i));
    if (!Static(type) || !SameType(type, loop.output_type(i)) ||
        !SameType(type, TypeOf(body.results()[n])) ||
        !SameType(type, body.args_node()->output_type(i)) ||
        !SameType(type, cond.args_node()->output_type(i))) {
      return StrCat("carried value ", i, " has no one shape");
    }
  }
  for (const Value& v : InputsWithCaptures(loop)) {
    if (ConstantValue(v)) continue;
    if (!Static(TypeOf(v))) return StrCat(v.ToString(), " has no known shape");
    if (on_host(v) && v.shape().ToShape().num_elements() != 1) {
      return StrCat(v.ToString(), " lies on the host");
    }
  }
  return "";
}

class GpuWhileBuilder {
 public:
  GpuWhileBuilder(Device& device, const Node& loop,
                  const GpuWhile::OnHost& on_host, bool fuse)
      : piece_(new GpuWhile(device)),
        loop_(loop),
        on_host_(on_host),
        fuse_(fuse),
        builder_(piece_->program_, fuse) {}

  Result<std::unique_ptr<GpuWhile>> Build(std::vector<bool> host_outputs) {
    piece_->loop_ = &loop_;
    piece_->host_outputs_ = std::move(host_outputs);
    TakeNumbers();
    std::vector<int> outputs;
    for (int i = 0; i < loop_.num_outputs(); ++i) {
      ValueType type = loop_.output_type(i);
      outputs.push_back(builder_.AddRegister(GpuRegister::Dense(
          GpuPlace::kOutput, i, 0, type.dtype, type.shape.ToShape())));
    }
    if (fuse_) {
      WholeLoop whole = WriteWholeLoop(loop_);
      if (!whole.source.empty()) return EmitWhole(whole, outputs);
    }
    SL_ASSIGN_OR_RETURN(piece_->set_condition_,
                        FileFunction(*piece_->program_.device, "condition.cuh",
                                     "", "set_condition"));
    SL_RETURN_IF_ERROR(FillSlots());
    SL_RETURN_IF_ERROR(EmitCondition());
    SL_RETURN_IF_ERROR(EmitBody());
    piece_->last_.push_back(builder_.Move(loop_, slots_, outputs));
    ChooseRounds();
    return std::move(piece_);
  }

 private:
  // Single numbers of the host, which each run brings along.
  void TakeNumbers() {
    std::vector<Value> numbers;
    std::unordered_set<Value, ValueHash> seen;
    for (const Value& v : InputsWithCaptures(loop_)) {
      if (!ConstantValue(v) && on_host_(v) && seen.insert(v).second) {
        numbers.push_back(v);
      }
    }
    builder_.ReserveNumbers(static_cast<int64_t>(numbers.size()));
    for (const Value& v : numbers) builder_.Put(v, builder_.AddNumber(v));
  }

  Result<std::unique_ptr<GpuWhile>> EmitWhole(const WholeLoop& whole,
                                              const std::vector<int>& outputs) {
    GpuInstruction instr;
    instr.code = GpuInstruction::Code::kFused;
    instr.node = &loop_;
    instr.out = outputs;
    instr.source = whole.source;
    instr.space = whole.space;
    instr.label = whole.label;
    for (const FusedInput& in : whole.inputs) {
      SL_ASSIGN_OR_RETURN(int there, builder_.Read(in.value));
      instr.in.push_back(there);
      instr.access.push_back(in.access);
    }
    for (const Region* region : {&CondOf(loop_), &BodyOf(loop_)}) {
      for (const Node* node : region->nodes()) {
        ++piece_->num_nodes_;
        piece_->cost_ns_ += NodeCostNanos(*node);
      }
    }
    piece_->whole_.push_back(std::move(instr));
    return std::move(piece_);
  }

  Status FillSlots() {
    std::vector<int> from;
    for (int i = 0; i < loop_.num_inputs(); ++i) {
      const Value& v = loop_.input(i);
      slots_.push_back(NewPlace(TypeOf(v)));
      SL_ASSIGN_OR_RETURN(int there, builder_.Read(v));
      from.push_back(there);
    }
    piece_->first_.push_back(builder_.Move(loop_, from, slots_));
    return OkStatus();
  }

  int NewPlace(const ValueType& type) {
    Shape shape = type.shape.ToShape();
    int64_t offset =
        builder_.Reserve(shape.num_elements() * DTypeSize(type.dtype));
    return builder_.AddRegister(
        GpuRegister::Dense(GpuPlace::kArena, 0, offset, type.dtype, shape));
  }

  // Arguments of the region lie in the slots. Returns what is computed.
  Result<std::vector<Node*>> Enter(const Region& region) {
    for (size_t i = 0; i < slots_.size(); ++i) {
      builder_.Put({region.args_node(), static_cast<int>(i)}, slots_[i]);
    }
    SL_ASSIGN_OR_RETURN(std::vector<Node*> order, TopologicalOrder(region, {}));
    std::erase_if(order, [](Node* node) {
      return node->is_args() || ConstantValue({node, 0});
    });
    // What hands on something from outside is that.
    std::vector<Node*> nodes;
    for (Node* node : order) {
      Value v = HandedOn(node->output(0), region);
      if (v.node != node && !MadeBy(v, order)) {
        SL_ASSIGN_OR_RETURN(int there, builder_.Read(v));
        builder_.Put(node->output(0), there);
        continue;
      }
      nodes.push_back(node);
      ++piece_->num_nodes_;
      piece_->cost_ns_ += NodeCostNanos(*node);
    }
    return nodes;
  }

  static bool MadeBy(const Value& v, const std::vector<Node*>& nodes) {
    return std::find(nodes.begin(), nodes.end(), v.node) != nodes.end();
  }

  // The condition gets a place of its own even where it is carried: what the
  // body writes asks for it while the body writes.
  Status EmitCondition() {
    const Region& region = CondOf(loop_);
    SL_ASSIGN_OR_RETURN(std::vector<Node*> nodes, Enter(region));
    Value result = HandedOn(region.results()[0], region);
    piece_->predicate_ = NewPlace(TypeOf(result));
    std::vector<GpuTarget> targets;
    if (MadeBy(result, nodes)) {
      targets.push_back({.value = result, .reg = piece_->predicate_});
    }
    SL_ASSIGN_OR_RETURN(piece_->cond_, builder_.Emit(nodes, targets));
    if (targets.empty()) {
      SL_ASSIGN_OR_RETURN(int from, builder_.Read(result));
      piece_->cond_.push_back(
          builder_.Move(loop_, {from}, {piece_->predicate_}));
    }
    return OkStatus();
  }

  // Whether anything computed in an iteration depends on a carried value.
  bool IsRead(size_t carried) const {
    auto i = static_cast<int>(carried);
    for (const Region* region : {&CondOf(loop_), &BodyOf(loop_)}) {
      Value arg{region->args_node(), i};
      for (const Node* node : region->nodes()) {
        for (const Value& v : node->inputs()) {
          if (v == arg) return true;
        }
      }
      for (const Value& v : region->results()) {
        if (v == arg) return true;
      }
    }
    return false;
  }

  // Moves that are collected, to be one launch.
  struct Moves {
    std::vector<int> from, to;
    void Add(int f, int t) {
      from.push_back(f);
      to.push_back(t);
    }
  };
  void Emit(GpuCode& code, const Moves& moves, int live) {
    if (moves.from.empty()) return;
    code.push_back(builder_.Move(loop_, moves.from, moves.to, live));
  }

  // Slots are written only where the condition holds: by loops that are masked,
  // or by the move at the body's end. All else goes to places that do not
  // matter, so that the body may be run once too often.
  Status EmitBody() {
    const Region& region = BodyOf(loop_);
    SL_ASSIGN_OR_RETURN(std::vector<Node*> nodes, Enter(region));
    std::vector<Value> results;
    for (const Value& v : region.results())
      results.push_back(HandedOn(v, region));
    auto arg = [&](size_t i) {
      return Value{region.args_node(), static_cast<int>(i)};
    };
    // Slots that another carried value becomes a copy of stay as they are until
    // all is computed.
    std::unordered_set<Value, ValueHash> handed_on(results.begin(),
                                                   results.end());
    std::vector<GpuTarget> targets;
    std::unordered_map<Value, size_t, ValueHash> target_of;
    for (size_t i = 0; i < slots_.size(); ++i) {
      const Value& v = results[i];
      if (!MadeBy(v, nodes) || target_of.count(v)) continue;
      target_of[v] = targets.size();
      GpuTarget target{.value = v, .reg = NewPlace(TypeOf(v))};
      if (!handed_on.count(arg(i))) {
        target.direct = slots_[i];
        target.direct_of = arg(i);
        target.live = piece_->predicate_;
      }
      targets.push_back(target);
    }
    SL_ASSIGN_OR_RETURN(piece_->body_, builder_.Emit(nodes, targets));
    Moves once, aside, commit;
    for (size_t i = 0; i < slots_.size(); ++i) {
      const Value& v = results[i];
      if (v == arg(i)) continue;
      auto target = target_of.find(v);
      int from = -1;
      if (target != target_of.end()) {
        from = targets[target->second].reg;
        if (from == slots_[i]) continue;
      } else {
        SL_ASSIGN_OR_RETURN(from, builder_.Read(v));
      }
      bool slot = v.node == region.args_node();
      if (!slot && !MadeBy(v, nodes) && !IsRead(i)) {
        // The same each time, and nobody looks before the end.
        once.Add(from, slots_[i]);
        continue;
      }
      // What lies in a slot that changes goes to a place beside it first: the
      // slot is written by the same move.
      if (slot && !(results[static_cast<size_t>(v.index)] == v)) {
        int beside = NewPlace(TypeOf(v));
        aside.Add(from, beside);
        from = beside;
      }
      commit.Add(from, slots_[i]);
    }
    Emit(piece_->once_, once, piece_->predicate_);
    Emit(piece_->body_, aside, -1);
    Emit(piece_->body_, commit, piece_->predicate_);
    return OkStatus();
  }

  // Rounds in the graph for each time it goes round: of about 50 us together.
  void ChooseRounds() {
    constexpr double kLaunchNanos = 1000, kWanted = 50'000, kMost = 16;
    // NodeCostNanos is about a core of the host.
    constexpr double kFasterThanHost = 2500;
    double nanos = piece_->cost_ns_ / kFasterThanHost +
                   kLaunchNanos * piece_->num_instructions();
    piece_->rounds_ =
        static_cast<int>(std::clamp(std::ceil(kWanted / nanos), 1.0, kMost));
  }

  std::unique_ptr<GpuWhile> piece_;
  const Node& loop_;
  const GpuWhile::OnHost& on_host_;
  const bool fuse_;
  GpuCodeBuilder builder_;
  std::vector<int> slots_;  // registers
};

Result<std::unique_ptr<GpuWhile>> GpuWhile::Build(
    Device& device, const Node& loop, const OnHost& on_host,
    std::vector<bool> host_outputs, bool fuse) {
  return GpuWhileBuilder(device, loop, on_host, fuse)
      .Build(std::move(host_outputs));
}

}  // namespace sluice
