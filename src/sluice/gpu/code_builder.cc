#include "sluice/gpu/code_builder.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "sluice/base/strings.h"
#include "sluice/device/stream_order.h"
#include "sluice/gpu/gather_loops.h"
#include "sluice/gpu/loop_regions.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node_sizes.h"
#include "sluice/kernels/cuda/channels_last.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/host_inputs.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

// More would make sources that take long to compile and kernels that spill.
constexpr size_t kMostFused = 64;
constexpr int64_t kAlignment = 256;

int64_t Aligned(int64_t bytes) {
  return std::max<int64_t>(1, (bytes + kAlignment - 1) / kAlignment) *
         kAlignment;
}

FusedAccess AccessOf(const GpuRegister& r, const Shape& space) {
  if (r.shape.num_elements() == 1) return FusedAccess::kScalar;
  if (r.shape == space && r.contiguous()) return FusedAccess::kFlat;
  return FusedAccess::kStrided;
}

}  // namespace

// Splits long loops.
void GpuCodeBuilder::CutGroups() {
  std::vector<FusionGroup> cut;
  std::vector<int> set;
  for (size_t g = 0; g < groups_.size(); ++g) {
    std::vector<Node*>& nodes = groups_[g].loop.nodes;
    if (groups_[g].node || nodes.size() <= kMostFused) {
      cut.push_back(std::move(groups_[g]));
      set.push_back(set_[g]);
      continue;
    }
    for (size_t i = 0; i < nodes.size(); i += kMostFused) {
      FusionGroup part;
      part.loop.space = groups_[g].loop.space;
      part.loop.nodes.assign(
          nodes.begin() + static_cast<ptrdiff_t>(i),
          nodes.begin() +
              static_cast<ptrdiff_t>(std::min(i + kMostFused, nodes.size())));
      cut.push_back(std::move(part));
      set.push_back(0);
    }
  }
  groups_ = std::move(cut);
  set_ = std::move(set);
}

void GpuCodeBuilder::ReserveNumbers(int64_t count) {
  if (count > 0) Reserve(count * GpuProgram::kNumberBytes);
}

int64_t GpuCodeBuilder::Reserve(int64_t bytes) {
  int64_t offset = planner_.Allocate(Aligned(bytes));
  program_.arena_bytes = planner_.total();
  return offset;
}

int64_t GpuCodeBuilder::NextNumber() const {
  return static_cast<int64_t>(program_.numbers.size() + program_.keys.size()) *
         GpuProgram::kNumberBytes;
}

int GpuCodeBuilder::AddNumber(const Value& v) {
  program_.numbers.push_back({program_.inputs.size(), NextNumber()});
  program_.inputs.push_back(v);
  return AddRegister(Register::Dense(GpuPlace::kArena, 0,
                                     program_.numbers.back().offset, v.dtype(),
                                     v.shape().ToShape()));
}

size_t GpuCodeBuilder::AddList(const Value& v) {
  auto& inputs = program_.inputs;
  auto it = std::find(inputs.begin(), inputs.end(), v);
  if (it == inputs.end()) it = inputs.insert(it, v);
  return static_cast<size_t>(it - inputs.begin());
}

int GpuCodeBuilder::AddRegister(Register r) {
  program_.registers.push_back(std::move(r));
  return static_cast<int>(program_.registers.size()) - 1;
}

GpuInstruction GpuCodeBuilder::Copy(const Node& node, int from, int to) const {
  GpuInstruction copy;
  copy.code = GpuInstruction::Code::kCopy;
  copy.node = &node;
  copy.in = {from};
  copy.out = {to};
  copy.label = StrCat("copy ", DTypeName(At(from).dtype), At(from).shape);
  return copy;
}

GpuInstruction GpuCodeBuilder::Move(const Node& node,
                                    const std::vector<int>& from,
                                    const std::vector<int>& to,
                                    int live) const {
  GpuInstruction move;
  move.code = GpuInstruction::Code::kMove;
  move.node = &node;
  move.in = from;
  move.out = to;
  move.live = live;
  move.label = "move";
  for (int r : from)
    StrAppend(move.label, " ", DTypeName(At(r).dtype), At(r).shape);
  return move;
}

