// The documents say what is true of the code.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "sluice/front/ops_markdown.h"
#include "sluice/graph/text_parser.h"
#include "sluice/op/registry.h"
#include "tests/subprocess.h"

namespace sluice {
namespace {

TEST(Docs, OpsPageIsCurrent) {
  EXPECT_TRUE(ReadWholeFile("docs/ops.md") == OpsMarkdown(AllOps()))
      << "docs/ops.md is not what the op records say; run\n"
         "  build/release/bin/sluice info --ops-markdown > docs/ops.md";
}

// The text between ``` marks that begins after `language`.
std::vector<std::string> Blocks(const std::string& text,
                                const std::string& language) {
  std::vector<std::string> blocks;
  std::string mark = "```" + language + "\n";
  for (size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark, at)) {
    at += mark.size();
    size_t end = text.find("```", at);
    blocks.push_back(text.substr(at, end - at));
    at = end;
  }
  return blocks;
}

TEST(Docs, TheProgramOfTheReadmeIsAnExample) {
  std::vector<std::string> programs = Blocks(ReadWholeFile("README.md"), "cpp");
  ASSERT_EQ(programs.size(), 1u);
  std::string example = ReadWholeFile("examples/fit_line.cc");
  // All but the example's first comment.
  size_t body = example.find("#include");
  ASSERT_NE(body, std::string::npos);
  EXPECT_EQ(programs[0], example.substr(body));
}

TEST(Docs, WhatThePageOnRaggedTensorsSaysIsInTheExample) {
  std::string example = ReadWholeFile("examples/ragged.cc");
  std::vector<std::string> parts =
      Blocks(ReadWholeFile("docs/ragged.md"), "cpp");
  EXPECT_GE(parts.size(), 5u);
  for (const std::string& part : parts) {
    EXPECT_NE(example.find(part), std::string::npos) << part;
  }
}

TEST(Docs, GraphTextsParse) {
  std::vector<std::string> graphs =
      Blocks(ReadWholeFile("docs/graph_text.md"), "sluice");
  EXPECT_GE(graphs.size(), 2u);
  for (const std::string& text : graphs) {
    Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
    EXPECT_TRUE(graph.ok()) << text << graph.status().message();
  }
}

TEST(Docs, LinksBetweenFilesLead) {
  static const std::regex kLink(R"(\]\(([^)#: ]+)(#[^)]*)?\))");
  for (const char* page :
       {"README.md", "CONTRIBUTING.md", "docs/add_an_op.md", "docs/ops.md",
        "docs/graph_text.md", "docs/ragged.md"}) {
    std::string text = ReadWholeFile(page);
    auto folder = std::filesystem::path(page).parent_path();
    for (std::sregex_iterator it(text.begin(), text.end(), kLink), end;
         it != end; ++it) {
      EXPECT_TRUE(std::filesystem::exists(folder / (*it)[1].str()))
          << page << " links to " << (*it)[1];
    }
  }
}

}  // namespace
}  // namespace sluice
