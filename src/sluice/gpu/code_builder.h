// GpuCodeBuilder: generates launches for a sequence of nodes. It groups the
// nodes into fused loops and kernels, assigns a register to every value, and
// plans the arena.
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

// A value that must be written to a register.
struct GpuTarget {
  Value value;
  int reg = -1;
  // An alternative register, usable if `direct_of`, the value currently in it,
  // is not read after this value is written; -1: none.
  int direct = -1;
  Value direct_of{};
  // A flag: while it is unset, `direct` must keep its contents; -1: none.
  int live = -1;
};

class GpuCodeBuilder {
 public:
  GpuCodeBuilder(GpuProgram& program, bool fuse)
      : program_(program), fuse_(fuse) {}

  // Reserves space for host numbers at the start of the arena. Call first.
  void ReserveNumbers(int64_t count);
  // Adds an input that is a host number; returns its register.
  int AddNumber(const Value& v);
  int AddRegister(GpuRegister r);
  // Adds an input that no launch reads, such as a list. Returns its index.
  size_t AddList(const Value& v);
  // Reserves arena space that is never reused.
  int64_t Reserve(int64_t bytes);
  // Registers a list: its table of addresses if it is read; its storage and
  // marks if it is written (marks -1: by appending). `live`: a flag; nothing is
  // written while it is unset.
  void PutList(const Value& list, int reg, int marks = -1) {
    list_[list] = {reg, marks};
  }
  void SetListFlag(int live) { list_live_ = live; }
  // Registers where a value is.
  void Put(const Value& v, int reg) { register_[v] = reg; }
  // The register of a value that is read. A value without one becomes an input.
  Result<int> Read(const Value& v);
  // Copies registers to others of the same dtype and shape, in one launch, if
  // `live` holds.
  GpuInstruction Move(const Node& node, const std::vector<int>& from,
                      const std::vector<int>& to, int live = -1) const;
  GpuInstruction Copy(const Node& node, int from, int to) const;

  // `nodes`: in topological order. A target computed by `nodes` is written to
  // its register, and `reg` is set to the register used.
  Result<GpuCode> Emit(const std::vector<Node*>& nodes,
                       std::vector<GpuTarget>& targets);

  // For each output of the program, the input whose memory it may overwrite, or
  // -1. Such an input is last read by the loop that writes the output, element
  // by element as it is written.
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
  int64_t NextNumber() const;  // its index in the arena
  int NewValue(const Value& v);
  // The value with channels last, in the arena; a target gets a copy.
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

  // An addition that a product performs as it writes its result.
  struct Addition {
    Node* sum;
    Value other;
    size_t group;
  };
  void NumberGroups();
  std::optional<Addition> AdditionBehind(Node& product) const;

  // Combines sums of several products into one product.
  void FindProductSums();
  std::vector<Node*> PartsOfSum(Node& root,
                                std::vector<const Node*>& sums) const;
  Result<int> Stacked(const Node& node, const std::vector<int>& parts);
  Status EmitProductSum(const std::vector<Node*>& parts);

  // Loops that run concurrently in one launch.
  bool JoinLoop(const GpuInstruction& loop);
  bool Apart(const GpuInstruction& a, const GpuInstruction& b) const;
  bool Overlap(int a, int b) const;
  bool NextInSet() const;

  Status EmitUpload(Node& node);
  Status EmitKernel(Node& node);
  Status EmitView(Node& node);
  Status EmitLoop(const FusedNodes& nodes);
  Status EmitList(Node& node);
  // Makes the value the register's view; a target gets a copy.
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
  // State of the sequence being emitted.
  std::vector<FusionGroup> groups_;
  std::vector<int> set_;  // by group (gather_loops.h)
  std::unordered_map<Value, GpuTarget*, ValueHash> target_;
  std::unordered_map<Value, size_t, ValueHash> last_read_;
  std::vector<Taken> taken_;
  std::unordered_map<const Node*, size_t> group_of_;
  std::unordered_set<size_t> taken_along_;  // groups computed by another
  // By the group of the sum; and for each group that is part of a sum, that
  // sum.
  std::unordered_map<size_t, std::vector<Node*>> product_sums_;
  std::unordered_map<size_t, size_t> done_by_;
  // Copies of values: channels last, and row-major.
  std::unordered_map<Value, int, ValueHash> turned_, rows_;
  std::vector<GpuInstruction> after_;  // copies for targets, made afterwards
  GpuCode code_;
  size_t now_ = 0;
  std::unordered_map<int, int> over_input_;  // by output
  std::unordered_set<int> overwritten_;      // inputs
};

}  // namespace sluice
