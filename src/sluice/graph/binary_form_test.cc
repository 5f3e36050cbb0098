// The binary form, written and read back.
#include <gtest/gtest.h>

#include "sluice/graph/binary_reader.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/graph/example_graphs_test_util.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"

namespace sluice {
namespace {

class BinaryForm : public testing::TestWithParam<std::string_view> {};

TEST_P(BinaryForm, ReadsBackAsTheSameGraph) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(GetParam());
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  std::string bytes = WriteBinary(**graph);
  Result<std::unique_ptr<Graph>> again = ReadBinary(bytes);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(PrintGraph(**again), PrintGraph(**graph));
  EXPECT_TRUE(Verify(**again).ok()) << Verify(**again).message();
  EXPECT_EQ(WriteBinary(**again), bytes);
  EXPECT_LT(bytes.size(), PrintGraph(**graph).size());
}

INSTANTIATE_TEST_SUITE_P(Examples, BinaryForm,
                         testing::Values(kSmallGraph, kLoopGraph, kAttrsGraph,
                                         kRawLoopGraph, kRecursionGraph));

TEST(BinaryFormErrors, EveryChangedByteIsNoticed) {
  std::string bytes = WriteBinary(**ParseGraph(kSmallGraph));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string altered = bytes;
    altered[i] = static_cast<char>(altered[i] ^ 0x10);
    EXPECT_FALSE(ReadBinary(altered).ok()) << "byte " << i;
    EXPECT_FALSE(ReadBinary(bytes.substr(0, i)).ok()) << "cut at " << i;
  }
  EXPECT_FALSE(ReadBinary(bytes + "x").ok());
}

std::string WithSum(std::string body) {
  uint64_t sum = BinaryChecksum(body);
  for (int i = 0; i < 8; ++i) body += static_cast<char>(sum >> (8 * i));
  return body;
}

TEST(BinaryFormErrors, MessagesSayWhatIsWrong) {
  auto message = [](std::string_view bytes) {
    Result<std::unique_ptr<Graph>> graph = ReadBinary(bytes);
    return graph.ok() ? "no error" : graph.status().message();
  };
  EXPECT_EQ(message(""), "graph bytes: only 0 bytes");
  EXPECT_EQ(message("hello, this is no graph"),
            "graph bytes: the checksum is wrong; the bytes were altered or cut "
            "short");
  EXPECT_EQ(message(WithSum("GRLS rest")),
            "graph bytes: not a stored graph; wanted them to begin with SLGR");
  EXPECT_EQ(message(WithSum("SLGR\x63")), "graph bytes: version 99; wanted 1");
  // A count of 2^35 strings in a few bytes allocates nothing.
  EXPECT_EQ(message(WithSum("SLGR\x01\xff\xff\xff\xff\x7f____")),
            "graph bytes at 10: a count is 34359738367 with 4 bytes left");
}

TEST(BinaryForm, KeepsTheFunctionOfALine) {
  Graph graph("g");
  NodeOptions options;
  options.line = {"model.cc", "Net::forward", 41};
  ASSERT_TRUE(graph.Add(graph.root(), "TestDraw", {}, {}, options).ok());
  Result<std::unique_ptr<Graph>> again = ReadBinary(WriteBinary(graph));
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_STREQ((*again)->root().nodes()[0]->line().function, "Net::forward");
  EXPECT_EQ((*again)->root().nodes()[0]->line().line, 41);
}

}  // namespace
}  // namespace sluice
