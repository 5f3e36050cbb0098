#include "sluice/cluster/cluster_spec.h"

#include <gtest/gtest.h>

namespace sluice::cluster {
namespace {

TEST(ClusterSpec, IsReadAndWritten) {
  Result<ClusterSpec> spec =
      ClusterSpec::Parse(R"({"worker": ["a:1", "b:2"], "ps": {"3": "c:3"}})");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->size(), 3);
  EXPECT_EQ(spec->AddressOf("/job:worker/task:1"), "b:2");
  EXPECT_EQ(spec->AddressOf("/job:ps/task:3"), "c:3");
  EXPECT_EQ(spec->AddressOf("/job:ps/task:0"), "");
  Result<ClusterSpec> again = ClusterSpec::Parse(spec->ToJson());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *spec);
}

TEST(ClusterSpec, BadOnesAreRefusedWithWhatWasWanted) {
  struct Case {
    const char *text, *message;
  };
  for (const Case& c : {Case{"[]", "no object of jobs"},
                        {"{}", "it has no task"},
                        {R"({"a": 3})", "job \"a\" is no list"},
                        {R"({"a": [3]})", "task 0 of job \"a\""},
                        {R"({"a/b": []})", "a job is called \"a/b\""},
                        {R"({"a": {"x": "h:1"}})", "has a task \"x\""},
                        {R"({"a": ["h"]})", "\"h\" is no address"},
                        {R"({"a": ["h:99999"]})", "is no address"},
                        {"{", "cluster: "}}) {
    Result<ClusterSpec> spec = ClusterSpec::Parse(c.text);
    ASSERT_FALSE(spec.ok()) << c.text;
    EXPECT_NE(spec.status().message().find(c.message), std::string::npos)
        << spec.status().ToString();
  }
}

TEST(ClusterSpec, WhichAddressesOthersReach) {
  for (const char* text :
       {"127.0.0.1:1", "localhost:2", "[::1]:3", "127.8.8.8:4"}) {
    EXPECT_TRUE(IsLoopback(text)) << text;
  }
  for (const char* text :
       {"0.0.0.0:1", "10.0.0.1:2", "[::]:3", "host:4", "1270.0.0.1:5"}) {
    EXPECT_FALSE(IsLoopback(text)) << text;
  }
}

}  // namespace
}  // namespace sluice::cluster
