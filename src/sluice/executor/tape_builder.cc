#include "sluice/executor/tape_builder.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/executor/memory_planner.h"
#include "sluice/executor/op_cost.h"
#include "sluice/graph/graph.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/strided.h"

namespace sluice {

class TapeBuilder {
 public:
  TapeBuilder(const std::vector<Node*>& nodes,
              const std::vector<Value>& outputs, const TapeOptions& options)
      : nodes_(nodes), options_(options), tape_(std::make_unique<Tape>()) {
    tape_->outputs_ = outputs;
    tape_->num_nodes_ = static_cast<int>(nodes.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      output_index_[outputs[i]] = static_cast<int>(i);
    }
    for (Node* node : nodes) inside_.insert(node);
  }

  Result<std::unique_ptr<Tape>> Build() {
    groups_ = FormGroups(nodes_, options_.fusion);
    for (now_ = 0; now_ < groups_.size(); ++now_) {
      for (Node* node : groups_[now_].nodes) group_of_[node] = now_;
    }
    for (Node* node : nodes_) tape_->cost_ns_ += NodeCostNanos(*node);
    FindViews();
    FindLastUses();
    for (now_ = 0; now_ < groups_.size(); ++now_) {
      if (groups_[now_].fused) {
        EmitLoop(groups_[now_]);
      } else if (!view_.count(groups_[now_].nodes[0])) {
        SL_RETURN_IF_ERROR(EmitKernel(*groups_[now_].nodes[0]));
      } else {
        EmitView(*groups_[now_].nodes[0]);
      }
      ReleaseDead();
    }
    tape_->arena_bytes_ = planner_.total();
    BindOperands();
    return std::move(tape_);
  }

 private:
  using Register = Tape::Register;
  using Place = Tape::Place;

  // A stretch of arena several registers may look into.
  struct Storage {
    int64_t offset, bytes;
    size_t last_use;
    bool released = false;
  };

  // ---- Which nodes are free views ----

  // Decides it once, on addresses that stand for real ones: a view is a fixed
  // distance and a new shape, whatever the base.
  void FindViews() {
    for (const FusionGroup& group : groups_) {
      if (group.fused) continue;
      Node* node = group.nodes[0];
      if (!node->op().view || output_index_.count(node->output(0))) continue;
      Layout in = LayoutOf(node->input(0));
      std::vector<Array> inputs;
      inputs.push_back(Array::Borrow(FakeBase(), node->input(0).dtype(),
                                     in.shape, in.strides));
      bool known = true;
      for (int i = 1; i < node->num_inputs(); ++i) {
        const Array* value = ConstantValue(node->input(i));
        known = known && value;
        inputs.push_back(value ? *value : Array());
      }
      if (!known) continue;
      StepContext step;
      NodeInfo info{node->name(), node->line(), node->key()};
      Array out;
      KernelContext context(node->op(), node->attrs(), info, step, inputs,
                            {&out, 1});
      if (!node->op().view(context, &out)) continue;
      int64_t offset = static_cast<const char*>(out.raw()) -
                       static_cast<const char*>(FakeBase());
      view_[node] = {out.shape(), out.strides(), offset};
      layouts_[node->output(0)] = view_[node];
    }
  }
  struct Layout {
    Shape shape;
    Strides strides{};
    int64_t offset = 0;  // bytes from the viewed value's first element
  };
  static void* FakeBase() {
    // Only ever added to and subtracted from.
    return reinterpret_cast<void*>(uintptr_t{1} << 40);
  }
  Layout LayoutOf(const Value& v) const {
    auto it = layouts_.find(v);
    if (it != layouts_.end()) return it->second;
    Shape shape = v.shape().ToShape();
    return {shape, ContiguousStrides(shape), 0};
  }
  // The value whose memory `v` looks into.
  Value Root(Value v) const {
    for (auto it = view_.find(v.node); it != view_.end();
         it = view_.find(v.node)) {
      v = v.node->input(0);
    }
    return v;
  }

  void FindLastUses() {
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (Node* node : groups_[g].nodes) {
        for (const Value& v : node->inputs()) last_use_[Root(v)] = g;
      }
    }
  }

  // ---- Registers ----

  int NewRegister(Register reg) {
    tape_->registers_.push_back(reg);
    return static_cast<int>(tape_->registers_.size()) - 1;
  }

