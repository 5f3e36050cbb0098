// Text and binary graphs truncated or altered byte by byte must give an error
// or a valid graph, never anything else. These tests are mainly useful under
// AddressSanitizer and UBSan.
#include <gtest/gtest.h>

#include "sluice/graph/binary_reader.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/graph/example_graphs_test_util.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"

namespace sluice {
namespace {

struct Tally {
  int errors = 0, graphs = 0;
};

void Judge(const Result<std::unique_ptr<Graph>>& graph, std::string_view input,
           Tally& tally) {
  if (!graph.ok()) {
    ++tally.errors;
    EXPECT_FALSE(graph.status().message().empty());
    return;
  }
  ++tally.graphs;
  Status whole = Verify(**graph);
  EXPECT_TRUE(whole.ok()) << whole.message() << "\nfrom " << input;
}

// Tries every prefix, and replaces every byte by others: by all 255 if `all` is
// set, otherwise by neighbouring values and bytes with a meaning in the format.
template <class Read>
Tally Alter(const std::string& input, bool all, Read read) {
  Tally tally;
  for (size_t n = 0; n < input.size(); ++n) {
    Judge(read(std::string_view(input).substr(0, n)), input.substr(0, n),
          tally);
  }
  std::string replacements;
  if (all) {
    for (int c = 0; c < 256; ++c) replacements += static_cast<char>(c);
  } else {
    replacements = std::string("\0\xff%({}[:,=\"\\ 9a", 15);
  }
  for (size_t i = 0; i < input.size(); ++i) {
    std::string altered = input;
    for (char c : replacements) {
      if (c == input[i]) continue;
      altered[i] = c;
      Judge(read(altered), altered, tally);
    }
    for (int bit = 0; bit < 8; ++bit) {
      altered[i] = static_cast<char>(input[i] ^ (1 << bit));
      Judge(read(altered), altered, tally);
    }
    altered.erase(i, 1);
    Judge(read(altered), altered, tally);
  }
  return tally;
}

constexpr std::string_view kExamples[] = {kSmallGraph, kLoopGraph, kAttrsGraph,
                                          kRawLoopGraph, kRecursionGraph};

Result<std::unique_ptr<Graph>> ReadAnyway(std::string_view bytes) {
  return ReadBinary(bytes, {.check_sum = false});
}

constexpr std::string_view kTiny =
    "graph t(%x: f32[2]) -> (%y) run %n { %n = TestNoOp() %c = Const [value = "
    "[1 2] : f32[2]] %y = Add(%x, %c) : f32[2] after %n on \"a\" @ \"f\":3 }";

TEST(AlteredText, TinyGraphByEveryByte) {
  Tally tally = Alter(std::string(kTiny), true, ParseGraph);
  EXPECT_GT(tally.errors, 1000);
  EXPECT_GT(tally.graphs, 100);
}

TEST(AlteredText, Examples) {
  for (std::string_view text : kExamples) {
    Tally tally = Alter(std::string(text), false, ParseGraph);
    EXPECT_GT(tally.errors, 1000);
    EXPECT_GT(tally.graphs, 100);
  }
}

TEST(AlteredBinary, TinyGraphByEveryByte) {
  std::string bytes = WriteBinary(**ParseGraph(kTiny));
  Tally tally = Alter(bytes, true, ReadAnyway);
  EXPECT_GT(tally.errors, 1000);
  EXPECT_GT(tally.graphs, 100);
}

TEST(AlteredBinary, Examples) {
  for (std::string_view text : kExamples) {
    std::string bytes = WriteBinary(**ParseGraph(text));
    Tally tally = Alter(bytes, false, ReadAnyway);
    EXPECT_GT(tally.errors, 1000);
    EXPECT_GT(tally.graphs, 100);
  }
}

// Several bytes at once, from a fixed seed.
TEST(AlteredBinary, ManyBytesAtOnce) {
  uint64_t state = 42;
  auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  };
  Tally tally;
  for (std::string_view text : kExamples) {
    std::string bytes = WriteBinary(**ParseGraph(text));
    for (int i = 0; i < 5000; ++i) {
      std::string altered = bytes;
      for (uint64_t k = next() % 6 + 1; k > 0; --k) {
        altered[next() % altered.size()] = static_cast<char>(next());
      }
      Judge(ReadAnyway(altered), altered, tally);
    }
  }
  EXPECT_GT(tally.errors, 1000);
}

}  // namespace
}  // namespace sluice
