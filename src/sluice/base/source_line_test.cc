#include "sluice/base/source_line.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

SourceLine Here() { return SourceLine::From(std::source_location::current()); }

TEST(SourceLine, IsThatOfTheOtherLanguageWhileThatCalls) {
  SourceLine::find_caller =
      +[] { return SourceLine{"/home/model.py", "f", 7}; };
  EXPECT_EQ(Here().ToString(), "model.py:7");
  SourceLine::find_caller = +[] { return SourceLine(); };
  EXPECT_TRUE(Here().ToString().starts_with("source_line_test.cc:"));
  SourceLine::find_caller = nullptr;
  EXPECT_TRUE(Here().ToString().starts_with("source_line_test.cc:"));
}

}  // namespace
}  // namespace sluice
