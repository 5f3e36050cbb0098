// VmProcedureCompiler: emits the code of one procedure, node by node.
// Straight-line code is in procedure.cc, jumps are in control.cc.
//
// Lives while a procedure is compiled; used by one thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/vm/emitter.h"
#include "sluice/vm/program.h"
#include "sluice/vm/schedule.h"
#include "sluice/vm/values.h"

namespace sluice {

// Numbers functions when calls of them are found; the driver of the compilation
// emits their code later.
class BytecodeFunctions {
 public:
  int32_t NumberOf(const Node& function) {
    auto [it, fresh] =
        numbers_.emplace(&function, static_cast<int32_t>(list_.size()) + 1);
    if (fresh) list_.push_back(&function);
    return it->second;
  }
  const std::vector<const Node*>& list() const { return list_; }

 private:
  std::unordered_map<const Node*, int32_t> numbers_;
  std::vector<const Node*> list_;
};

class VmProcedureCompiler {
 public:
  // Borrows all arguments. `fuse`: sequences of known shapes become tapes.
  VmProcedureCompiler(VmProgram& program, VmProcedure& procedure,
                      const VmValues& values, BytecodeFunctions& functions,
                      bool fuse)
      : procedure_(procedure),
        values_(values),
        functions_(functions),
        fuse_(fuse),
        emit_(program, procedure, values) {}

  // Compiles the node itself: its inputs are in the first registers.
  Status CompileNode(const Node& node);
  // Compiles a function; callers put arguments and captures where it expects
  // them.
  Status CompileFunction(const Node& function);

 private:
  Status CompileRegion(const Region& region);
  Status CompileStretch(const VmStretch& stretch);
  Status CompileAlone(const Node& node, const std::string& why);
  void EmitLaunch(const Node& node, const std::string& why);
  Status EmitTape(const std::vector<Node*>& nodes);

  Status EmitBranch(const Node& node);
  Status EmitLoop(const Node& node);
  Status CompileBody(const Region& body, const std::vector<VmPlace>& carried);
  Status EmitCall(const Node& node);
  // A parallel move of values to places.
  void MoveAll(const std::vector<VmPlace>& to, std::span<const Value> from);
  // Makes this the place of the value.
  void Bind(const Value& v, const VmPlace& place);
  // Emits the op on the cells of its inputs.
  void EmitOnRows(const Node& node, const VmRows::How& how);
  // Whether result i of a branch is a single element in every region.
  bool ResultInCell(const Node& branch, int i) const;
  // The value whose cell it shares.
  Value Renamed(Value v) const;
  // A cell with the value, which must be a single element at run time.
  int32_t CellFor(const Value& v);

  VmProcedure& procedure_;
  const VmValues& values_;
  BytecodeFunctions& functions_;
  const bool fuse_;
  VmEmitter emit_;
  int32_t zero_ = -1;  // the cell of the constant 0
  // Cells into which the results of a body are computed.
  std::unordered_map<Value, int32_t, ValueHash> over_;
};

}  // namespace sluice
