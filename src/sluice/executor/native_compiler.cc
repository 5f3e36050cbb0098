#include "sluice/executor/native_compiler.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/executor/fusion.h"
#include "sluice/executor/native_emitter.h"
#include "sluice/executor/native_liveness.h"
#include "sluice/executor/native_schedule.h"
#include "sluice/executor/tape_builder.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/traverse.h"

namespace sluice {

namespace {

Value OutputOf(const Node& node, int i) {
  return {const_cast<Node*>(&node), i};
}

// Functions are given numbers as calls of them are met; whoever drives the
// compilation writes them afterwards.
class Procedures {
 public:
  int32_t Of(const Node& function) {
    auto [it, fresh] = numbers_.emplace(
        &function, static_cast<int32_t>(functions_.size()) + 1);
    if (fresh) functions_.push_back(&function);
    return it->second;
  }
  const std::vector<const Node*>& functions() const { return functions_; }

 private:
  std::unordered_map<const Node*, int32_t> numbers_;
  std::vector<const Node*> functions_;
};

class ProcedureCompiler {
 public:
  ProcedureCompiler(NativeProgram& program, NativeProcedure& procedure,
                    const NativeValues& values, Procedures& procedures,
                    bool fuse)
      : procedure_(procedure),
        values_(values),
        procedures_(procedures),
        fuse_(fuse),
        emit_(program, procedure, values) {}

  // The node itself: its inputs are in the first registers.
  Status CompileNode(const Node& node) {
    procedure_.name = StrCat(node.op().name, " \"", node.name(), "\"");
    for (const Value& v : values_.inputs()) emit_.Define(v);
    for (const Value& v : values_.inputs()) emit_.Made(v);
    SL_RETURN_IF_ERROR(CompileAlone(node, ""));
    for (int i = 0; i < node.num_outputs(); ++i) {
      procedure_.register_results.push_back(emit_.Operand(OutputOf(node, i)));
    }
    emit_.Emit(Do::kReturn);
    return OkStatus();
  }

  // A function: calls put arguments and captures where this says.
  Status CompileFunction(const Node& function) {
    const Region& body = *function.regions()[0];
    procedure_.name = StrCat("function \"", function.name(), "\"");
    std::vector<Value> given;
    for (int i = 0; i < body.num_args(); ++i) given.push_back(body.arg(i));
    const std::vector<Value>& captures = values_.captures(function);
    given.insert(given.end(), captures.begin(), captures.end());
    // The same numbers as in EmitCall: cells from 1, registers from 0.
    for (const Value& v : given) {
      if (IsCellType(v)) emit_.BindCell(v, emit_.NewCell());
    }
    for (const Value& v : given) {
      if (!IsCellType(v)) emit_.Define(v);
    }
    for (const Value& v : given) {
      if (!IsCellType(v)) emit_.Made(v);
    }
    SL_RETURN_IF_ERROR(CompileRegion(body));
    for (const Value& v : body.results()) {
      if (IsCellType(v)) {
        procedure_.cell_results.push_back(emit_.Cell(v));
      } else {
        procedure_.register_results.push_back(emit_.Operand(v));
      }
    }
    emit_.Emit(Do::kReturn);
    return OkStatus();
  }

 private:
  Status CompileRegion(const Region& region) {
    for (const NativeStretch& s : ScheduleNative(region, values_, fuse_)) {
      SL_RETURN_IF_ERROR(CompileStretch(s));
    }
    return OkStatus();
  }

  Status CompileStretch(const NativeStretch& stretch) {
    if (stretch.tape()) return EmitTape(stretch.nodes);
    return CompileAlone(*stretch.nodes[0], stretch.why);
  }

  Status CompileAlone(const Node& node, const std::string& why) {
    switch (node.op().flow) {
      case Flow::kBranch:
        return EmitBranch(node);
      case Flow::kLoop:
        return EmitLoop(node);
      case Flow::kCall:
        return EmitCall(node);
      default:
        break;
    }
    if (values_.renames_cell(node)) {
      emit_.BindCell(OutputOf(node, 0), emit_.Cell(node.input(0)));
    } else if (values_.computed_in_cell(node)) {
      Value v = OutputOf(node, 0);
      auto over = over_.find(v);
      int32_t cell = over != over_.end() ? over->second : emit_.NewCell();
      emit_.EmitBlock(node, cell);
      emit_.BindCell(v, cell);
    } else {
      EmitLaunch(node, why);
    }
    return OkStatus();
  }

