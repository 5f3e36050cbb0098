// RegionDraft: a node with regions while user code is recorded into them. Taken
// back when the code throws: nobody has seen it. Lives on the stack of whoever
// records.
#pragma once

#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/front/operand.h"
#include "sluice/front/record_region.h"
#include "sluice/graph/value.h"
#include "sluice/op/attr.h"

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

// A tensor of the program around a captured function, by its place among the
// Capture's entries, and what it is at some point of a region.
struct Written {
  size_t entry;
  Value value;
};

struct RegionRequest {
  std::string_view label;
  std::vector<ValueType> args;
  const Code& code;
  std::string_view what;  // for messages: "while_loop"
  std::source_location where;
  // Captured tensors that are arguments, too, after the others: a loop carries
  // what its body writes.
  std::span<const size_t> carried{};
};
struct RecordedRegion {
  CodeResult code;
  Region* region = nullptr;
  std::vector<Written> written;  // what the code has made of captured tensors
};
// Runs the code, its nodes going to the draft's next region. What it writes to
// captured tensors is undone, for the node's results to take its place.
RecordedRegion RecordRegion(RegionDraft& draft, const RegionRequest& request);

// The value a captured tensor has now; and a new one.
Value CapturedNow(size_t entry);
void SetCaptured(size_t entry, Value now);

// Adds values to the results of a region.
void AddResults(Graph& graph, Region& region, const std::vector<Value>& more);
// Null when the code of that region has not written it.
const Written* Find(const std::vector<Written>& written, size_t entry);
// What any of the regions has written, in order.
std::vector<size_t> AllWritten(const std::vector<RecordedRegion>& regions);
std::vector<Tensor> OutputsOf(const Operation& op);

// Thrown by a recursive call when what the function returns is not known yet:
// the path it is on says nothing about it. Caught where another path may.
struct UnknownResults {};

// Throws InvalidArgument "[what] message" with the line.
[[noreturn]] void Refuse(std::string_view what, std::string_view message,
                         std::source_location where);

}  // namespace sluice::front_internal