Result<GpuCode> GpuCodeBuilder::Emit(const std::vector<Node*>& nodes,
                                     std::vector<GpuTarget>& targets) {
  FusionOptions options;
  options.enabled = fuse_;
  groups_ = FormGroups(nodes, options);
  if (fuse_) {
    GatheredGroups gathered = GatherLoops(std::move(groups_));
    groups_ = std::move(gathered.groups);
    set_ = std::move(gathered.set);
  } else {
    set_.assign(groups_.size(), 0);
  }
  CutGroups();
  target_.clear();
  last_read_.clear();
  turned_.clear();
  rows_.clear();
  code_.clear();
  for (GpuTarget& target : targets) target_[target.value] = &target;
  NumberGroups();
  FindProductSums();
  FindLastReads(nodes);
  for (now_ = 0; now_ < groups_.size(); ++now_) {
    const FusionGroup& group = groups_[now_];
    auto sum = product_sums_.find(now_);
    if (sum != product_sums_.end()) {
      SL_RETURN_IF_ERROR(EmitProductSum(sum->second));
    } else if (taken_along_.count(now_) || done_by_.count(now_)) {
      // computed by a product
    } else if (!group.node) {
      SL_RETURN_IF_ERROR(EmitLoop(group.loop));
    } else if (group.node->op().role == Role::kIdentity) {
      SL_RETURN_IF_ERROR(EmitUpload(*group.node));
    } else if (IsListNode(*group.node)) {
      SL_RETURN_IF_ERROR(EmitList(*group.node));
    } else if (group.node->op().view) {
      SL_RETURN_IF_ERROR(EmitView(*group.node));
    } else {
      SL_RETURN_IF_ERROR(EmitKernel(*group.node));
    }
    std::move(after_.begin(), after_.end(), std::back_inserter(code_));
    after_.clear();
    // Loops of one launch must not overwrite each other's operands.
    if (!NextInSet()) ReleaseDead();
  }
  for (const Taken& taken : taken_) planner_.Release(taken.offset, taken.bytes);
  taken_.clear();
  program_.arena_bytes = planner_.total();
  return std::move(code_);
}

// The last group that reads the memory of a value: reading a view reads the
// memory of its base.
void GpuCodeBuilder::FindLastReads(const std::vector<Node*>& nodes) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    auto sum = done_by_.find(g);
    size_t when = sum == done_by_.end() ? g : sum->second;
    auto read = [&](const Node& node) {
      for (const Value& v : node.inputs()) {
        size_t& last = last_read_[v];
        last = std::max(last, when);
      }
    };
    for (Node* node : groups_[g].loop.nodes) read(*node);
    if (groups_[g].node) read(*groups_[g].node);
  }
  // Backwards, so that views of views are included.
  for (size_t i = nodes.size(); i-- > 0;) {
    Node* node = nodes[i];
    if (!node->op().view) continue;
    size_t& last = last_read_[node->input(0)];
    last = std::max(last, last_read_[node->output(0)]);
    if (target_.count(node->output(0))) last = groups_.size();
  }
}

size_t GpuCodeBuilder::LastRead(const Value& v) const {
  auto it = last_read_.find(v);
  return it == last_read_.end() ? 0 : it->second;
}

int64_t GpuCodeBuilder::TakeArena(int64_t bytes) {
  int64_t offset = planner_.Allocate(Aligned(bytes));
  taken_.push_back({offset, Aligned(bytes), now_});
  return offset;
}

// New storage for a value: that of a target, or arena space until the last
// group that reads it.
int GpuCodeBuilder::NewValue(const Value& v) {
  auto target = target_.find(v);
  if (target != target_.end()) return register_[v] = target->second->reg;
  Shape shape = v.shape().ToShape();
  int64_t offset = TakeArena(shape.num_elements() * DTypeSize(v.dtype()));
  taken_.back().until = std::max(now_, LastRead(v));
  return register_[v] = AddRegister(
             Register::Dense(GpuPlace::kArena, 0, offset, v.dtype(), shape));
}

void GpuCodeBuilder::ReleaseDead() {
  std::erase_if(taken_, [&](const Taken& taken) {
    if (taken.until > now_) return false;
    planner_.Release(taken.offset, taken.bytes);
    return true;
  });
}

Result<int> GpuCodeBuilder::ConstantRegister(const Array& value,
                                             bool for_host) {
  Array constant = value;
  if (!for_host) {
    SL_ASSIGN_OR_RETURN(constant, CopyTo(value, *program_.device));
    // Launches read it directly, without synchronizing each time.
    BeforeRead(program_.device->stream(), constant);
  }
  program_.constants.push_back(constant);
  return AddRegister(Register::Dense(
      GpuPlace::kConstant, static_cast<int>(program_.constants.size()) - 1, 0,
      constant.dtype(), constant.shape()));
}

