#include "sluice/cluster/resolve.h"

#include <gtest/gtest.h>

#include "sluice/base/strings.h"

namespace sluice::cluster {
namespace {

// "Slurm /job:worker/task:1 {"worker":[...]}", "none", or the error.
std::string Resolved(const Environment& env) {
  Result<std::optional<ResolvedCluster>> found = ResolveCluster(env);
  if (!found.ok()) return found.status().message();
  if (!*found) return "none";
  return StrCat((*found)->from, " ", TaskName((*found)->job, (*found)->task),
                " ", (*found)->spec.ToJson());
}

TEST(ResolveCluster, FromWhateverStartsProcesses) {
  struct Case {
    Environment env;
    const char* wanted;
  };
  const Case cases[] = {
      {{}, "none"},
      {{{"HOME", "/root"}, {"RANK", "1"}}, "none"},
      {{{"TF_CONFIG",
         R"({"cluster": {"ps": ["p:1"], "worker": ["a:1", "b:2"]},
             "task": {"type": "worker", "index": "1"}})"}},
       "TF_CONFIG /job:worker/task:1 "
       "{\"ps\":[\"p:1\"],\"worker\":[\"a:1\",\"b:2\"]}"},
      {{{"SLURM_JOB_ID", "17"},
        {"SLURM_PROCID", "3"},
        {"SLURM_NTASKS", "4"},
        {"SLURM_STEP_NODELIST", "n[08-09],m"},
        {"SLURM_STEP_TASKS_PER_NODE", "1(x2),2"}},
       "Slurm /job:worker/task:3 {\"worker\":[\"n08:11088\",\"n09:11088\","
       "\"m:11088\",\"m:11089\"]}"},
      {{{"OMPI_COMM_WORLD_SIZE", "2"},
        {"OMPI_COMM_WORLD_RANK", "0"},
        {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
        {"PMIX_NAMESPACE", "17"}},
       "Open MPI /job:worker/task:0 "
       "{\"worker\":[\"127.0.0.1:18224\",\"127.0.0.1:18225\"]}"},
      {{{"JOBSET_NAME", "train"},
        {"REPLICATED_JOB_NAME", "worker"},
        {"JOB_COMPLETION_INDEX", "1"},
        {"SLUICE_NUM_TASKS", "2"}},
       "JobSet /job:worker/task:1 {\"worker\":[\"train-worker-0-0.train:7070\","
       "\"train-worker-0-1.train:7070\"]}"},
      {{{"MASTER_ADDR", "127.0.0.1"},
        {"MASTER_PORT", "29500"},
        {"RANK", "1"},
        {"WORLD_SIZE", "2"},
        {"LOCAL_WORLD_SIZE", "2"}},
       "MASTER_ADDR /job:worker/task:1 "
       "{\"worker\":[\"127.0.0.1:29500\",\"127.0.0.1:29501\"]}"},
      // The first variable that is set applies.
      {{{"TF_CONFIG",
         R"({"cluster": {"a": ["h:1"]}, "task": {"type": "a", "index": 0}})"},
        {"SLURM_JOB_ID", "17"},
        {"SLURM_PROCID", "0"}},
       "TF_CONFIG /job:a/task:0 {\"a\":[\"h:1\"]}"},
  };
  for (const Case& c : cases) EXPECT_EQ(Resolved(c.env), c.wanted);
}

// These launchers do not name the hosts of several machines: the user does.
TEST(ResolveCluster, HostsOfSeveralMachinesAreGiven) {
  Environment env = {{"MASTER_ADDR", "n1"},
                     {"MASTER_PORT", "29500"},
                     {"RANK", "3"},
                     {"WORLD_SIZE", "4"},
                     {"LOCAL_WORLD_SIZE", "2"},
                     {"SLUICE_HOSTS", "n[1-2]"}};
  EXPECT_EQ(Resolved(env),
            "MASTER_ADDR /job:worker/task:3 {\"worker\":[\"n1:29500\","
            "\"n1:29501\",\"n2:29500\",\"n2:29501\"]}");
  env["SLUICE_HOSTS"] = "n[1-3]";
  EXPECT_NE(Resolved(env).find("wanted 2 hosts with as many on each"),
            std::string::npos)
      << Resolved(env);
  Environment mpi = {{"OMPI_COMM_WORLD_SIZE", "2"},
                     {"OMPI_COMM_WORLD_RANK", "1"},
                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"},
                     {"PMIX_NAMESPACE", "job1"},
                     {"SLUICE_HOSTS", "a,b"}};
  auto found = ResolveCluster(mpi);
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_TRUE((*found)->spec.AddressOf("/job:worker/task:1").starts_with("b:"));
}

TEST(ResolveCluster, WhatIsNotWholeIsRefused) {
  struct Case {
    Environment env;
    const char* wanted;
  };
  const Environment slurm = {{"SLURM_JOB_ID", "17"},
                             {"SLURM_PROCID", "3"},
                             {"SLURM_NTASKS", "4"},
                             {"SLURM_STEP_NODELIST", "n[1-2]"}};
  auto with = [&](const char* name, const char* value) {
    Environment env = slurm;
    env[name] = value;
    return env;
  };
  const Case cases[] = {
      {{{"TF_CONFIG", "{"}}, "TF_CONFIG: "},
      {{{"TF_CONFIG", "{}"}}, "it has no cluster"},
      {{{"TF_CONFIG", R"({"cluster": {"a": ["h:1"]}})"}}, "it has no task"},
      {{{"TF_CONFIG", R"({"cluster": {"a": ["h:1"]},
                          "task": {"type": "a", "index": 1}})"}},
       "task 1 of \"a\" is not in the cluster"},
      {with("SLURM_PROCID", "4"), "SLURM_PROCID is \"4\"; wanted a number"},
      {with("SLURM_NTASKS", "x"), "SLURM_NTASKS is \"x\""},
      {with("SLURM_NTASKS", "5"), "SLURM_NTASKS is 5, but 4 tasks"},
      {with("SLURM_STEP_NODELIST", "n[1-"), "is no list of hosts"},
      {with("SLURM_STEP_TASKS_PER_NODE", "2(y3)"), "wanted such as 2(x3),1"},
      {{{"OMPI_COMM_WORLD_SIZE", "4"},
        {"OMPI_COMM_WORLD_RANK", "0"},
        {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}},
       "does not say where the others are"},
      {{{"JOBSET_NAME", "a"}, {"REPLICATED_JOB_NAME", "b"}},
       "SLUICE_NUM_TASKS is not set"},
      {{{"MASTER_ADDR", "a"}, {"WORLD_SIZE", "2"}}, "MASTER_PORT is not set"},
  };
  for (const Case& c : cases) {
    std::string got = Resolved(c.env);
    EXPECT_NE(got.find(c.wanted), std::string::npos)
        << got << "\nwanted " << c.wanted;
  }
}

TEST(ResolveCluster, ListsOfHosts) {
  auto expand = [](const char* list) {
    Result<std::vector<std::string>> hosts = ExpandHosts(list);
    return hosts.ok() ? Join(*hosts, " ") : "refused";
  };
  EXPECT_EQ(expand("a"), "a");
  EXPECT_EQ(expand("a,b7"), "a b7");
  EXPECT_EQ(expand("n[1-3,07],m[9-10]x,k"), "n1 n2 n3 n07 m9x m10x k");
  for (const char* bad : {"", ",", "n[", "n[]", "n[3-1]", "n[a]", "n[1]m[2]",
                          "n[0-9999999999]"}) {
    EXPECT_EQ(expand(bad), "refused") << bad;
  }
}

}  // namespace
}  // namespace sluice::cluster