  // The register of a value somebody reads: an input, a constant, or a value
  // made by an earlier instruction.
  int Read(const Value& v) {
    auto it = register_.find(v);
    if (it != register_.end()) return it->second;
    Register reg;
    reg.dtype = v.dtype();
    reg.shape = v.shape().ToShape();
    reg.strides = ContiguousStrides(reg.shape);
    if (const Array* constant = ConstantValue(v);
        constant && v.node->controls().empty()) {
      reg.at = {Place::kConst, static_cast<int32_t>(tape_->constants_.size()),
                0};
      tape_->constants_.push_back(*constant->AsContiguous());
    } else {
      SL_CHECK(!inside_.count(v.node));
      reg.at = {Place::kInput, static_cast<int32_t>(tape_->inputs_.size()), 0};
      tape_->inputs_.push_back(v);
    }
    return register_[v] = NewRegister(reg);
  }

  // A place for a new value: an output of the island, the memory of an input
  // that dies here, or fresh arena.
  int Define(const Value& v, int reuse_storage = -1) {
    Register reg;
    reg.dtype = v.dtype();
    reg.shape = v.shape().ToShape();
    reg.strides = ContiguousStrides(reg.shape);
    auto out = output_index_.find(v);
    if (out != output_index_.end()) {
      reg.at = {Place::kOutput, out->second, 0};
    } else if (reuse_storage >= 0) {
      Storage& s = storages_[static_cast<size_t>(reuse_storage)];
      s.last_use = LastUse(v);
      reg.at = {Place::kArena, 0, s.offset};
      storage_[v] = reuse_storage;
    } else {
      int64_t bytes = reg.shape.num_elements() * DTypeSize(reg.dtype);
      int64_t offset = planner_.Allocate(bytes);
      storage_[v] = static_cast<int>(storages_.size());
      storages_.push_back({offset, bytes, LastUse(v)});
      expiring_[LastUse(v)].push_back(storage_[v]);
      reg.at = {Place::kArena, 0, offset};
    }
    if (reuse_storage >= 0 && !output_index_.count(v)) {
      expiring_[LastUse(v)].push_back(reuse_storage);
    }
    return register_[v] = NewRegister(reg);
  }
  size_t LastUse(const Value& v) const {
    auto it = last_use_.find(v);
    return it == last_use_.end() ? now_ : std::max(it->second, now_);
  }

  int64_t TemporaryArena(int64_t bytes) {
    int64_t offset = planner_.Allocate(bytes);
    expiring_[now_].push_back(static_cast<int>(storages_.size()));
    storages_.push_back({offset, bytes, now_});
    return offset;
  }

  void ReleaseDead() {
    auto it = expiring_.find(now_);
    if (it == expiring_.end()) return;
    for (int index : it->second) {
      Storage& s = storages_[static_cast<size_t>(index)];
      // A storage taken over in place has moved its end further down.
      if (s.released || s.last_use != now_) continue;
      s.released = true;
      planner_.Release(s.offset, s.bytes);
    }
    expiring_.erase(it);
  }

  // The storage of an input that dies in this group and may be overwritten by
  // an output of the same number of bytes; -1 when there is none.
  int Reusable(const Value& in, const Value& out) const {
    auto it = storage_.find(Root(in));
    if (it == storage_.end()) return -1;
    const Storage& s = storages_[static_cast<size_t>(it->second)];
    if (s.last_use != now_ || s.released) return -1;
    if (DTypeSize(in.dtype()) != DTypeSize(out.dtype())) return -1;
    Layout layout = LayoutOf(in);
    int64_t bytes =
        out.shape().ToShape().num_elements() * DTypeSize(out.dtype());
    int64_t starts =
        tape_->registers_[static_cast<size_t>(register_.at(in))].at.offset;
    if (s.bytes != bytes || starts != s.offset ||
        layout.shape.num_elements() != out.shape().ToShape().num_elements() ||
        !IsContiguous(layout.shape, layout.strides)) {
      return -1;
    }
    return it->second;
  }

  // ---- Instructions ----

  void Push(Tape::Instruction instr, std::string label) {
    tape_->code_.push_back(std::move(instr));
    tape_->labels_.push_back(std::move(label));
  }

