// Builds a GpuWhile: slots for carried values, and the regions' code around
// them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/device/cuda/launch_scope.h"
#include "sluice/gpu/gpu_loop.h"
#include "sluice/gpu/loop_regions.h"
#include "sluice/gpu/whole_loop.h"
#include "sluice/graph/traverse.h"
#include "sluice/launch/op_cost.h"

namespace sluice {

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
    TakeLists();
    std::vector<int> outputs;
    for (int i = 0; i < loop_.num_outputs(); ++i) {
      ValueType type = loop_.output_type(i);
      if (type.dtype == DType::kList) continue;
      outputs.push_back(AddOutput(i, 0, type.dtype, type.shape.ToShape()));
    }
    if (fuse_) {
      WholeLoop whole = WriteWholeLoop(loop_);
      if (!whole.source.empty()) return EmitWhole(whole, outputs);
    }
    // The capacity of lists is checked after the condition.
    WholeLoop counting;
    if (fuse_ && !piece_->lists_.append()) {
      part_ = FindCountingPart(loop_);
      if (!part_.carried.empty()) counting = WriteCountingPart(loop_, part_);
      if (counting.source.empty()) part_ = {};
    }
    SL_ASSIGN_OR_RETURN(
        piece_->set_condition_,
        FileFunction(*piece_->program_.device, "condition.cuh", "",
                     counting.source.empty() ? "set_condition" : "turn"));
    piece_->found_ = builder_.AddRegister(GpuRegister::Dense(
        GpuPlace::kArena, 0, builder_.Reserve(CudaMaskedChecks::kBytes),
        DType::kU8, {CudaMaskedChecks::kBytes}));
    SL_RETURN_IF_ERROR(FillSlots());
    if (counting.source.empty()) {
      SL_RETURN_IF_ERROR(EmitCondition());
    } else {
      SL_RETURN_IF_ERROR(EmitCounting(counting));
    }
    SL_RETURN_IF_ERROR(EmitBody());
    piece_->last_.push_back(builder_.Move(loop_, Slots(), outputs));
    ChooseRounds();
    // Tables follow the inputs, which are all known now.
    for (size_t t = 0; t < tables_.size(); ++t) {
      piece_->program_.registers[static_cast<size_t>(tables_[t])].index =
          static_cast<int>(piece_->program_.inputs.size() + t);
    }
    return std::move(piece_);
  }

 private:
  // Host numbers, which are passed with each run.
  void TakeNumbers() {
    std::vector<Value> numbers;
    std::unordered_set<Value, ValueHash> seen;
    for (const Value& v : InputsWithCaptures(loop_)) {
      if (v.dtype() == DType::kList) continue;
      if (!ConstantValue(v) && on_host_(v) && seen.insert(v).second) {
        numbers.push_back(v);
      }
    }
    builder_.ReserveNumbers(static_cast<int64_t>(numbers.size()));
    for (const Value& v : numbers) builder_.Put(v, builder_.AddNumber(v));
  }

  Result<GpuInstruction> Kernel(const WholeLoop& whole,
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
    return instr;
  }

  Result<std::unique_ptr<GpuWhile>> EmitWhole(const WholeLoop& whole,
                                              const std::vector<int>& outputs) {
    SL_ASSIGN_OR_RETURN(GpuInstruction kernel, Kernel(whole, outputs));
    for (const Region* region : {&CondOf(loop_), &BodyOf(loop_)}) {
      for (const Node* node : region->nodes()) {
        ++piece_->num_nodes_;
        piece_->cost_ns_ += NodeCostNanos(*node);
      }
    }
    piece_->whole_.push_back(std::move(kernel));
    return std::move(piece_);
  }

  // The counting part runs before the rest, so its slots hold the final values.
  Status EmitCounting(const WholeLoop& counting) {
    ValueType number{DType::kI64, PartialShape(Shape())};
    piece_->trips_ = NewPlace(number);
    piece_->begun_ = NewPlace(number);
    piece_->live_ = NewPlace({DType::kBool, PartialShape(Shape())});
    std::vector<int> outputs;
    for (int i : part_.carried)
      outputs.push_back(slots_[static_cast<size_t>(i)]);
    outputs.push_back(piece_->trips_);
    SL_ASSIGN_OR_RETURN(GpuInstruction kernel, Kernel(counting, outputs));
    piece_->first_.push_back(std::move(kernel));
    builder_.SetListFlag(piece_->live_);
    return OkStatus();
  }

  bool Counts(size_t i) const {
    return std::find(part_.carried.begin(), part_.carried.end(),
                     static_cast<int>(i)) != part_.carried.end();
  }

  Status FillSlots() {
    Moves moves;
    for (int i = 0; i < loop_.num_inputs(); ++i) {
      const Value& v = loop_.input(i);
      slots_.push_back(-1);
      if (v.dtype() == DType::kList) continue;
      slots_.back() = NewPlace(TypeOf(v));
      if (Counts(static_cast<size_t>(i))) continue;
      SL_ASSIGN_OR_RETURN(int there, builder_.Read(v));
      moves.Add(there, slots_.back());
    }
    Emit(piece_->first_, moves, -1);
    return OkStatus();
  }

  // The slots of all carried values except lists.
  std::vector<int> Slots() const {
    std::vector<int> slots = slots_;
    std::erase(slots, -1);
    return slots;
  }

  int AddOutput(int index, int64_t offset, DType dtype, const Shape& shape) {
    return builder_.AddRegister(
        GpuRegister::Dense(GpuPlace::kOutput, index, offset, dtype, shape));
  }

  // Storage of written lists and tables of lists that are read, in the order of
  // LoopListRun.
  void TakeLists() {
    const Region& body = BodyOf(loop_);
    LoopLists& lists = piece_->lists_;
    int last = loop_.num_outputs();
    piece_->program_.list_control =
        AddOutput(last++, 0, DType::kU8, {sizeof(LoopControl)});
    for (int i = 0; i < loop_.num_inputs(); ++i) {
      if (loop_.input(i).dtype() != DType::kList) continue;
      lists.carried.push_back({i, builder_.AddList(loop_.input(i))});
      Value arg{body.args_node(), i};
      const Value& result = body.results()[static_cast<size_t>(i)];
      if (result == arg) continue;
      bool appends = RoleOf(result) == Role::kListAppend;
      ValueType element = TypeOf(result.node->inputs().back());
      lists.written.push_back({i, appends, element, result.node});
      int room = AddOutput(i, 0, element.dtype, {1});
      int marks = appends ? -1 : AddOutput(last++, 0, DType::kU8, {1});
      builder_.PutList(arg, room, marks);
    }
    std::unordered_map<Value, int, ValueHash> table_of;
    for (const Node* node : body.nodes()) {
      if (RoleOf(*node) != Role::kListGet) continue;
      Value list = node->input(0);
      if (list.node == body.args_node()) list = loop_.input(list.index);
      auto [it, fresh] = table_of.emplace(list, -1);
      if (fresh) {
        it->second = builder_.AddRegister(
            GpuRegister::Dense(GpuPlace::kInput, 0, 0, DType::kU8, {1}));
        tables_.push_back(it->second);
        lists.read.push_back({builder_.AddList(list),
                              TypeOf({const_cast<Node*>(node), 0}), node});
      }
      builder_.PutList(node->input(0), it->second);
    }
  }

  int NewPlace(const ValueType& type) {
    Shape shape = type.shape.ToShape();
    int64_t offset =
        builder_.Reserve(shape.num_elements() * DTypeSize(type.dtype));
    return builder_.AddRegister(
        GpuRegister::Dense(GpuPlace::kArena, 0, offset, type.dtype, shape));
  }

  // Arguments of the region are in the slots. Returns the nodes to compute.
  Result<std::vector<Node*>> Enter(const Region& region) {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] < 0) continue;
      builder_.Put({region.args_node(), static_cast<int>(i)}, slots_[i]);
    }
    SL_ASSIGN_OR_RETURN(std::vector<Node*> order, TopologicalOrder(region, {}));
    std::erase_if(order, [](Node* node) {
      return node->is_args() || ConstantValue({node, 0});
    });
    std::erase_if(order, [&](Node* node) { return part_.nodes.count(node); });
    // Values passed on from outside are those values.
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

  // The condition gets a register of its own even if it is carried, because
  // writes of the body check it while the body overwrites slots. The exception
  // is a loop that checks the capacity of lists as well.
  Status EmitCondition() {
    const Region& region = CondOf(loop_);
    SL_ASSIGN_OR_RETURN(std::vector<Node*> nodes, Enter(region));
    Value result = HandedOn(region.results()[0], region);
    if (piece_->lists_.append() && result.node == region.args_node()) {
      piece_->predicate_ = slots_[static_cast<size_t>(result.index)];
    } else {
      piece_->predicate_ = NewPlace(TypeOf(result));
    }
    std::vector<GpuTarget> targets;
    if (MadeBy(result, nodes)) {
      targets.push_back({.value = result, .reg = piece_->predicate_});
    }
    SL_ASSIGN_OR_RETURN(piece_->cond_, builder_.Emit(nodes, targets));
    if (targets.empty()) {
      SL_ASSIGN_OR_RETURN(int from, builder_.Read(result));
      if (from != piece_->predicate_) {
        piece_->cond_.push_back(
            builder_.Move(loop_, {from}, {piece_->predicate_}));
      }
    }
    piece_->live_ = piece_->predicate_;
    if (piece_->lists_.append()) {
      piece_->live_ = AddOutput(loop_.num_outputs(),
                                offsetof(LoopControl, live), DType::kBool, {});
      GpuInstruction admit;
      admit.code = GpuInstruction::Code::kAdmit;
      admit.node = &loop_;
      admit.in = {piece_->predicate_};
      admit.label = "room for what is appended";
      piece_->cond_.push_back(std::move(admit));
    }
    builder_.SetListFlag(piece_->live_);
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

  // Collected moves that become one launch.
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

  // Slots are written only where the condition holds, by masked loops or by the
  // move at the body's end. All other results go to temporary memory, so the
  // body may safely run once too often.
  Status EmitBody() {
    const Region& region = BodyOf(loop_);
    SL_ASSIGN_OR_RETURN(std::vector<Node*> nodes, Enter(region));
    std::vector<Value> results;
    for (const Value& v : region.results())
      results.push_back(HandedOn(v, region));
    auto arg = [&](size_t i) {
      return Value{region.args_node(), static_cast<int>(i)};
    };
    // Slots that are copied to another carried value keep their contents until
    // everything is computed.
    std::unordered_set<Value, ValueHash> handed_on(results.begin(),
                                                   results.end());
    std::vector<GpuTarget> targets;
    std::unordered_map<Value, size_t, ValueHash> target_of;
    for (size_t i = 0; i < slots_.size(); ++i) {
      const Value& v = results[i];
      if (slots_[i] < 0 || Counts(i)) continue;
      if (!MadeBy(v, nodes) || target_of.count(v)) continue;
      target_of[v] = targets.size();
      GpuTarget target{.value = v, .reg = NewPlace(TypeOf(v))};
      if (!handed_on.count(arg(i))) {
        target.direct = slots_[i];
        target.direct_of = arg(i);
        target.live = piece_->live_;
      }
      targets.push_back(target);
    }
    SL_ASSIGN_OR_RETURN(piece_->body_, builder_.Emit(nodes, targets));
    Moves once, aside, commit;
    for (size_t i = 0; i < slots_.size(); ++i) {
      const Value& v = results[i];
      if (v == arg(i) || slots_[i] < 0 || Counts(i)) continue;
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
        // The same in each iteration, and not read before the end.
        once.Add(from, slots_[i]);
        continue;
      }
      // A value in a slot that changes is copied to a temporary first, because
      // the same move writes the slot.
      if (slot && !(results[static_cast<size_t>(v.index)] == v)) {
        int beside = NewPlace(TypeOf(v));
        aside.Add(from, beside);
        from = beside;
      }
      commit.Add(from, slots_[i]);
    }
    Emit(piece_->once_, once, piece_->live_);
    Emit(piece_->body_, aside, -1);
    Emit(piece_->body_, commit, piece_->live_);
    return OkStatus();
  }

  // The number of rounds in the graph per pass: about 50 us in total.
  void ChooseRounds() {
    constexpr double kLaunchNanos = 1000, kWanted = 50'000, kMost = 16;
    // NodeCostNanos is for one core of the host.
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
  CountingPart part_;        // runs before the rest
  std::vector<int> slots_;   // registers; -1: a list
  std::vector<int> tables_;  // registers
};

Result<std::unique_ptr<GpuWhile>> GpuWhile::Build(
    Device& device, const Node& loop, const OnHost& on_host,
    std::vector<bool> host_outputs, bool fuse) {
  return GpuWhileBuilder(device, loop, on_host, fuse)
      .Build(std::move(host_outputs));
}

}  // namespace sluice