  void EmitLaunch(const Node& node, const std::string& why) {
    NativeLaunch launch;
    launch.tag = emit_.tag;
    launch.why = why;
    launch.plan.node = launch.info.node = &node;
    launch.plan.op = &node.op();
    launch.plan.num_inputs = static_cast<uint16_t>(node.num_inputs());
    launch.plan.num_outputs = static_cast<uint16_t>(node.num_outputs());
    launch.info.info = {node.name(), node.line(), node.key()};
    for (const Value& v : node.inputs()) launch.in.push_back(emit_.Operand(v));
    for (int i = 0; i < node.num_outputs(); ++i) {
      launch.info.out_dtypes.push_back(node.output_type(i).dtype);
      launch.out.push_back(emit_.Define(OutputOf(node, i)));
    }
    launch.info.block = SelectBlock(node);
    if (node.op().async() || node.op().flow != Flow::kNone) {
      launch.kind = NativeLaunch::Kind::kWait;
    } else if (launch.info.block.fn) {
      launch.kind = NativeLaunch::Kind::kElementwise;
    }
    emit_.Emit(Do::kLaunch, 0,
               static_cast<int32_t>(procedure_.launches.size()));
    procedure_.launches.push_back(std::move(launch));
    for (int i = 0; i < node.num_outputs(); ++i) emit_.Made(OutputOf(node, i));
  }

  Status EmitTape(const std::vector<Node*>& nodes) {
    std::unordered_set<const Node*> inside(nodes.begin(), nodes.end());
    auto read_outside = [&](const Value& v) {
      if (values_.is_result(v)) return true;
      for (Node* user : v.node->users()) {
        if (inside.count(user)) continue;
        auto in = user->inputs();
        if (std::find(in.begin(), in.end(), v) != in.end()) return true;
      }
      return false;
    };
    std::vector<Value> outputs;
    for (Node* node : nodes) {
      for (int i = 0; i < node->num_outputs(); ++i) {
        if (read_outside(node->output(i))) outputs.push_back(node->output(i));
      }
    }
    if (outputs.empty()) {
      for (Node* node : nodes) EmitLaunch(*node, "nobody reads it");
      return OkStatus();
    }
    NativeTape part;
    part.tag = emit_.tag;
    SL_ASSIGN_OR_RETURN(part.tape, BuildTape(nodes, outputs, TapeOptions()));
    for (const Value& v : part.tape->inputs()) {
      part.in.push_back(emit_.Operand(v));
      part.in_shapes.push_back(v.shape().ToShape());
    }
    for (const Value& v : outputs) part.out.push_back(emit_.Define(v));
    emit_.Emit(Do::kTape, 0, static_cast<int32_t>(procedure_.tapes.size()));
    procedure_.tapes.push_back(std::move(part));
    for (const Value& v : outputs) emit_.Made(v);
    return OkStatus();
  }

  Status EmitBranch(const Node& node) {
    auto choice = static_cast<int32_t>(procedure_.choices.size());
    procedure_.choices.push_back({&node, {}});
    bool cell = values_.scalar(node.input(0));
    bool two = node.input(0).dtype() == DType::kBool;
    int32_t chooser =
        cell ? emit_.Cell(node.input(0)) : emit_.Operand(node.input(0)).index;
    int32_t jump = emit_.pc();
    emit_.Emit(cell ? (two ? Do::kUnless : Do::kChoose) : Do::kChooseArray, 0,
               chooser, choice);
    std::vector<int32_t> to(static_cast<size_t>(node.num_outputs()));
    for (int i = 0; i < node.num_outputs(); ++i) {
      to[static_cast<size_t>(i)] =
          ResultInCell(node, i) ? emit_.NewCell() : emit_.NewRegister();
    }
    std::vector<int32_t> ends;
    for (size_t r = 0; r < node.regions().size(); ++r) {
      const Region& region = *node.regions()[r];
      if (cell && two && r == 1) emit_.LeadHere(jump);
      procedure_.choices[static_cast<size_t>(choice)].targets.push_back(
          emit_.pc());
      SL_RETURN_IF_ERROR(CompileRegion(region));
      std::vector<std::pair<int32_t, int32_t>> cells;
      std::vector<std::pair<int32_t, NativeOperand>> registers;
      for (int i = 0; i < node.num_outputs(); ++i) {
        auto k = static_cast<size_t>(i);
        if (ResultInCell(node, i)) {
          cells.emplace_back(to[k], emit_.Cell(region.results()[k]));
        } else {
          registers.emplace_back(to[k], emit_.Operand(region.results()[k]));
        }
      }
      emit_.MoveCells(std::move(cells));
      emit_.MoveRegisters(std::move(registers));
      if (r + 1 < node.regions().size()) {
        ends.push_back(emit_.pc());
        emit_.Emit(Do::kJump);
      }
    }
    for (int32_t end : ends) emit_.LeadHere(end);
    for (int i = 0; i < node.num_outputs(); ++i) {
      Value v = OutputOf(node, i);
      if (ResultInCell(node, i)) {
        emit_.BindCell(v, to[static_cast<size_t>(i)]);
      } else {
        emit_.BindRegister(v, to[static_cast<size_t>(i)]);
        emit_.Made(v);
      }
    }
    return OkStatus();
  }

