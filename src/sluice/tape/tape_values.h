// TapeValues: assigns a location to every value of a tape, group by group: an
// input of the island, a constant, a range of the arena, an output of the
// island, or nowhere (a value computed inside a launch and never stored). Arena
// memory is reused as soon as a value is dead.
//
// Lives while a tape is built; used by one thread.
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
  // Borrows all arguments except `outputs`. `groups` is in emission order.
  TapeValues(Tape& tape, const TapeViews& views,
             const std::vector<Node*>& nodes, const std::vector<Value>& outputs,
             const std::vector<FusionGroup>& groups);

  // All calls until EndGroup belong to group `now`.
  void BeginGroup(size_t now) { now_ = now; }
  void EndGroup();

  // The register of a value that is read: an input, a constant, or the result
  // of an earlier instruction.
  int Read(const Value& v);
  // A location for a new value: an output of the island, the storage of an
  // input that dies here, or new arena memory.
  int Define(const Value& v, int reuse_storage = -1);
  // Puts `v` at the location of register `reg`.
  int DefineOver(const Value& v, int reg);
  int DefineView(const Node& node);
  // A register with a type but no memory.
  int DefineNowhere(const Value& v);
  // A contiguous register like `reg`, in arena memory that is free again after
  // this group.
  int DefineCopy(int reg);
  int64_t Temporary(int64_t bytes);

  bool IsOutput(const Value& v) const { return output_index_.count(v) > 0; }
  bool UsedOutside(const Value& v, size_t group) const;
  bool InGroup(const Node* node, size_t group) const;
  // The storage that contains `v`; -1 if it is not in the arena.
  int StorageOf(const Value& v) const;
  // The storage of an input that dies in this group and has as many bytes as
  // `out`, which may overwrite it; -1 if there is none.
  int Reusable(const Value& in, const Value& out) const;
  // The island input that `in` covers entirely, if it has the type of `out` and
  // is not read after this group; else -1.
  int InputOver(const Value& in, const Value& out) const;
  int64_t arena_bytes() const { return planner_.total(); }

 private:
  // A range of the arena that several registers may share.
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
  // The inputs of nodes with many inputs, filled on demand.
  mutable std::unordered_map<const Node*, std::unordered_set<Value, ValueHash>>
      wide_;
  std::unordered_map<Value, int, ValueHash> register_, storage_;
  std::vector<Storage> storages_;
  std::unordered_map<size_t, std::vector<int>> expiring_;
  MemoryPlanner planner_;
  size_t now_ = 0;
};

}  // namespace sluice