Result<int> GpuCodeBuilder::Read(const Value& v) {
  auto it = register_.find(v);
  if (it != register_.end()) return it->second;
  if (const Array* constant = ConstantValue(v)) {
    SL_ASSIGN_OR_RETURN(int r, ConstantRegister(*constant, false));
    return register_[v] = r;
  }
  program_.inputs.push_back(v);
  return register_[v] = AddRegister(Register::Dense(
             GpuPlace::kInput, static_cast<int>(program_.inputs.size()) - 1, 0,
             v.dtype(), v.shape().ToShape()));
}

// The same in row-major order, copied if necessary.
Result<int> GpuCodeBuilder::ReadDense(const Node& node, const Value& v) {
  SL_ASSIGN_OR_RETURN(int r, Read(v));
  if (At(r).contiguous()) return r;
  auto known = rows_.find(v);
  if (known != rows_.end()) return known->second;
  rows_[v] = Copied(node, r);
  taken_.back().until = std::max(now_, LastRead(v));
  return rows_[v];
}

int GpuCodeBuilder::Copied(const Node& node, int r) {
  Register from = At(r);
  int64_t offset = TakeArena(from.bytes());
  int to = AddRegister(
      Register::Dense(GpuPlace::kArena, 0, offset, from.dtype, from.shape));
  code_.push_back(Copy(node, r, to));
  return to;
}

// A number that the host passes with each run; nothing is passed for a number
// that is a constant.
Status GpuCodeBuilder::EmitUpload(Node& node) {
  const Value& v = node.input(0);
  auto known = register_.find(v);
  if (known != register_.end()) return Show(node, known->second);
  return Show(node, AddNumber(v));
}

Status GpuCodeBuilder::EmitList(Node& node) {
  ListPlace list = list_.at(node.input(0));
  GpuInstruction instr;
  instr.node = &node;
  instr.live = list_live_;
  instr.label = StrCat(node.op().name, " \"", node.name(), "\"");
  if (RoleOf(node) == Role::kListAppend) {
    SL_ASSIGN_OR_RETURN(int x, ReadDense(node, node.input(1)));
    if (!code_.empty() && code_.back().code == GpuInstruction::Code::kAppend) {
      code_.back().in.push_back(x);
      code_.back().out.push_back(list.reg);
      StrAppend(code_.back().label, ", ", instr.label);
      return OkStatus();
    }
    instr.code = GpuInstruction::Code::kAppend;
    instr.in = {x};
    instr.out = {list.reg};
    code_.push_back(std::move(instr));
    return OkStatus();
  }
  instr.number = static_cast<int>(program_.list_nodes.size());
  program_.list_nodes.push_back(&node);
  SL_ASSIGN_OR_RETURN(int index, ReadDense(node, node.input(1)));
  if (RoleOf(node) == Role::kListGet) {
    instr.code = GpuInstruction::Code::kGet;
    instr.in = {index, list.reg};
    instr.out = {NewValue(node.output(0))};
  } else {
    SL_ASSIGN_OR_RETURN(int x, ReadDense(node, node.input(2)));
    instr.code = GpuInstruction::Code::kSet;
    instr.in = {index, x};
    instr.out = {list.reg, list.marks};
  }
  code_.push_back(std::move(instr));
  return OkStatus();
}

