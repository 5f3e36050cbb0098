// RegionDraft: a node with regions while user code is recorded into them.
// Removed when the code throws, before anybody has seen it. Lives on the stack
// of the function that records.
#pragma once

#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/eager/operand.h"
#include "sluice/graph/value.h"
#include "sluice/op/attr.h"
#include "sluice/trace/kept_values.h"
#include "sluice/trace/merged_flow.h"
#include "sluice/trace/record_region.h"

namespace sluice::front_internal {

class RegionDraft {
 public:
  RegionDraft(std::string_view op, std::span<const Operand> inputs,
              const Attrs& attrs, std::string_view name,
              std::source_location where);
  ~RegionDraft();
  RegionDraft(const RegionDraft&) = delete;
  RegionDraft& operator=(const RegionDraft&) = delete;

  Graph& graph() { return operation_.graph(); }
  Node& node() { return operation_.node(); }
  // It becomes part of the graph, below all its regions use.
  Operation Keep();

 private:
  Operation operation_;
  size_t variables_made_;
  bool keep_ = false;
};

// A tensor from outside of a region that code inside has written, while a
// function is recorded: what it is at the region's end, and whether gradients
// flow through that.
struct Written {
  EagerRef tensor;
  Value value;
  bool flows;
  bool recorded = false;  // calls inside have given it another history
  Value when{};           // and only in runs in which this holds
  bool given = false;     // it is an argument, and still that
  Reach reach{};          // where its gradient flows
};

struct RegionRequest {
  std::string_view label;
  std::vector<ValueType> args;
  const Code& code;
  std::string_view what;  // for messages: "while_loop"
  std::source_location where;
  // Whether gradients flow through each argument; missing ones: they do.
  std::vector<bool> flows{};
  // Whether each stands for a number of the user's program.
  std::vector<bool> numbers{};
  // Tensors that are arguments, too, after the others: a loop carries what its
  // body writes.
  struct Carried {
    EagerRef tensor;
    bool flows;
    bool told = false;  // only a run knows whether
  };
  std::span<const Carried> carried{};
  // What only a run knows of arguments, and of what is carried, is told by
  // arguments, too, after all others (trace/merged_flow.h).
  struct Told {
    size_t argument;  // which one, or which of those carried after them
    bool which;       // which tensor it is; else whether gradients flow
  };
  std::span<const Told> told{};
  // The shapes of the arguments in the call that is recorded, where they are
  // the same whenever the region runs.
  std::vector<PartialShape> now{};
  // What an argument may be, by argument: writing it writes that.
  std::vector<std::vector<TraceState::Perhaps>> perhaps{};
  // Arguments that may be one tensor, or looks into one.
  std::vector<std::pair<size_t, size_t>> alike{};
};
struct RecordedRegion {
  CodeResult code;
  std::vector<bool> flows;  // gradients flow through result i
  std::vector<Value> when;  // where set: and only in runs where this holds
  std::vector<WhichEntry> which;
  std::vector<Reach> reach;     // where gradients flow, by result
  std::vector<TapeKey> places;  // where they flow to arguments, and to carried
  std::vector<bool> numbers;    // it stands for a number
  std::vector<EagerRef> same;   // it is this tensor from outside, or null
  // Or it may be one of these, or look into it.
  std::vector<std::vector<TraceState::Perhaps>> perhaps;
  // Results that are one tensor here, or looks into one.
  struct Alike {
    size_t first, second;
    bool whole;
  };
  std::vector<Alike> alike;
  Region* region = nullptr;
  // What calls inside have kept of the memory of tensors outside.
  struct Kept {
    Ref<WriteLog> log;
    KeptValue what;
  };
  std::vector<Kept> kept;
  std::vector<Written> written;  // what the code has made of tensors outside
};
// Runs the code, its nodes going to the draft's next region. What it writes to
// tensors outside is undone, for the node's results to take its place.
RecordedRegion RecordRegion(RegionDraft& draft, const RegionRequest& request);

// Whether gradients flow through a tensor that is recorded.
bool Flows(const Tensor& tensor);
// Whether it stands for a number of the user's program, and from now on.
bool IsNumber(const Tensor& tensor);
void SetNumber(const Tensor& tensor);
// What regions have written becomes what the node gives for it.
void TakeWritten(const EagerRef& tensor, const Tensor& result, bool flows,
                 const std::vector<RecordedRegion>& regions,
                 std::source_location where);

// Adds values to the results of a region.
void AddResults(Graph& graph, Region& region, const std::vector<Value>& more);
// What is known as a value of the region.
Value KnownIn(Graph& graph, Region& region, const Array& known);
// Null when the code of that region has not written it.
const Written* Find(const std::vector<Written>& written,
                    const EagerRef& tensor);
// What any of the regions has written, in order.
std::vector<EagerRef> AllWritten(const std::vector<RecordedRegion>& regions);
std::vector<Tensor> OutputsOf(const Operation& op);
// What the regions' calls have kept is watched by the node they became: with
// all it gives, once what was written is known.
void WatchKept(const std::vector<Tensor>& outputs,
               const std::vector<RecordedRegion>& regions);
// A result of the node may be what result k of a region was.
void MayBeAs(EagerValue& result, const RecordedRegion& region, size_t k);
// Two tensors may be one: a write to either makes the other unknown.
void MayBeBoth(Capture& capture, const EagerRef& a, const EagerRef& b,
               TraceState::Perhaps::How how);
// Results of the node that are one tensor on some way: one on all, or they may
// be each other.
void MayBeEachOther(std::vector<Tensor>& outputs,
                    const std::vector<RecordedRegion>& regions);

// Thrown by a recursive call when what the function returns is not known yet:
// the path it is on says nothing about it. Caught where another path may.
struct UnknownResults {};

// Throws InvalidArgument "[what] message" with the line.
[[noreturn]] void Refuse(std::string_view what, std::string_view message,
                         std::source_location where);

}  // namespace sluice::front_internal
