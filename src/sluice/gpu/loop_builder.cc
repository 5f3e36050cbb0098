// Building a GpuWhile: slots for what is carried, the regions' code around
// them.
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/gpu/gpu_loop.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/traverse.h"
#include "sluice/launch/op_cost.h"
#include "sluice/tape/islands.h"

namespace sluice {

namespace {

const Region& CondOf(const Node& loop) { return *loop.regions()[0]; }
const Region& BodyOf(const Node& loop) { return *loop.regions()[1]; }

bool Static(const ValueType& type) {
  return IsPlainData(type.dtype) && type.shape.fully_known();
}

bool SameType(const ValueType& a, const ValueType& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

ValueType TypeOf(const Value& v) { return {v.dtype(), v.shape()}; }

// Copies between devices hand their input on: all of the loop is on one.
bool HandsOn(const Node& node) { return node.op().role == Role::kIdentity; }

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
        builder_(piece_->program_, fuse) {}

  Result<std::unique_ptr<GpuWhile>> Build(std::vector<bool> host_outputs) {
    piece_->loop_ = &loop_;
    piece_->host_outputs_ = std::move(host_outputs);
    SL_ASSIGN_OR_RETURN(piece_->set_condition_,
                        FileFunction(*piece_->program_.device, "condition.cuh",
                                     "", "set_condition"));
    TakeNumbers();
    SL_RETURN_IF_ERROR(FillSlots());
    SL_RETURN_IF_ERROR(EmitCondition());
    SL_RETURN_IF_ERROR(EmitBody());
    for (size_t i = 0; i < slots_.size(); ++i) {
      ValueType type = loop_.output_type(static_cast<int>(i));
      int out = builder_.AddRegister(
          GpuRegister::Dense(GpuPlace::kOutput, static_cast<int>(i), 0,
                             type.dtype, type.shape.ToShape()));
      piece_->last_.push_back(builder_.Copy(loop_, slots_[i], out));
    }
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

  Status FillSlots() {
    for (int i = 0; i < loop_.num_inputs(); ++i) {
      const Value& v = loop_.input(i);
      slots_.push_back(NewPlace(TypeOf(v)));
      SL_ASSIGN_OR_RETURN(int from, builder_.Read(v));
      piece_->first_.push_back(builder_.Copy(loop_, from, slots_.back()));
    }
    return OkStatus();
  }

  int NewPlace(const ValueType& type) {
    Shape shape = type.shape.ToShape();
    int64_t offset =
        builder_.Reserve(shape.num_elements() * DTypeSize(type.dtype));
    return builder_.AddRegister(
        GpuRegister::Dense(GpuPlace::kArena, 0, offset, type.dtype, shape));
  }

  // Arguments of the region lie in the slots.
  Result<std::vector<Node*>> Enter(const Region& region) {
    for (size_t i = 0; i < slots_.size(); ++i) {
      builder_.Put({region.args_node(), static_cast<int>(i)}, slots_[i]);
    }
    SL_ASSIGN_OR_RETURN(std::vector<Node*> order, TopologicalOrder(region, {}));
    std::erase_if(order, [](Node* node) {
      return node->is_args() || ConstantValue({node, 0});
    });
    for (Node* node : order) {
      ++piece_->num_nodes_;
      piece_->cost_ns_ += NodeCostNanos(*node);
    }
    return order;
  }

  static bool MadeBy(const Value& v, const std::vector<Node*>& nodes) {
    return std::find(nodes.begin(), nodes.end(), v.node) != nodes.end();
  }

  Status EmitCondition() {
    const Region& region = CondOf(loop_);
    SL_ASSIGN_OR_RETURN(std::vector<Node*> nodes, Enter(region));
    const Value& result = region.results()[0];
    std::vector<GpuTarget> targets;
    if (MadeBy(result, nodes)) {
      piece_->predicate_ = NewPlace(TypeOf(result));
      targets.push_back({.value = result, .reg = piece_->predicate_});
    } else {
      // What is carried, most often: it lies there already.
      SL_ASSIGN_OR_RETURN(piece_->predicate_, builder_.Read(result));
    }
    SL_ASSIGN_OR_RETURN(piece_->cond_, builder_.Emit(nodes, targets));
    return OkStatus();
  }

  Status EmitBody() {
    const Region& region = BodyOf(loop_);
    SL_ASSIGN_OR_RETURN(std::vector<Node*> nodes, Enter(region));
    // Slots that another carried value becomes a copy of stay as they are until
    // all is computed.
    std::unordered_set<Value, ValueHash> handed_on, made;
    for (const Value& v : region.results()) handed_on.insert(v);
    std::vector<GpuTarget> targets;
    std::vector<int> next(slots_.size(), -1);
    std::vector<size_t> of_target;
    for (size_t i = 0; i < slots_.size(); ++i) {
      const Value& v = region.results()[i];
      Value arg{region.args_node(), static_cast<int>(i)};
      if (v == arg) continue;
      next[i] = NewPlace(TypeOf(v));
      if (!MadeBy(v, nodes) || !made.insert(v).second) continue;
      GpuTarget target{.value = v, .reg = next[i]};
      if (!handed_on.count(arg)) {
        target.direct = slots_[i];
        target.direct_of = arg;
      }
      targets.push_back(target);
      of_target.push_back(i);
    }
    SL_ASSIGN_OR_RETURN(piece_->body_, builder_.Emit(nodes, targets));
    for (size_t t = 0; t < targets.size(); ++t) {
      if (targets[t].reg == slots_[of_target[t]]) next[of_target[t]] = -1;
    }
    // What was not computed here, or for another carried value, too. What lay
    // in slots goes first, to a place beside.
    std::vector<bool> filled(slots_.size(), false);
    for (size_t t : of_target) filled[t] = true;
    for (bool from_slots : {true, false}) {
      for (size_t i = 0; i < slots_.size(); ++i) {
        const Value& v = region.results()[i];
        if (next[i] < 0 || filled[i] ||
            (v.node == region.args_node()) != from_slots) {
          continue;
        }
        SL_ASSIGN_OR_RETURN(int from, builder_.Read(v));
        int to = from_slots ? next[i] : slots_[i];
        piece_->body_.push_back(builder_.Copy(loop_, from, to));
        if (!from_slots) next[i] = -1;
      }
    }
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (next[i] < 0) continue;
      piece_->body_.push_back(builder_.Copy(loop_, next[i], slots_[i]));
    }
    return OkStatus();
  }

  std::unique_ptr<GpuWhile> piece_;
  const Node& loop_;
  const GpuWhile::OnHost& on_host_;
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
