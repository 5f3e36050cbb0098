// RegionDraft: a node with regions while user code is recorded into them. The
// node is removed when the code throws, before anything else has used it. Lives
// on the stack of the recording function.
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
  // Adds the node to the graph, after everything its regions use.
  Operation Keep();

 private:
  Operation operation_;
  size_t variables_made_;
  bool keep_ = false;
};

// A tensor from outside a region that code inside has written during a
// recording: its value at the region's end, and whether gradients flow through
// it.
struct Written {
  EagerRef tensor;
  Value value;
  bool flows;
  bool recorded = false;  // calls inside gave it another history
  Value when{};           // set: gradients flow only in runs with this
  bool given = false;     // it is an argument, unchanged
  Reach reach{};          // destinations of its gradient
};

struct RegionRequest {
  std::string_view label;
  std::vector<ValueType> args;
  const Code& code;
  std::string_view what;  // for messages: "while_loop"
  std::source_location where;
  // By argument: whether gradients flow through it; default: yes.
  std::vector<bool> flows{};
  // By argument: whether it represents a number of the user's program.
  std::vector<bool> numbers{};
  // Tensors that become extra arguments: a loop carries what its body writes.
  struct Carried {
    EagerRef tensor;
    bool flows;
    bool told = false;  // known only at run time
  };
  std::span<const Carried> carried{};
  // Properties of arguments, and of carried tensors, known only at run time
  // (trace/merged_flow.h). Each becomes one more argument, after all others.
  struct Told {
    size_t argument;  // its index, carried tensors included
    bool which;       // which tensor it is; else: whether gradients flow
  };
  std::span<const Told> told{};
  // The shapes of the arguments in the recorded call, if they are the same
  // whenever the region runs.
  std::vector<PartialShape> now{};
  // By argument: the tensors it may be; a write to it writes them.
  std::vector<std::vector<TraceState::Perhaps>> perhaps{};
  // Pairs of arguments that may be one tensor, or views of one.
  std::vector<std::pair<size_t, size_t>> alike{};
};
struct RecordedRegion {
  CodeResult code;
  std::vector<bool> flows;  // gradients flow through result i
  std::vector<Value> when;  // where set: only in runs in which this holds
  std::vector<WhichEntry> which;
  std::vector<Reach> reach;     // destinations of gradients, by result
  std::vector<TapeKey> places;  // destinations for arguments and carried
  std::vector<bool> numbers;    // it represents a number
  std::vector<EagerRef> same;   // it is this tensor from outside, or null
  // Or it may be one of these, or a view of it.
  std::vector<std::vector<TraceState::Perhaps>> perhaps;
  // Results that are one tensor here, or views of one.
  struct Alike {
    size_t first, second;
    bool whole;
  };
  std::vector<Alike> alike;
  Region* region = nullptr;
  // What calls inside keep of the memory of tensors outside.
  struct Kept {
    Ref<WriteLog> log;
    KeptValue what;
  };
  std::vector<Kept> kept;
  std::vector<Written> written;  // tensors outside that the code wrote
};
// Runs the code and adds its nodes to the draft's next region. Its writes to
// tensors outside are undone; the node's results replace them.
RecordedRegion RecordRegion(RegionDraft& draft, const RegionRequest& request);

// Whether gradients flow through a recorded tensor.
bool Flows(const Tensor& tensor);
// Whether a tensor represents a number of the user's program; SetNumber makes
// it do so.
bool IsNumber(const Tensor& tensor);
void SetNumber(const Tensor& tensor);
// Performs the regions' writes to `tensor` with the node's result for it.
void TakeWritten(const EagerRef& tensor, const Tensor& result, bool flows,
                 const std::vector<RecordedRegion>& regions,
                 std::source_location where);

// Adds values to the results of a region.
void AddResults(Graph& graph, Region& region, const std::vector<Value>& more);
// A known array as a constant of the region.
Value KnownIn(Graph& graph, Region& region, const Array& known);
// Null if the code of that region has not written it.
const Written* Find(const std::vector<Written>& written,
                    const EagerRef& tensor);
// The tensors that any of the regions has written, in order.
std::vector<EagerRef> AllWritten(const std::vector<RecordedRegion>& regions);
std::vector<Tensor> OutputsOf(const Operation& op);
// Makes the node watch what the regions' calls keep. `outputs`: all outputs of
// the node. Call once the written tensors are known.
void WatchKept(const std::vector<Tensor>& outputs,
               const std::vector<RecordedRegion>& regions);
// Notes that a result of the node may be whatever result k of a region was.
void MayBeAs(EagerValue& result, const RecordedRegion& region, size_t k);
// Notes that two tensors may be one: a write to either makes the other unknown.
void MayBeBoth(Capture& capture, const EagerRef& a, const EagerRef& b,
               TraceState::Perhaps::How how);
// Results of the node that are one tensor in some region: in all regions they
// become one, otherwise possible aliases.
void MayBeEachOther(std::vector<Tensor>& outputs,
                    const std::vector<RecordedRegion>& regions);

// Thrown by a recursive call while the function's return type is not yet known:
// the current path does not determine it. Caught where another path may.
struct UnknownResults {};

// Throws InvalidArgument "[what] message" with the line.
[[noreturn]] void Refuse(std::string_view what, std::string_view message,
                         std::source_location where);

}  // namespace sluice::front_internal
