// The documents say what is true of the code.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "apps/op_pages/ops_markdown.h"
#include "sluice/base/error.h"
#include "sluice/base/file.h"
#include "sluice/graph/text_parser.h"
#include "sluice/op/registry.h"
#include "tests/subprocess.h"

namespace sluice {
namespace {

TEST(Docs, OpsPagesAreCurrent) {
  EXPECT_TRUE(ReadWholeFile("docs/ops.md") == OpsMarkdown(AllOps()))
      << "docs/ops.md is not what the op records say; run\n"
         "  build/release/bin/sluice info --ops-markdown > docs/ops.md";
  EXPECT_TRUE(ReadWholeFile("docs/internal_ops.md") ==
              InternalOpsMarkdown(AllOps()))
      << "docs/internal_ops.md is not what the op records say; run\n"
         "  build/release/bin/sluice info --internal-ops-markdown > "
         "docs/internal_ops.md";
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

// README.md, CONTRIBUTING.md and every page of docs/, below `folder`.
std::vector<std::string> Pages(const std::string& folder = "docs") {
  std::vector<std::string> pages;
  if (folder == "docs") pages = {"README.md", "CONTRIBUTING.md"};
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() == ".md") pages.push_back(file.path().string());
  }
  return pages;
}

// What stands between single backticks, code blocks left out.
std::vector<std::string> Spans(const std::string& page) {
  static const std::regex kBlock("(^|\n)```[^]*?\n```");
  static const std::regex kSpan("`([^`\n]+)`");
  std::string text = std::regex_replace(ReadWholeFile(page), kBlock, "\n");
  std::vector<std::string> spans;
  for (std::sregex_iterator it(text.begin(), text.end(), kSpan), end; it != end;
       ++it) {
    spans.push_back((*it)[1]);
  }
  return spans;
}

TEST(Docs, LinksBetweenFilesLead) {
  static const std::regex kLink(R"(\]\(([^)#: ]+)(#[^)]*)?\))");
  static const std::regex kSpan("`[^`\n]*`");
  EXPECT_GE(Pages().size(), 20u);
  for (const std::string& page : Pages()) {
    std::string text = std::regex_replace(ReadWholeFile(page), kSpan, "");
    auto folder = std::filesystem::path(page).parent_path();
    for (std::sregex_iterator it(text.begin(), text.end(), kLink), end;
         it != end; ++it) {
      EXPECT_TRUE(std::filesystem::exists(folder / (*it)[1].str()))
          << page << " links to " << (*it)[1];
    }
  }
}

// Where a path in a page may begin: at the root, or as includes are written.
// Null when it is none of ours, as one of the build.
const char* StartOf(const std::string& path) {
  std::string first = path.substr(0, path.find('/'));
  if (first == "build") return nullptr;
  for (const char* start : {"", "src/", "src/sluice/"}) {
    if (std::filesystem::is_directory(start + first)) return start;
  }
  return nullptr;
}

TEST(Docs, PathsInPagesAreThere) {
  static const std::regex kPath(R"([\w.*-]+(/[\w.*-]+)+/?)");
  // Places for files to come.
  static const std::set<std::string> kExamples = {
      "apps/x_y.cc", "tests/z_test.cc", "device/cuda", "kernels/cuda",
      "src/sluice/ops/nn/isru.cc"};
  int found = 0;
  for (const std::string& page : Pages()) {
    for (const std::string& span : Spans(page)) {
      const char* start =
          std::regex_match(span, kPath) ? StartOf(span) : nullptr;
      if (!start || kExamples.contains(span)) continue;
      ++found;
      bool there =
          std::filesystem::exists(start + span) ||
          std::filesystem::exists(start + span + ".cc") ||
          std::filesystem::exists("include/" + span) ||
          (span.find('*') != std::string::npos &&
           !ValueOrThrow(MatchingFiles(std::string(start) + span)).empty());
      EXPECT_TRUE(there) << page << " speaks of " << span;
    }
  }
  EXPECT_GE(found, 100);
}

// Adds to each word the sources it is in, by number.
using Places = std::map<std::string, std::set<int>, std::less<>>;
void FindInSources(Places& words) {
  auto part_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  int number = 0;
  for (const char* top : {"include", "src", "python/src", "python/sluice"}) {
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(top)) {
      auto kind = file.path().extension();
      if (kind != ".h" && kind != ".cc" && kind != ".py") continue;
      std::string text = ReadWholeFile(file.path().string());
      for (auto at = text.begin(); at != text.end();) {
        auto begin = std::find_if(at, text.end(), part_of_name);
        at = std::find_if_not(begin, text.end(), part_of_name);
        auto found = words.find(std::string_view(begin, at));
        if (found != words.end()) found->second.insert(number);
      }
      ++number;
    }
  }
}

// Names of types, constants and members on the pages for those who change the
// code. Of `A::b` both parts are in one file.
TEST(Docs, NamesOnPagesOfInternalsAreInTheSources) {
  static const std::regex kName(
      R"((?:k[A-Z]\w+|SL_\w+|[A-Z]\w*[a-z]\w*)|(\w+)::(\w+))");
  struct Name {
    std::string page, whole, first, second;
  };
  std::vector<Name> names;
  Places words;
  for (const std::string& page : Pages("docs/internals")) {
    for (const std::string& span : Spans(page)) {
      std::smatch parts;
      if (!std::regex_match(span, parts, kName)) continue;
      bool two = parts[2].matched;
      names.push_back({page, span, two ? parts[1] : parts[0], parts[2]});
      words[names.back().first];
      if (two) words[names.back().second];
    }
  }
  EXPECT_GE(names.size(), 50u);
  FindInSources(words);
  for (const Name& name : names) {
    std::set<int> both = words[name.first];
    if (!name.second.empty()) {
      const std::set<int>& second = words[name.second];
      std::erase_if(both, [&](int file) { return !second.contains(file); });
    }
    EXPECT_FALSE(both.empty()) << name.page << " speaks of " << name.whole;
  }
}

// Code that such a page shows is that of a file it names.
TEST(Docs, CodeOnPagesOfInternalsIsQuoted) {
  int found = 0;
  for (const std::string& page : Pages("docs/internals")) {
    std::string named;
    for (const std::string& span : Spans(page)) {
      if (std::filesystem::is_regular_file(span)) named += ReadWholeFile(span);
    }
    for (const std::string& code : Blocks(ReadWholeFile(page), "cpp")) {
      ++found;
      EXPECT_NE(named.find(code), std::string::npos) << page << " shows\n"
                                                     << code;
    }
  }
  EXPECT_GE(found, 10);
}

}  // namespace
}  // namespace sluice