  bool ResultInCell(const Node& branch, int i) const {
    for (const auto& region : branch.regions()) {
      if (!values_.scalar(region->results()[static_cast<size_t>(i)])) {
        return false;
      }
    }
    return true;
  }

  Status EmitLoop(const Node& node) {
    auto number = static_cast<int32_t>(procedure_.loops.size());
    NativeLoop loop;
    loop.node = &node;
    loop.around = emit_.loop;
    loop.counter = emit_.NewCell();
    loop.maximum = node.attrs().get<int64_t>("maximum");
    procedure_.loops.push_back(loop);
    const Region &cond = *node.regions()[0], &body = *node.regions()[1];
    auto n = static_cast<size_t>(node.num_inputs());
    std::vector<int32_t> carried(n);
    std::vector<bool> in_cell(n);
    for (size_t i = 0; i < n; ++i) {
      in_cell[i] = values_.carried_in_cell(node, i);
      carried[i] = in_cell[i] ? emit_.NewCell() : emit_.NewRegister();
    }
    auto move_all = [&](std::span<const Value> from) {
      std::vector<std::pair<int32_t, int32_t>> cells;
      std::vector<std::pair<int32_t, NativeOperand>> registers;
      for (size_t i = 0; i < n; ++i) {
        if (in_cell[i]) {
          cells.emplace_back(carried[i], emit_.Cell(from[i]));
        } else {
          registers.emplace_back(carried[i], emit_.Operand(from[i]));
        }
      }
      emit_.MoveCells(std::move(cells));
      emit_.MoveRegisters(std::move(registers));
    };
    move_all(node.inputs());
    if (zero_ < 0) zero_ = emit_.ConstantCell(Array::Scalar<int64_t>(0));
    emit_.Emit(Do::kMoveCell, loop.counter, zero_);

    int32_t outer_tag = emit_.tag, top = emit_.pc();
    emit_.loop = number;
    // What an argument is in both regions.
    auto bind = [&](const Region& region) {
      for (size_t i = 0; i < n; ++i) {
        Value arg = region.arg(static_cast<int>(i));
        if (in_cell[i]) {
          emit_.BindCell(arg, carried[i]);
        } else {
          emit_.BindRegister(arg, carried[i]);
          emit_.Made(arg);
        }
      }
    };
    int32_t most = -1;
    if (loop.maximum >= 0) {
      most = emit_.pc();
      emit_.Emit(Do::kAtMost, 0, loop.counter, number);
    }
    if (values_.random()) {
      emit_.tag = emit_.NewCell();
      emit_.Emit(Do::kTag, emit_.tag, outer_tag, number);
    }
    bind(cond);
    SL_RETURN_IF_ERROR(CompileRegion(cond));
    const Value& pred = cond.results()[0];
    bool pred_in_cell = values_.scalar(pred) && pred.dtype() == DType::kBool;
    int32_t asked = pred_in_cell ? emit_.Cell(pred) : emit_.Operand(pred).index;
    int32_t leave = emit_.pc();
    emit_.Emit(pred_in_cell ? Do::kUnless : Do::kUnlessArray, 0, asked, number);
    bind(body);
    SL_RETURN_IF_ERROR(CompileBody(body, carried, in_cell));
    move_all(body.results());
    emit_.Emit(Do::kBack, top, loop.counter, number);
    emit_.loop = loop.around;
    emit_.tag = outer_tag;
    emit_.LeadHere(leave);
    if (most >= 0) emit_.LeadHere(most);
    for (size_t i = 0; i < n; ++i) {
      Value v = OutputOf(node, static_cast<int>(i));
      if (in_cell[i]) {
        emit_.BindCell(v, carried[i]);
      } else {
        emit_.BindRegister(v, carried[i]);
        emit_.Made(v);
      }
    }
    return OkStatus();
  }