Status GpuCodeBuilder::EmitKernel(Node& node) {
  GpuInstruction instr;
  instr.node = &node;
  const Kernel& kernel = node.op().kernel(DeviceKind::kCuda);
  GpuProgram::HostKey key{&node, 0};
  auto count = static_cast<size_t>(node.num_inputs());
  const ChannelsLast* last =
      TakesLast(node) ? SaidOfOps<ChannelsLast>::Find(node.op()) : nullptr;
  auto seen = [&](int r) { return last->as_rows ? AsRows(r) : r; };
  for (size_t i = 0; i < count; ++i) {
    const Value& v = node.input(static_cast<int>(i));
    int r = 0;
    if (last && (last->inputs >> i & 1)) {
      SL_ASSIGN_OR_RETURN(r, ReadLast(node, v));
      r = seen(r);
    } else if (node.op().shape_only) {
      // Its elements are never read.
      r = AddRegister(Register::Dense(GpuPlace::kArena, 0, 0, v.dtype(),
                                      v.shape().ToShape()));
    } else if (node.op().random && !ConstantValue(v) &&
               HostReads(node.op(), DeviceKind::kCuda, i, count)) {
      // The key derived from it is passed; the kernel does not read this input.
      key.told = static_cast<int>(i);
      key.input = AddList(v);
      SL_ASSIGN_OR_RETURN(
          r,
          ConstantRegister(Array::Zeros(v.dtype(), v.shape().ToShape()), true));
    } else if (HostReads(node.op(), DeviceKind::kCuda, i, count)) {
      SL_ASSIGN_OR_RETURN(r, ConstantRegister(*ConstantValue(v), true));
    } else if (kernel.strided_inputs) {
      SL_ASSIGN_OR_RETURN(r, Read(v));
    } else {
      SL_ASSIGN_OR_RETURN(r, ReadDense(node, v));
    }
    instr.in.push_back(r);
  }
  std::optional<Addition> addition = AdditionBehind(node);
  if (addition) {
    SL_ASSIGN_OR_RETURN(int r, Read(addition->other));
    instr.in.push_back(r);
    instr.out.push_back(NewValue(addition->sum->output(0)));
    taken_along_.insert(addition->group);
  }
  for (int i = 0; !addition && i < node.num_outputs(); ++i) {
    instr.out.push_back(last && (last->outputs >> i & 1)
                            ? seen(NewLast(node, i))
                            : NewValue(node.output(i)));
  }
  if (node.op().random) {
    instr.key = key.offset = NextNumber();
    program_.keys.push_back(key);
  }
  if (kernel.workspace) {
    int64_t bytes = kernel.workspace(NodeSizes(node).context());
    if (bytes > 0) instr.workspace = TakeArena(bytes);
  }
  instr.label = StrCat(node.op().name, " \"", node.name(), "\"",
                       last ? ", channels last" : "", addition ? ", Add" : "");
  code_.push_back(std::move(instr));
  return OkStatus();
}

// The offset and shape of a view follow from shapes and strides, so they are
// computed with an array whose elements are never read.
Status GpuCodeBuilder::EmitView(Node& node) {
  SL_ASSIGN_OR_RETURN(int r, Read(node.input(0)));
  for (int attempt = 0;; ++attempt) {
    Register from = At(r);
    auto* nowhere = reinterpret_cast<char*>(uintptr_t{1} << 40);
    std::vector<Array> in = {
        Array::Borrow(nowhere, from.dtype, from.shape, from.strides)};
    for (int i = 1; i < node.num_inputs(); ++i) {
      in.push_back(*ConstantValue(node.input(i)));
    }
    Array out;
    StepContext step;
    NodeInfo info{node.name(), node.line(), node.key()};
    KernelContext ctx(node.op(), node.attrs(), info, step, in, {&out, 1});
    if (node.op().view(ctx, &out)) {
      Register seen = from;
      seen.offset += static_cast<char*>(out.address()) - nowhere;
      seen.dtype = out.dtype();
      seen.shape = out.shape();
      seen.strides = out.strides();
      return Show(node, AddRegister(std::move(seen)));
    }
    if (attempt > 0) {
      return Internal(StrCat("no view of a row-major array: ", node.op().name,
                             " \"", node.name(), "\""));
    }
    r = Copied(node, r);
    taken_.back().until = std::max(now_, LastRead(node.output(0)));
  }
}

Status GpuCodeBuilder::Show(Node& node, int r) {
  Value v = node.output(0);
  if (!target_.count(v)) {
    register_[v] = r;
    return OkStatus();
  }
  code_.push_back(Copy(node, r, NewValue(v)));
  return OkStatus();
}

// Whether the loop reads that register element by element as it writes.
bool GpuCodeBuilder::ReadsFlatOnly(const GpuInstruction& instr, int reg) const {
  for (size_t i = 0; i < instr.in.size(); ++i) {
    const Register &a = At(instr.in[i]), &b = At(reg);
    bool same = a.place == b.place && a.index == b.index;
    if (same && a.place == GpuPlace::kArena) {
      same = a.offset < b.offset + b.bytes() && b.offset < a.offset + a.bytes();
    }
    if (!same) continue;
    bool one = At(reg).shape.num_elements() == 1;
    if (a.offset != b.offset ||
        (instr.access[i] != FusedAccess::kFlat && !one)) {
      return false;
    }
  }
  return true;
}

