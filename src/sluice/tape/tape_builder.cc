#include "sluice/tape/tape_builder.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/graph/node_sizes.h"
#include "sluice/launch/op_cost.h"
#include "sluice/op/signature.h"
#include "sluice/tape/fuse_neighbours.h"
#include "sluice/tape/tape_values.h"
#include "sluice/tape/tape_views.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

std::string NamesOf(const std::vector<Node*>& nodes) {
  constexpr size_t kMost = 12;
  std::string names;
  for (size_t k = 0; k < std::min(kMost, nodes.size()); ++k) {
    StrAppend(names, k ? " " : "", nodes[k]->op().name);
  }
  if (nodes.size() > kMost) {
    StrAppend(names, " ... (", nodes.size(), " ops)");
  }
  return names;
}

}  // namespace

class TapeBuilder {
 public:
  TapeBuilder(const std::vector<Node*>& nodes,
              const std::vector<Value>& outputs, const TapeOptions& options)
      : tape_(std::make_unique<Tape>()),
        views_(nodes, outputs),
        groups_(FormGroups(nodes, options.fusion)) {
    if (options.fusion.enabled) {
      tape_->notes_ = FuseNeighbours(groups_, views_, outputs);
    }
    values_ =
        std::make_unique<TapeValues>(*tape_, views_, nodes, outputs, groups_);
    tape_->outputs_ = outputs;
    tape_->over_input_.assign(outputs.size(), -1);
    tape_->num_nodes_ = static_cast<int>(nodes.size());
    for (Node* node : nodes) tape_->cost_ns_ += NodeCostNanos(*node);
  }

  Result<std::unique_ptr<Tape>> Build() {
    for (now_ = 0; now_ < groups_.size(); ++now_) {
      values_->BeginGroup(now_);
      const FusionGroup& group = groups_[now_];
      if (!group.node) {
        EmitLoop(group.loop);
      } else if (views_.IsView(group.node)) {
        values_->DefineView(*group.node);
      } else {
        EmitKernel(group);
      }
      values_->EndGroup();
    }
    tape_->arena_bytes_ = values_->arena_bytes();
    BindOperands();
    return std::move(tape_);
  }

 private:
  const Tape::Register& RegisterAt(int id) const {
    return tape_->registers_[static_cast<size_t>(id)];
  }

  void Push(Tape::Instruction instr, std::string label) {
    tape_->code_.push_back(std::move(instr));
    tape_->labels_.push_back(std::move(label));
  }

  // The external values that a loop reads, in order of first use.
  static std::vector<Value> Externals(const FusedNodes& loop) {
    std::unordered_set<const Node*> inside(loop.nodes.begin(),
                                           loop.nodes.end());
    std::unordered_set<Value, ValueHash> seen;
    std::vector<Value> externals;
    for (Node* node : loop.nodes) {
      for (const Value& v : node->inputs()) {
        if (inside.count(v.node) || !seen.insert(v).second) continue;
        externals.push_back(v);
      }
    }
    return externals;
  }

  // The index of the last node of the loop that reads each storage.
  std::unordered_map<int, size_t> StorageReads(const FusedNodes& loop) const {
    std::unordered_map<int, size_t> until;
    for (size_t k = 0; k < loop.nodes.size(); ++k) {
      for (const Value& v : loop.nodes[k]->inputs()) {
        if (int s = values_->StorageOf(v); s >= 0) until[s] = k;
      }
    }
    return until;
  }

  // A program that reads `loop`'s externals. The caller decides where it
  // writes: place(node index) returns the register, -1 for none.
  template <class Place>
  Tape::Loop BuildProgram(const FusedNodes& loop, Place&& place) {
    BlockProgram program;
    Tape::Loop code;
    std::unordered_map<Value, int, ValueHash> operand;
    for (const Value& v : Externals(loop)) {
      int reg_id = values_->Read(v);
      const Tape::Register& reg = RegisterAt(reg_id);
      Strides strides = BroadcastStrides(reg.shape, reg.strides, loop.space);
      auto access = BlockProgram::AccessFor(reg.shape.num_elements(),
                                            loop.space, strides);
      operand[v] = program.AddInput(v.dtype(), access, strides);
      code.in.push_back(reg_id);
    }
    for (size_t k = 0; k < loop.nodes.size(); ++k) {
      Node* node = loop.nodes[k];
      int in[kMaxBlockInputs];
      for (int i = 0; i < node->num_inputs(); ++i) {
        in[i] = operand.at(node->input(i));
      }
      Value out = node->output(0);
      int target = -1;
      if (int reg = place(k); reg >= 0) {
        target = program.AddOutput(out.dtype());
        code.out.push_back(reg);
      }
      operand[out] = program.AddOp(
          SelectBlock(*node), {in, static_cast<size_t>(node->num_inputs())},
          out.dtype(), target);
    }
    program.Finish(loop.space);
    code.program = static_cast<int32_t>(tape_->programs_.size());
    tape_->programs_.push_back(std::move(program));
    return code;
  }

