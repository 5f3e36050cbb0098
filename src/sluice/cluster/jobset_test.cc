// The Kubernetes manifest, and that its pods find each other.
#include "sluice/cluster/jobset.h"

#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/cluster/resolve.h"

namespace sluice::cluster {
namespace {

JobSetOptions Plain() {
  JobSetOptions options;
  options.name = "train";
  options.image = "registry/sluice:1";
  options.tasks = 3;
  options.insecure_allow_remote = true;
  options.command = {"python3", "train.py", "--say=\"hi\""};
  return options;
}

TEST(JobSet, IsRendered) {
  Result<std::string> text = RenderJobSet(Plain());
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_EQ(*text, R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
spec:
  network:
    enableDNSHostnames: true
  startupPolicy:
    startupPolicyOrder: InOrder
  successPolicy:
    operator: All
    targetReplicatedJobs: [program]
  failurePolicy:
    maxRestarts: 3
  replicatedJobs:
  - name: worker
    template:
      spec:
        completionMode: Indexed
        completions: 3
        parallelism: 3
        backoffLimit: 0
        template:
          spec:
            restartPolicy: Never
            containers:
            - name: worker
              image: "registry/sluice:1"
              command: ["sluice-server", "--insecure-allow-remote"]
              readinessProbe:
                tcpSocket:
                  port: 7070
                periodSeconds: 1
              env:
              - name: JOBSET_NAME
                valueFrom:
                  fieldRef:
                    fieldPath: metadata.labels['jobset.sigs.k8s.io/jobset-name']
              - name: REPLICATED_JOB_NAME
                valueFrom:
                  fieldRef:
                    fieldPath: metadata.labels['jobset.sigs.k8s.io/replicatedjob-name']
              - name: JOB_INDEX
                valueFrom:
                  fieldRef:
                    fieldPath: metadata.labels['jobset.sigs.k8s.io/job-index']
              - name: SLUICE_NUM_TASKS
                value: "3"
              - name: SLUICE_PORT
                value: "7070"
  - name: program
    template:
      spec:
        completionMode: Indexed
        completions: 1
        parallelism: 1
        backoffLimit: 0
        template:
          spec:
            restartPolicy: Never
            containers:
            - name: program
              image: "registry/sluice:1"
              command: ["python3", "train.py", "--say=\"hi\""]
              env:
              - name: SLUICE_MASTER
                value: "grpc://train-worker-0-0.train:7070"
              - name: SLUICE_INSECURE_ALLOW_REMOTE
                value: "1"
)");
}

TEST(JobSet, CertificatesComeFromASecret) {
  JobSetOptions options = Plain();
  options.insecure_allow_remote = false;
  options.tls_secret = "train-tls";
  Result<std::string> text = RenderJobSet(options);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_EQ(text->find("insecure"), std::string::npos);
  EXPECT_EQ(text->find("INSECURE"), std::string::npos);
  size_t mounts = 0, at = 0;
  for (; (at = text->find("secretName: \"train-tls\"", at)) != text->npos;
       ++at) {
    ++mounts;
  }
  EXPECT_EQ(mounts, 2u);
  EXPECT_NE(text->find("SLUICE_TLS_KEY\n                value: "
                       "\"/etc/sluice/tls/tls.key\""),
            std::string::npos)
      << *text;
}

// The environment of each pod resolves to its own task.
TEST(JobSet, PodsFindTheirPlaces) {
  JobSetOptions options = Plain();
  options.port = 7171;
  Result<std::string> text = RenderJobSet(options);
  ASSERT_TRUE(text.ok());
  auto value = [&](const std::string& variable) {
    size_t at = text->find("name: " + variable + "\n");
    EXPECT_NE(at, text->npos) << variable;
    at = text->find('"', at) + 1;
    return text->substr(at, text->find('"', at) - at);
  };
  for (int i = 0; i < options.tasks; ++i) {
    // The labels of such a pod, with those that Kubernetes adds to indexed
    // jobs.
    Environment env = {{"JOBSET_NAME", "train"},
                       {"REPLICATED_JOB_NAME", "worker"},
                       {"JOB_INDEX", "0"},
                       {"JOB_COMPLETION_INDEX", std::to_string(i)},
                       {"SLUICE_NUM_TASKS", value("SLUICE_NUM_TASKS")},
                       {"SLUICE_PORT", value("SLUICE_PORT")}};
    auto found = ResolveCluster(env);
    ASSERT_TRUE(found.ok()) << found.status().ToString();
    ASSERT_TRUE(found->has_value());
    EXPECT_EQ((*found)->task, i);
    EXPECT_EQ((*found)->spec.AddressOf(TaskName("worker", i)),
              StrCat("train-worker-0-", i, ".train:7171"));
    EXPECT_EQ(value("SLUICE_MASTER"),
              "grpc://" + (*found)->spec.AddressOf(TaskName("worker", 0)));
  }
}

TEST(JobSet, WhatCannotBeIsRefused) {
  auto refused = [](auto change) {
    JobSetOptions options = Plain();
    change(options);
    Result<std::string> text = RenderJobSet(options);
    return text.ok() ? "rendered" : std::string(text.status().message());
  };
  for (const char* name : {"", "-a", "a-", "A", "a.b", "a\n"}) {
    EXPECT_NE(refused([&](JobSetOptions& o) {
                o.name = name;
              }).find("wanted small letters"),
              std::string::npos)
        << name;
  }
  EXPECT_NE(refused([](JobSetOptions& o) {
              o.name = std::string(60, 'a');
            }).find("at most 63"),
            std::string::npos);
  EXPECT_NE(refused([](JobSetOptions& o) { o.tasks = 0; }).find("0 tasks"),
            std::string::npos);
  EXPECT_NE(refused([](JobSetOptions& o) { o.image = ""; }).find("no image"),
            std::string::npos);
  EXPECT_NE(
      refused([](JobSetOptions& o) { o.command = {}; }).find("no program"),
      std::string::npos);
  EXPECT_NE(refused([](JobSetOptions& o) {
              o.insecure_allow_remote = false;
            }).find("wanted a secret"),
            std::string::npos);
}

}  // namespace
}  // namespace sluice::cluster