  void EmitView(const Node& node) {
    const Layout& layout = view_.at(&node);
    Register reg = tape_->registers_[static_cast<size_t>(Read(node.input(0)))];
    reg.at.offset += layout.offset;
    reg.shape = layout.shape;
    reg.strides = layout.strides;
    register_[Value{const_cast<Node*>(&node), 0}] = NewRegister(reg);
  }

  bool UsedOutsideGroup(const Value& v, size_t group) const {
    if (output_index_.count(v)) return true;
    for (Node* user : v.node->users()) {
      auto it = group_of_.find(user);
      if (it == group_of_.end() || it->second == group) continue;
      for (const Value& in : user->inputs()) {
        if (in == v) return true;
      }
    }
    return false;
  }

  void EmitLoop(const FusionGroup& group) {
    BlockProgram program;
    Tape::Instruction instr;
    instr.code = Tape::Code::kFused;
    std::unordered_map<Value, int, ValueHash> operand;
    // When each external input is read last, to know what may be overwritten.
    std::unordered_map<int, size_t> storage_read_until;
    std::unordered_map<int, bool> storage_plain;
    for (size_t k = 0; k < group.nodes.size(); ++k) {
      for (const Value& v : group.nodes[k]->inputs()) {
        auto own = group_of_.find(v.node);
        if (own != group_of_.end() && own->second == now_) continue;
        if (!operand.count(v)) {
          int reg_id = Read(v);
          const Register& reg = tape_->registers_[static_cast<size_t>(reg_id)];
          Strides strides =
              BroadcastStrides(reg.shape, reg.strides, group.space);
          auto access = BlockProgram::AccessFor(reg.shape.num_elements(),
                                                group.space, strides);
          operand[v] = program.AddInput(v.dtype(), access, strides);
          instr.in.push_back(reg_id);
          if (auto s = storage_.find(Root(v)); s != storage_.end()) {
            auto [it, fresh] = storage_plain.emplace(s->second, true);
            it->second =
                it->second && access == BlockProgram::Access::kContiguous;
          }
        }
        if (auto s = storage_.find(Root(v)); s != storage_.end()) {
          storage_read_until[s->second] = k;
        }
      }
    }
    std::unordered_set<int> taken;
    std::string names;
    for (size_t k = 0; k < group.nodes.size(); ++k) {
      Node* node = group.nodes[k];
      int in[kMaxBlockInputs];
      for (int i = 0; i < node->num_inputs(); ++i)
        in[i] = operand.at(node->input(i));
      Value out = node->output(0);
      int target = -1;
      if (UsedOutsideGroup(out, now_)) {
        // In place: block by block, an output may lie over an input that no
        // later op of the loop reads.
        int reuse = -1;
        for (size_t j = 0; j <= k && reuse < 0 && !output_index_.count(out);
             ++j) {
          for (const Value& v : group.nodes[j]->inputs()) {
            if (group_of_.count(v.node) && group_of_.at(v.node) == now_)
              continue;
            int candidate = Reusable(v, out);
            if (candidate < 0 || taken.count(candidate) ||
                !storage_plain[candidate] ||
                storage_read_until[candidate] > k) {
              continue;
            }
            reuse = candidate;
            break;
          }
          if (j > 64) break;  // long loops: looking further does not pay
        }
        if (reuse >= 0) taken.insert(reuse);
        target = program.AddOutput(out.dtype());
        instr.out.push_back(Define(out, reuse));
      }
      operand[out] = program.AddOp(
          SelectBlock(*node), {in, static_cast<size_t>(node->num_inputs())},
          out.dtype(), target);
      if (k < 12) StrAppend(names, k ? " " : "", node->op().name);
    }
    if (group.nodes.size() > 12) {
      StrAppend(names, " ... (", group.nodes.size(), " ops)");
    }
    program.Finish(group.space);
    instr.program = static_cast<int32_t>(tape_->programs_.size());
    tape_->programs_.push_back(std::move(program));
    Push(std::move(instr),
         StrCat(group.nodes.size() > 1 ? "fused loop " : "loop ", group.space,
                ": ", names));
  }