  // The inputs of a loop, computed once: a loop may have a million nodes, and
  // many results.
  struct LoopReads {
    LoopReads(const FusedNodes& loop, const TapeViews& views) {
      std::unordered_map<const Node*, size_t> places;
      for (size_t k = 0; k < loop.nodes.size(); ++k) {
        const Node* node = loop.nodes[k];
        places.emplace(node, k);
        auto before = places.find(node->input(0).node);
        first.push_back(before == places.end() ? node->input(0)
                                               : first[before->second]);
        for (const Value& v : node->inputs()) {
          Value root = views.Root(v);
          Read& read = reads[root];
          read.last = k;
          read.as_view = read.as_view || v != root;
        }
      }
    }
    struct Read {
      size_t last = 0;  // the last node that reads it
      bool as_view = false;
    };
    // By node: the external value that its first inputs lead to.
    std::vector<Value> first;
    std::unordered_map<Value, Read, ValueHash> reads;
  };

  // Assigns registers to results of a loop with outside readers. Block by
  // block, an output may overwrite an external that ends here and that no later
  // op of the loop reads; `keep` are storages that the kernel in front of the
  // loop still reads.
  class OutputPlacer {
   public:
    OutputPlacer(TapeBuilder& builder, const FusedNodes& loop,
                 std::unordered_set<int> keep)
        : b_(builder), loop_(loop), taken_(std::move(keep)) {
      read_until_ = b_.StorageReads(loop);
      for (const Value& v : Externals(loop)) {
        int s = b_.values_->StorageOf(v);
        if (s < 0) continue;
        const Tape::Register& reg = b_.RegisterAt(b_.values_->Read(v));
        bool plain = reg.shape.num_elements() == loop.space.num_elements() &&
                     IsContiguous(reg.shape, reg.strides);
        if (!plain) taken_.insert(s);
        // Examining very many does not pay off.
        if (candidates_.size() < 64) candidates_.push_back(v);
      }
    }
    int operator()(size_t k) {
      Value out = loop_.nodes[k]->output(0);
      if (!b_.values_->UsedOutside(out, b_.now_)) return -1;
      int reuse = -1;
      for (const Value& v : candidates_) {
        if (b_.values_->IsOutput(out)) break;
        int s = b_.values_->Reusable(v, out);
        if (s < 0 || taken_.count(s) || read_until_[s] > k) continue;
        taken_.insert(reuse = s);
        break;
      }
      int reg = b_.values_->Define(out, reuse);
      if (b_.values_->IsOutput(out)) {
        if (!reads_) reads_.emplace(loop_, b_.views_);
        b_.NoteLoopOver(loop_, *reads_, k, kernel_);
      }
      return reg;
    }
    // The kernel in front of the loop, with the loop before that kernel.
    void Behind(const FusionGroup* group) { kernel_ = group; }

   private:
    TapeBuilder& b_;
    const FusedNodes& loop_;
    std::unordered_set<int> taken_;
    std::unordered_map<int, size_t> read_until_;
    std::vector<Value> candidates_;
    std::optional<LoopReads> reads_;
    const FusionGroup* kernel_ = nullptr;
  };

