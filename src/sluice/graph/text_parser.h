// ParseGraph: parses the graph's text form.
//
//   graph newton(%a: f32[], %x: f32[?,784]) -> (%root) run %init {
//     %zero = Const [value = 0 : i32[]]
//     %y = Add(%a, 1) : f32[] after %init on "/cpu:0" @ "model.cc":41
//     %parts = Split(%y) [num = 3]           // %parts, %parts:1, %parts:2
//     %steps, %root = While(%zero, %a) {     // %root names output 1
//       cond(%i: i32[], %z: f32[]) { %m = Abs(%z)  yield %m }
//       body(%i: i32[], %z: f32[]) run %log { ...  yield %i1, %z1 }
//     }
//   }
//
// A node may use only names defined above it, so no text describes a cycle.
// The exceptions are a Merge, which may read a NextIteration below it in its
// region, and a Function, which its own region may call; results and targets
// in a header name nodes inside. Types after a colon are checked against
// inference and may be more specific. A literal operand is a Const of the type
// that its op requires. `in "scope"` and `key 0x1f` after a node state facts
// that its name does not imply. Every node goes through Graph::Add, so a
// parsed graph is as valid as a built one.
//
// Errors read "graph text:LINE:COLUMN: ...". Any bytes are accepted as input.
#pragma once

#include <memory>
#include <string_view>

#include "sluice/graph/graph.h"
#include "sluice/graph/nesting.h"
#include "sluice/graph/node.h"

namespace sluice {

// Maximum nesting of regions; deeper text is refused.
inline constexpr int kMaxTextNesting = kMaxNesting;

Result<std::unique_ptr<Graph>> ParseGraph(std::string_view text);

// The scope implied by a name: "a/b" for "a/b/c". Shared with the printer.
std::string_view ImpliedScope(std::string_view name);

}  // namespace sluice