  Status EmitKernel(Node& node) {
    Tape::Instruction instr;
    instr.code = Tape::Code::kKernel;
    instr.node = &node;
    for (const Value& v : node.inputs()) {
      int reg = Read(v);
      const Register r = tape_->registers_[static_cast<size_t>(reg)];
      if (!node.op().strided_inputs && !IsContiguous(r.shape, r.strides)) {
        Register copy = r;
        copy.strides = ContiguousStrides(r.shape);
        copy.at = {Place::kArena, 0,
                   TemporaryArena(r.shape.num_elements() * DTypeSize(r.dtype))};
        Tape::Instruction move;
        move.code = Tape::Code::kCopy;
        move.in = {reg};
        reg = NewRegister(copy);
        move.out = {reg};
        Push(std::move(move), StrCat("copy ", TypeText(r.dtype, r.shape),
                                     " into a row for ", node.op().name));
      }
      instr.in.push_back(reg);
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      int reuse = -1;
      if (i == 0 && node.op().in_place && node.num_inputs() > 0 &&
          !output_index_.count(node.output(0))) {
        reuse = Reusable(node.input(0), node.output(0));
        // The kernel may write before it has read its other inputs.
        for (int k = 1; k < node.num_inputs() && reuse >= 0; ++k) {
          auto other = storage_.find(Root(node.input(k)));
          if (other != storage_.end() && other->second == reuse) reuse = -1;
        }
      }
      instr.out.push_back(Define(node.output(i), reuse));
    }
    if (WorkspaceFn workspace = node.op().kernel(DeviceKind::kCpu).workspace) {
      std::vector<DType> dtypes, out_dtypes;
      std::vector<PartialShape> shapes, out_shapes;
      std::vector<const Array*> values;
      for (const Value& v : node.inputs()) {
        dtypes.push_back(v.dtype());
        shapes.push_back(v.shape());
        values.push_back(ConstantValue(v));
      }
      for (int i = 0; i < node.num_outputs(); ++i) {
        out_dtypes.push_back(node.output_type(i).dtype);
        out_shapes.push_back(node.output_type(i).shape);
      }
      ShapeContext sizes(node.op(), node.attrs(), dtypes, shapes, values,
                         out_dtypes, out_shapes);
      instr.workspace = TemporaryArena(workspace(sizes));
    }
    std::string label = StrCat("kernel ", node.op().name, " \"", node.name(),
                               "\" -> ", node.output_type(0));
    Push(std::move(instr), std::move(label));
    return OkStatus();
  }

  // Gives every instruction its operands in the activation and notes which of
  // them follow an input or output of the island.
  void BindOperands() {
    tape_->input_patches_.resize(tape_->inputs_.size());
    tape_->output_patches_.resize(tape_->outputs_.size());
    for (Tape::Instruction& instr : tape_->code_) {
      bool fused = instr.code == Tape::Code::kFused;
      int& count =
          fused ? tape_->num_fused_operands_ : tape_->num_kernel_operands_;
      instr.first = count;
      for (const auto* list : {&instr.in, &instr.out}) {
        for (int32_t r : *list) {
          const Tape::Location& at =
              tape_->registers_[static_cast<size_t>(r)].at;
          Tape::Patch patch{fused, count++, at.offset};
          if (at.place == Place::kInput) {
            tape_->input_patches_[static_cast<size_t>(at.index)].push_back(
                patch);
          } else if (at.place == Place::kOutput) {
            tape_->output_patches_[static_cast<size_t>(at.index)].push_back(
                patch);
          }
        }
      }
    }
  }

  const std::vector<Node*>& nodes_;
  const TapeOptions& options_;
  std::unique_ptr<Tape> tape_;
  std::unordered_set<const Node*> inside_;
  std::unordered_map<Value, int, ValueHash> output_index_;
  std::vector<FusionGroup> groups_;
  std::unordered_map<const Node*, size_t> group_of_;
  std::unordered_map<const Node*, Layout> view_;
  std::unordered_map<Value, Layout, ValueHash> layouts_;
  std::unordered_map<Value, size_t, ValueHash> last_use_;
  std::unordered_map<Value, int, ValueHash> register_, storage_;
  std::vector<Storage> storages_;
  std::unordered_map<size_t, std::vector<int>> expiring_;
  MemoryPlanner planner_;
  size_t now_ = 0;
};

Result<std::unique_ptr<Tape>> BuildTape(const std::vector<Node*>& nodes,
                                        const std::vector<Value>& outputs,
                                        const TapeOptions& options) {
  return TapeBuilder(nodes, outputs, options).Build();
}

}  // namespace sluice