  // A loop's result that leaves the island may overwrite an island input that
  // it replaces (w in w - rate * g), if nothing else in the loop reads that
  // input later: an element is read before it is written. A kernel in front
  // must not read it at all, as it may still be working on other elements.
  void NoteLoopOver(const FusedNodes& loop, const LoopReads& of_loop, size_t k,
                    const FusionGroup* kernel) {
    Value out = loop.nodes[k]->output(0), in = of_loop.first[k];
    int input = values_->InputOver(in, out);
    if (input < 0 || tape_->OverwritesInput(static_cast<size_t>(input))) return;
    auto reads = [&](const Node& node) {
      for (const Value& v : node.inputs()) {
        if (views_.Root(v) == in) return true;
      }
      return false;
    };
    auto read = of_loop.reads.find(in);
    if (read != of_loop.reads.end() &&
        (read->second.as_view || read->second.last > k)) {
      return;
    }
    if (kernel) {
      if (reads(*kernel->node)) return;
      for (const Node* node : kernel->before.nodes) {
        if (reads(*node)) return;
      }
    }
    auto output =
        std::find(tape_->outputs_.begin(), tape_->outputs_.end(), out);
    tape_->over_input_[static_cast<size_t>(output - tape_->outputs_.begin())] =
        input;
  }

  void EmitLoop(const FusedNodes& loop) {
    for (const Value& v : Externals(loop)) values_->Read(v);
    Tape::Instruction instr;
    instr.code = Tape::Code::kFused;
    instr.node = loop.nodes.back();  // the node whose line is reported
    instr.loop = BuildProgram(loop, OutputPlacer(*this, loop, {}));
    Push(std::move(instr),
         StrCat(loop.nodes.size() > 1 ? "fused loop " : "loop ", loop.space,
                ": ", NamesOf(loop.nodes)));
  }

  // The kernel's input i as a register that it can read.
  int KernelInput(const Node& node, int i) {
    int reg = values_->Read(node.input(i));
    const Tape::Register r = RegisterAt(reg);
    if (node.op().cpu().strided_inputs || IsContiguous(r.shape, r.strides)) {
      return reg;
    }
    Tape::Instruction move;
    move.code = Tape::Code::kCopy;
    move.in = {reg};
    reg = values_->DefineCopy(reg);
    move.out = {reg};
    Push(std::move(move), StrCat("copy ", TypeText(r.dtype, r.shape),
                                 " into a row for ", node.op().name));
    return reg;
  }

  int64_t Workspace(const Node& node) {
    WorkspaceFn workspace = node.op().cpu().workspace;
    if (!workspace) return -1;
    NodeSizes sizes(node);
    return values_->Temporary(workspace(sizes.context()));
  }

  // The storage that an in-place kernel may overwrite with its result, or -1.
  int KernelReuse(Node& node) const {
    if (!node.op().cpu().in_place || node.num_inputs() == 0 ||
        values_->IsOutput(node.output(0))) {
      return -1;
    }
    int reuse = values_->Reusable(node.input(0), node.output(0));
    // The kernel may write before it has read its other inputs.
    for (int k = 1; k < node.num_inputs() && reuse >= 0; ++k) {
      if (values_->StorageOf(node.input(k)) == reuse) reuse = -1;
    }
    return reuse;
  }

  // An in-place kernel whose result leaves the island may overwrite an island
  // input that is not needed any more.
  void NoteInputOver(Node& node) {
    if (!node.op().cpu().in_place || node.num_inputs() == 0 ||
        !values_->IsOutput(node.output(0))) {
      return;
    }
    int input = values_->InputOver(node.input(0), node.output(0));
    // The kernel may write before it has read its other inputs.
    for (int k = 1; k < node.num_inputs(); ++k) {
      if (views_.Root(node.input(k)) == node.input(0)) input = -1;
    }
    if (input < 0) return;
    auto output = std::find(tape_->outputs_.begin(), tape_->outputs_.end(),
                            node.output(0));
    tape_->over_input_[static_cast<size_t>(output - tape_->outputs_.begin())] =
        input;
  }

  // The first result of the loop behind a kernel that has outside readers and
  // may share the memory of the kernel's result: nothing reads the latter
  // later.
  int HostOf(const FusionGroup& group) const {
    Value result = group.node->output(0);
    if (values_->UsedOutside(result, now_)) return -1;
    for (Node* view : group.views) {
      if (values_->UsedOutside(view->output(0), now_)) return -1;
    }
    const std::vector<Node*>& nodes = group.loop.nodes;
    size_t last_read = 0;
    for (size_t k = 0; k < nodes.size(); ++k) {
      for (const Value& v : nodes[k]->inputs()) {
        if (views_.Root(v) == result) last_read = k;
      }
    }
    for (size_t k = last_read; k < nodes.size(); ++k) {
      Value out = nodes[k]->output(0);
      if (DTypeSize(out.dtype()) == DTypeSize(result.dtype()) &&
          values_->UsedOutside(out, now_)) {
        return static_cast<int>(k);
      }
    }
    return -1;
  }

