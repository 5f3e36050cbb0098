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
  bool keep_ = false;
};

// Runs `code` on arguments of these types, its nodes going to the draft's next
// region. `what` is the name for messages: "while_loop".
CodeResult RecordRegion(RegionDraft& draft, std::string_view label,
                        const std::vector<ValueType>& args, const Code& code,
                        std::string_view what, std::source_location where);

// Thrown by a recursive call when what the function returns is not known yet:
// the path it is on says nothing about it. Caught where another path may.
struct UnknownResults {};

// Throws InvalidArgument "[what] message" with the line.
[[noreturn]] void Refuse(std::string_view what, std::string_view message,
                         std::source_location where);

}  // namespace sluice::front_internal