  // A body, whose cells of the next iteration are computed straight over those
  // of this one where nobody reads these any more.
  Status CompileBody(const Region& body, const std::vector<int32_t>& carried,
                     const std::vector<bool>& in_cell) {
    std::vector<NativeStretch> schedule = ScheduleNative(body, values_, fuse_);
    std::unordered_map<Value, size_t, ValueHash> last_read;
    std::unordered_map<const Node*, size_t> made_at;
    for (size_t p = 0; p < schedule.size(); ++p) {
      for (Node* node : schedule[p].nodes) {
        made_at[node] = p;
        for (const Value& v : InputsWithCaptures(*node)) {
          last_read[Renamed(v)] = p;
        }
      }
    }
    std::unordered_map<Value, int, ValueHash> times;
    for (const Value& v : body.results()) ++times[Renamed(v)];
    for (size_t i = 0; i < carried.size(); ++i) {
      const Value& next = body.results()[i];
      Value arg = body.arg(static_cast<int>(i));
      auto made = made_at.find(next.node);
      if (!in_cell[i] || times[next] != 1 || times[arg] != 0 ||
          made == made_at.end() || !values_.computed_in_cell(*next.node)) {
        continue;
      }
      auto read = last_read.find(arg);
      if (read != last_read.end() && read->second > made->second) continue;
      over_[next] = carried[i];
    }
    for (const NativeStretch& s : schedule) {
      SL_RETURN_IF_ERROR(CompileStretch(s));
    }
    return OkStatus();
  }

  // The value whose cell it shares.
  Value Renamed(Value v) const {
    while (!v.node->is_args() && values_.renames_cell(*v.node)) {
      v = v.node->input(0);
    }
    return v;
  }

  Status EmitCall(const Node& node) {
    const Node& function = *node.input(0).node;
    const Region& body = *function.regions()[0];
    NativeCall call;
    call.node = &node;
    call.procedure = procedures_.Of(function);
    call.tag = emit_.tag;
    std::vector<std::pair<Value, Value>> given;  // theirs, ours
    for (int i = 0; i < body.num_args(); ++i) {
      given.emplace_back(body.arg(i), node.input(i + 1));
    }
    for (const Value& v : values_.captures(function)) given.emplace_back(v, v);
    int32_t cell = kTagCell + 1, reg = 0;
    for (const auto& [theirs, ours] : given) {
      if (IsCellType(theirs)) {
        call.cells.push_back({CellFor(ours), cell++});
      } else {
        call.registers.push_back({emit_.Operand(ours), reg++});
      }
    }
    std::vector<bool> in_cell;
    for (int i = 0; i < node.num_outputs(); ++i) {
      Value v = OutputOf(node, i);
      in_cell.push_back(IsCellType(body.results()[static_cast<size_t>(i)]));
      if (in_cell.back()) {
        int32_t to = emit_.NewCell();
        emit_.BindCell(v, to);
        call.cell_results.push_back(to);
      } else {
        call.register_results.push_back(emit_.Define(v));
      }
    }
    emit_.Emit(Do::kCall, 0, static_cast<int32_t>(procedure_.calls.size()));
    procedure_.calls.push_back(std::move(call));
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (!in_cell[static_cast<size_t>(i)]) emit_.Made(OutputOf(node, i));
    }
    return OkStatus();
  }

  // A cell with the value, which must turn out to be a single element.
  int32_t CellFor(const Value& v) {
    if (values_.scalar(v)) return emit_.Cell(v);
    int32_t cell = emit_.NewCell();
    NativeOperand from = emit_.Operand(v);
    emit_.Emit(Do::kUnbox, cell, from.index).dtype = v.dtype();
    return cell;
  }

  NativeProcedure& procedure_;
  const NativeValues& values_;
  Procedures& procedures_;
  const bool fuse_;
  NativeEmitter emit_;
  int32_t zero_ = -1;
  // Cells that results of a body are computed into.
  std::unordered_map<Value, int32_t, ValueHash> over_;
};

}  // namespace

Result<std::unique_ptr<NativeProgram>> CompileNative(const Node& node,
                                                     const NativeValues& values,
                                                     bool fuse) {
  auto program = std::make_unique<NativeProgram>();
  Procedures procedures;
  auto compile = [&](auto&& write) {
    program->procedures.push_back(std::make_unique<NativeProcedure>());
    NativeProcedure& procedure = *program->procedures.back();
    ProcedureCompiler compiler(*program, procedure, values, procedures, fuse);
    Status status = write(compiler);
    if (status.ok()) EmptyDeadRegisters(procedure);
    return status;
  };
  SL_RETURN_IF_ERROR(
      compile([&](ProcedureCompiler& c) { return c.CompileNode(node); }));
  for (size_t f = 0; f < procedures.functions().size(); ++f) {
    const Node& function = *procedures.functions()[f];
    SL_RETURN_IF_ERROR(compile(
        [&](ProcedureCompiler& c) { return c.CompileFunction(function); }));
  }
  for (const auto& procedure : program->procedures) {
    for (const NativeLaunch& l : procedure->launches) {
      program->max_operands =
          std::max(program->max_operands, l.in.size() + l.out.size());
    }
    for (const NativeTape& t : procedure->tapes) {
      program->max_operands =
          std::max(program->max_operands, t.in.size() + t.out.size());
    }
  }
  return program;
}

}  // namespace sluice
