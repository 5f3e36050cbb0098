// call: any op by its name; all other ways of calling ops are made of it.
//
//   auto parts = sl::call("Split", {x}, {{"num", 3}});
//
// The typed functions of <sluice/ops.h> do the same with one C++ function per
// op. Ops go to the graph of their operands, or that of the open GraphScope;
// without either they run at once.
// Throws sluice::Error when operands, attributes or shapes are wrong; the text
// names the op, the user's line and the operands. Thread safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/source_line.h"
#include "sluice/eager/operand.h"
#include "sluice/op/attr.h"

namespace sluice {

struct CallOptions {
  // Of the node, exactly; an error when it is taken. Empty: made from the
  // op's name.
  std::string name;
};

std::vector<Tensor> call(
    std::string_view op, OperandList inputs, const Attrs& attrs = {},
    const CallOptions& options = {},
    std::source_location where = std::source_location::current());

namespace front_internal {

// One node; everything ends up here. `hint`, when `name` is empty, is made
// unique.
struct NodeRequest {
  std::string_view op;
  std::span<const Operand> inputs{};
  const Attrs* attrs = nullptr;
  std::string_view name{}, hint{};
  SourceLine line{};
  Graph* graph = nullptr;  // null: from operands or scope
  bool without_controls = false;
};
Operation AddNode(const NodeRequest& request);

// True when a call on these runs now: no graph is open, none of them belongs
// to one.
bool RunsNow(const std::vector<Tensor>& tensors);

// The operand with its literal as that type, for inputs whose type is known to
// the caller rather than to the record. Throws when it is no such value.
Operand Typed(std::string_view op, const Operand& operand, DType dtype);

// For the generated functions: an op with no outputs, one, or several.
Operation CallOperation(std::string_view op, std::span<const Operand> inputs,
                        const Attrs& attrs, std::string_view name,
                        std::source_location where);
Tensor CallOne(std::string_view op, std::span<const Operand> inputs,
               const Attrs& attrs, std::string_view name,
               std::source_location where);
std::vector<Tensor> CallMany(std::string_view op,
                             std::span<const Operand> inputs,
                             const Attrs& attrs, std::string_view name,
                             std::source_location where);

}  // namespace front_internal

}  // namespace sluice
