// ExpectRewrite: a pass as text in, text out.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"

namespace sluice {

inline std::unique_ptr<Graph> ParseOrDie(std::string_view text) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().message() << "\n" << text;
  if (!graph.ok()) return std::make_unique<Graph>("broken");
  return std::move(*graph);
}

// Runs `pass` on the graph `in` and compares with the graph `out`. Also: the
// result is whole, "changed" is true exactly when the text changed, and the
// input graph was whole to begin with.
template <class Pass>
void ExpectRewrite(Pass pass, std::string_view in, std::string_view out) {
  std::unique_ptr<Graph> graph = ParseOrDie(in), want = ParseOrDie(out);
  ASSERT_TRUE(Verify(*graph).ok()) << Verify(*graph).message();
  PrintOptions plain{.types = true, .lines = false};
  std::string before = PrintGraph(*graph, plain);
  Result<bool> changed = pass(*graph);
  ASSERT_TRUE(changed.ok()) << changed.status().message();
  Status whole = Verify(*graph);
  EXPECT_TRUE(whole.ok()) << whole.message();
  std::string after = PrintGraph(*graph, plain);
  EXPECT_EQ(after, PrintGraph(*want, plain));
  EXPECT_EQ(*changed, before != after);
}

template <class Pass>
void ExpectUnchanged(Pass pass, std::string_view in) {
  ExpectRewrite(pass, in, in);
}

}  // namespace sluice
