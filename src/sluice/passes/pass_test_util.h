// ExpectRewrite: tests a pass as text in, text out. ExpectSameMeaning: tests
// that a graph computes the same before and after a pass.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

// Runs `pass` on the graph `in` and compares the result with `out`. Also checks
// that both graphs verify, and that "changed" is true exactly if the text
// changed.
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

// The results of the reference interpreter, including errors, as text and
// bytes. Defined in meaning_test.cc: only tests may include folders beside
// passes.
std::vector<std::string> Meaning(const Graph& graph,
                                 const std::vector<Array>& args);

// Checks that the reference interpreter returns the same, including errors,
// before and after the pass, for each list of arguments.
template <class Pass>
void ExpectSameMeaning(Pass pass, std::string_view text,
                       const std::vector<std::vector<Array>>& runs) {
  std::unique_ptr<Graph> before = ParseOrDie(text), after = ParseOrDie(text);
  Result<bool> changed = pass(*after);
  ASSERT_TRUE(changed.ok()) << changed.status().message();
  EXPECT_TRUE(*changed) << text;
  Status whole = Verify(*after);
  ASSERT_TRUE(whole.ok()) << whole.message() << PrintGraph(*after);
  for (const std::vector<Array>& args : runs) {
    EXPECT_EQ(Meaning(*before, args), Meaning(*after, args))
        << PrintGraph(*after);
  }
}

}  // namespace sluice
