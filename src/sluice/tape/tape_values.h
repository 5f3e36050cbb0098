// TapeValues: where every value of a tape lies, decided group after group while
// the tape is built: an input of the island, a constant, a stretch of the
// arena, an output of the island, or nowhere (a value that is computed inside a
// launch and never in memory). The arena is reused as soon as a value is dead.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/tape/fusion.h"
#include "sluice/tape/memory_planner.h"
#include "sluice/tape/tape.h"
#include "sluice/tape/tape_views.h"

namespace sluice {

class TapeValues {
 public:
  // Borrows all but the outputs. `groups` in the order they will be emitted.
  TapeValues(Tape& tape, const TapeViews& views,
             const std::vector<Node*>& nodes, const std::vector<Value>& outputs,
             const std::vector<FusionGroup>& groups);

  // Everything between belongs to group `now`.
  void BeginGroup(size_t now) { now_ = now; }
  void EndGroup();

  // The register of a value somebody reads: an input, a constant, or a value
  // made by an earlier instruction.
  int Read(const Value& v);
  // A place for a new value: an output of the island, the storage of an input
  // that dies here, or fresh arena.
  int Define(const Value& v, int reuse_storage = -1);
  // Where the value of another register lies.
  int DefineOver(const Value& v, int reg);
  int DefineView(const Node& node);
  // Has a type and no memory.
  int DefineNowhere(const Value& v);
  // A register like `reg`, contiguous, in arena that is free after this group.
  int DefineCopy(int reg);
  int64_t Temporary(int64_t bytes);

  bool IsOutput(const Value& v) const { return output_index_.count(v) > 0; }
  bool UsedOutside(const Value& v, size_t group) const;
  bool InGroup(const Node* node, size_t group) const;
  // The storage `v` lies in or looks into; -1 when that is not the arena.
  int StorageOf(const Value& v) const;
  // The storage of an input that dies in this group and may be overwritten by
  // an output of the same number of bytes; -1 when there is none.
  int Reusable(const Value& in, const Value& out) const;
  // The input of the island that `in` is all of, that nothing reads after this
  // group and that has the type of `out`; -1 when there is none.
  int InputOver(const Value& in, const Value& out) const;
  int64_t arena_bytes() const { return planner_.total(); }

 private:
  // A stretch of arena several registers may look into.
  struct Storage {
    int64_t offset, bytes;
    size_t last_use;
    bool released = false;
  };

  int NewRegister(Tape::Register reg);
  Tape::Register Contiguous(const Value& v) const;
  size_t LastUse(const Value& v) const;
  bool Reads(const Node& node, const Value& v) const;

  Tape& tape_;
  const TapeViews& views_;
  std::unordered_set<const Node*> inside_;
  std::unordered_map<Value, int, ValueHash> output_index_;
  std::unordered_map<const Node*, size_t> group_of_;
  std::unordered_map<Value, size_t, ValueHash> last_use_;
  // What nodes of many inputs read, once somebody has asked.
  mutable std::unordered_map<const Node*, std::unordered_set<Value, ValueHash>>
      wide_;
  std::unordered_map<Value, int, ValueHash> register_, storage_;
  std::vector<Storage> storages_;
  std::unordered_map<size_t, std::vector<int>> expiring_;
  MemoryPlanner planner_;
  size_t now_ = 0;
};

}  // namespace sluice
