// VmProcedureCompiler: writes the code of one procedure, node after node.
// Straight code is in procedure.cc, jumps in control.cc.
//
// Lives while a procedure is compiled; one thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/vm/emitter.h"
#include "sluice/vm/program.h"
#include "sluice/vm/schedule.h"
#include "sluice/vm/values.h"

namespace sluice {

// Functions are given numbers as calls of them are met; whoever drives the
// compilation writes them afterwards.
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
  // Borrows all of them. `fuse`: stretches of known shapes become tapes.
  VmProcedureCompiler(VmProgram& program, VmProcedure& procedure,
                      const VmValues& values, BytecodeFunctions& functions,
                      bool fuse)
      : procedure_(procedure),
        values_(values),
        functions_(functions),
        fuse_(fuse),
        emit_(program, procedure, values) {}

  // The node itself: its inputs are in the first registers.
  Status CompileNode(const Node& node);
  // A function: calls put arguments and captures where this expects them.
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
  // Values for the places of others, all at once.
  void MoveAll(const std::vector<VmPlace>& to, std::span<const Value> from);
  // The value lies there.
  void Bind(const Value& v, const VmPlace& place);
  // The op on the cells of its inputs.
  void EmitOnRows(const Node& node, const VmRows::How& how);
  // Whether result i of a branch is a single element whichever way it goes.
  bool ResultInCell(const Node& branch, int i) const;
  // The value whose cell it shares.
  Value Renamed(Value v) const;
  // A cell with the value, which must turn out to be a single element.
  int32_t CellFor(const Value& v);

  VmProcedure& procedure_;
  const VmValues& values_;
  BytecodeFunctions& functions_;
  const bool fuse_;
  VmEmitter emit_;
  int32_t zero_ = -1;  // the cell of the number 0
  // Cells that results of a body are computed into.
  std::unordered_map<Value, int32_t, ValueHash> over_;
};

}  // namespace sluice
