// GpuCodeBuilder: makes launches of a stretch of nodes: groups them into fused
// loops and kernels, gives every value a register, plans the arena.
//
// Used while a piece is built, by one thread. The program must outlive it.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/gpu/gpu_program.h"
#include "sluice/tape/fusion.h"
#include "sluice/tape/memory_planner.h"

namespace sluice {

// A value that is to be written to a register.
struct GpuTarget {
  Value value;
  int reg = -1;
  // Another register that does as well, if `direct_of`, which lies there, is
  // not read after the value is written; -1: none.
  int direct = -1;
  Value direct_of{};
  // A flag without which `direct` must keep what it has; -1: none.
  int live = -1;
};

class GpuCodeBuilder {
 public:
  GpuCodeBuilder(GpuProgram& program, bool fuse)
      : program_(program), fuse_(fuse) {}

  // Room for so many numbers of the host, at the arena's start: before anything
  // else.
  void ReserveNumbers(int64_t count);
  // An input that is a number of the host; its register.
  int AddNumber(const Value& v);
  int AddRegister(GpuRegister r);
  // An input that no launch reads: a list. Which one it is.
  size_t AddList(const Value& v);
  // Room in the arena for good.
  int64_t Reserve(int64_t bytes);
  // Of lists that are read, their table; of lists that are written, their room
  // and marks (-1: appended to). `live`: the flag without which nothing is.
  void PutList(const Value& list, int reg, int marks = -1) {
    list_[list] = {reg, marks};
  }
  void SetListFlag(int live) { list_live_ = live; }
  // The value lies there.
  void Put(const Value& v, int reg) { register_[v] = reg; }
  // Where a value that is read lies: an input, if it is nowhere yet.
  Result<int> Read(const Value& v);
  // From one register to another of its dtype and shape. Several at once, if
  // `live` holds.
  GpuInstruction Move(const Node& node, const std::vector<int>& from,
                      const std::vector<int>& to, int live = -1) const;
  GpuInstruction Copy(const Node& node, int from, int to) const;

  // `nodes`: in topological order. What the targets name and `nodes` make is
  // written where they say; `reg` becomes the register that was taken.
  Result<GpuCode> Emit(const std::vector<Node*>& nodes,
                       std::vector<GpuTarget>& targets);

  // For each of the program's outputs the input it may be written over, or -1:
  // one that is read for the last time by the loop that writes the output,
  // element by element as it is written.
  std::vector<int> OverInputs(size_t num_outputs) const;

 private:
  using Register = GpuRegister;

  void CutGroups();
  void FindLastReads(const std::vector<Node*>& nodes);
  size_t LastRead(const Value& v) const;
  const Register& At(int r) const {
    return program_.registers[static_cast<size_t>(r)];
  }
  int64_t TakeArena(int64_t bytes);
  int64_t NextNumber() const;  // its place in the arena
  int NewValue(const Value& v);
  // The same lying channels last, in the arena; a target gets a copy of it.
  int NewLast(Node& node, int output);
  void ReleaseDead();
  Result<int> ConstantRegister(const Array& value, bool for_host);
  Result<int> ReadDense(const Node& node, const Value& v);
  int Copied(const Node& node, int r);
  // Channels last (kernels/cuda/channels_last.h).
  bool TakesLast(const Node& node);
  bool LiesLast(int r) const;
  Result<int> ReadLast(const Node& node, const Value& v);
  int AsRows(int r);
  bool LoopsLast(const FusedNodes& nodes);
  int TurnedLast(int r);

  // A sum that a product makes on its way.
  struct Addition {
    Node* sum;
    Value other;
    size_t group;
  };
  void NumberGroups();
  std::optional<Addition> AdditionBehind(Node& product) const;

  // Sums of many products as one.
  void FindProductSums();
  std::vector<Node*> PartsOfSum(Node& root,
                                std::vector<const Node*>& sums) const;
  Result<int> Stacked(const Node& node, const std::vector<int>& parts);
  Status EmitProductSum(const std::vector<Node*>& parts);

  // Loops that one launch runs side by side.
  bool JoinLoop(const GpuInstruction& loop);
  bool Apart(const GpuInstruction& a, const GpuInstruction& b) const;
  bool Overlap(int a, int b) const;
  bool NextInSet() const;

  Status EmitUpload(Node& node);
  Status EmitKernel(Node& node);
  Status EmitView(Node& node);
  Status EmitLoop(const FusedNodes& nodes);
  Status EmitList(Node& node);
  // The value is what the register shows; a target gets a copy.
  Status Show(Node& node, int r);
  void FindOverwrites(const GpuInstruction& instr,
                      const std::vector<Value>& outputs);
  bool MayOverwrite(const GpuInstruction& instr, size_t input) const;
  bool ReadsFlatOnly(const GpuInstruction& instr, int reg) const;

  struct Taken {
    int64_t offset, bytes;
    size_t until;
  };

  GpuProgram& program_;
  const bool fuse_;
  MemoryPlanner planner_;
  std::unordered_map<Value, int, ValueHash> register_;
  struct ListPlace {
    int reg, marks;
  };
  std::unordered_map<Value, ListPlace, ValueHash> list_;
  int list_live_ = -1;
  // Of the stretch being emitted.
  std::vector<FusionGroup> groups_;
  std::vector<int> set_;  // by group (gather_loops.h)
  std::unordered_map<Value, GpuTarget*, ValueHash> target_;
  std::unordered_map<Value, size_t, ValueHash> last_read_;
  std::vector<Taken> taken_;
  std::unordered_map<const Node*, size_t> group_of_;
  std::unordered_set<size_t> taken_along_;  // groups that are done already
  // By the group of the sum; and for each group that is part of one, that.
  std::unordered_map<size_t, std::vector<Node*>> product_sums_;
  std::unordered_map<size_t, size_t> done_by_;
  // Copies of values: channels last, and row by row.
  std::unordered_map<Value, int, ValueHash> turned_, rows_;
  std::vector<GpuInstruction> after_;  // copies for targets, when it is made
  GpuCode code_;
  size_t now_ = 0;
  std::unordered_map<int, int> over_input_;  // by output
  std::unordered_set<int> overwritten_;      // inputs
};

}  // namespace sluice