  void EmitKernel(const FusionGroup& group) {
    Node& node = *group.node;
    Tape::Instruction instr;
    instr.code = Tape::Code::kKernel;
    instr.node = &node;
    std::unordered_set<int> keep;  // read while the loop behind writes
    auto read = [&](const Value& v) {
      if (int s = values_->StorageOf(v); s >= 0) keep.insert(s);
    };
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (i == 0 && !group.before.empty()) {
        instr.in.push_back(values_->DefineNowhere(node.input(0)));
        continue;
      }
      instr.in.push_back(KernelInput(node, i));
      read(node.input(i));
    }
    if (!group.before.empty()) {
      for (const Value& v : Externals(group.before)) read(v);
      Value made = views_.Root(node.input(0));
      instr.before = BuildProgram(group.before, [&](size_t k) {
        return group.before.nodes[k] == made.node ? values_->DefineNowhere(made)
                                                  : -1;
      });
    }
    int host = group.loop.empty() ? -1 : HostOf(group);
    int host_register = -1;
    if (host >= 0) {
      Node* last = group.loop.nodes[static_cast<size_t>(host)];
      host_register = values_->Define(last->output(0));
      instr.out.push_back(values_->DefineOver(node.output(0), host_register));
    } else {
      int reuse =
          group.before.empty() && group.loop.empty() ? KernelReuse(node) : -1;
      if (node.num_outputs() > 0) {
        instr.out.push_back(values_->Define(node.output(0), reuse));
        if (group.before.empty() && group.loop.empty()) NoteInputOver(node);
      }
    }
    for (int i = 1; i < node.num_outputs(); ++i) {
      instr.out.push_back(values_->Define(node.output(i)));
    }
    instr.workspace = Workspace(node);
    std::string label = StrCat("kernel ", node.op().name, " \"", node.name(),
                               "\" -> ", node.output_type(0));
    if (!group.before.empty()) {
      StrAppend(label, ", fused before it: ", NamesOf(group.before.nodes));
    }
    if (!group.loop.empty()) {
      for (Node* view : group.views) values_->DefineView(*view);
      for (const Value& v : Externals(group.loop)) values_->Read(v);
      OutputPlacer place(*this, group.loop, std::move(keep));
      place.Behind(&group);
      instr.loop = BuildProgram(group.loop, [&](size_t k) {
        return static_cast<int>(k) == host ? host_register : place(k);
      });
      StrAppend(label, ", fused behind it: ", NamesOf(group.loop.nodes));
    }
    Push(std::move(instr), std::move(label));
  }

  // Binds the operands of every instruction in the activation and records which
  // of them refer to an input or output of the island.
  void BindOperands() {
    tape_->input_patches_.resize(tape_->inputs_.size());
    tape_->output_patches_.resize(tape_->outputs_.size());
    auto bind = [&](const std::vector<int32_t>& registers, bool fused,
                    int& count) {
      for (int32_t r : registers) {
        const Tape::Location& at = RegisterAt(r).at;
        Tape::Patch patch{fused, count++, at.offset};
        auto index = static_cast<size_t>(at.index);
        if (at.place == Tape::Place::kInput) {
          tape_->input_patches_[index].push_back(patch);
        } else if (at.place == Tape::Place::kOutput) {
          tape_->output_patches_[index].push_back(patch);
        }
      }
    };
    for (Tape::Instruction& instr : tape_->code_) {
      instr.first = tape_->num_kernel_operands_;
      bind(instr.in, false, tape_->num_kernel_operands_);
      bind(instr.out, false, tape_->num_kernel_operands_);
      for (Tape::Loop* loop : {&instr.before, &instr.loop}) {
        loop->first = tape_->num_fused_operands_;
        bind(loop->in, true, tape_->num_fused_operands_);
        bind(loop->out, true, tape_->num_fused_operands_);
      }
    }
  }

  std::unique_ptr<Tape> tape_;
  TapeViews views_;
  std::vector<FusionGroup> groups_;
  std::unique_ptr<TapeValues> values_;
  size_t now_ = 0;
};

Result<std::unique_ptr<Tape>> BuildTape(const std::vector<Node*>& nodes,
                                        const std::vector<Value>& outputs,
                                        const TapeOptions& options) {
  return TapeBuilder(nodes, outputs, options).Build();
}

}  // namespace sluice