Status GpuCodeBuilder::EmitLoop(const FusedNodes& nodes) {
  GpuInstruction instr;
  instr.code = GpuInstruction::Code::kFused;
  instr.node = nodes.nodes.back();
  bool last = LoopsLast(nodes);
  instr.space = nodes.space;
  if (last) {
    const Shape& s = nodes.space;
    instr.space =
        *Shape::Make(std::array{s.dim(0), s.dim(2), s.dim(3), s.dim(1)});
  }
  GpuLoop loop;
  loop.nodes = nodes.nodes;
  std::unordered_set<const Node*> own(nodes.nodes.begin(), nodes.nodes.end());
  std::unordered_set<Value, ValueHash> seen;
  for (Node* node : nodes.nodes) {
    for (const Value& v : node->inputs()) {
      if (own.count(v.node) || !seen.insert(v).second) continue;
      const Array* constant = ConstantValue(v);
      if (constant && constant->num_elements() == 1 &&
          !GpuLiteral(*constant).empty()) {
        loop.inputs.push_back({v, FusedAccess::kLiteral});
        continue;
      }
      SL_ASSIGN_OR_RETURN(int r, Read(v));
      if (last && At(r).shape == nodes.space) {
        SL_ASSIGN_OR_RETURN(r, ReadLast(*node, v));
      }
      if (last) r = TurnedLast(r);
      FusedAccess access = AccessOf(At(r), instr.space);
      loop.inputs.push_back({v, access});
      instr.access.push_back(access);
      instr.in.push_back(r);
    }
  }
  std::string names;
  for (Node* node : nodes.nodes) {
    StrAppend(names, names.empty() ? "" : " ", node->op().name);
    Value v = node->output(0);
    auto target = target_.find(v);
    if (target == target_.end() &&
        (!last_read_.count(v) || LastRead(v) <= now_)) {
      continue;
    }
    if (target != target_.end() && target->second->direct >= 0 &&
        (!last_read_.count(target->second->direct_of) ||
         LastRead(target->second->direct_of) <= now_) &&
        ReadsFlatOnly(instr, target->second->direct)) {
      target->second->reg = target->second->direct;
      instr.live = target->second->live;
      loop.masked = instr.live >= 0;
    }
    loop.outputs.push_back(v);
    instr.out.push_back(last ? TurnedLast(NewLast(*node, 0)) : NewValue(v));
  }
  if (instr.out.empty()) return OkStatus();
  FindOverwrites(instr, loop.outputs);
  instr.source = instr.one_source = FusedSource(loop);
  instr.pack = FusedPack(loop);
  instr.label =
      StrCat("loop ", nodes.space, ": ", names, last ? ", channels last" : "");
  if (!JoinLoop(instr)) code_.push_back(std::move(instr));
  return OkStatus();
}

bool GpuCodeBuilder::MayOverwrite(const GpuInstruction& instr,
                                  size_t input) const {
  const Register& from = At(instr.in[input]);
  return from.place == GpuPlace::kInput && !overwritten_.count(from.index) &&
         instr.access[input] == FusedAccess::kFlat && from.offset == 0 &&
         LastRead(program_.inputs[static_cast<size_t>(from.index)]) <= now_ &&
         ReadsFlatOnly(instr, instr.in[input]);
}

// The next state of a value is usually computed from its current state first,
// so these two share memory before other pairs do, and state keeps its address.
void GpuCodeBuilder::FindOverwrites(const GpuInstruction& instr,
                                    const std::vector<Value>& outputs) {
  for (bool first_operand : {true, false}) {
    for (size_t k = 0; k < instr.in.size(); ++k) {
      if (!MayOverwrite(instr, k)) continue;
      const Register& from = At(instr.in[k]);
      const Value& input = program_.inputs[static_cast<size_t>(from.index)];
      for (size_t o = 0; o < instr.out.size(); ++o) {
        const Register& to = At(instr.out[o]);
        const Node& maker = *outputs[o].node;
        if (to.place != GpuPlace::kOutput || to.dtype != from.dtype ||
            !(to.shape == from.shape) || over_input_.count(to.index) ||
            (first_operand && !(maker.input(0) == input))) {
          continue;
        }
        over_input_[to.index] = from.index;
        overwritten_.insert(from.index);
        break;
      }
    }
  }
}

std::vector<int> GpuCodeBuilder::OverInputs(size_t num_outputs) const {
  std::vector<int> over(num_outputs, -1);
  for (const auto& [output, input] : over_input_) {
    over[static_cast<size_t>(output)] = input;
  }
  return over;
}

}  // namespace sluice
