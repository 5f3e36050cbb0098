// Operations that are refused unless explicitly allowed.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "sluice/base/strings.h"
#include "sluice/base/temp_folder_test_util.h"
#include "sluice/cluster/cluster_test_util.h"
#include "sluice/cluster/metrics.h"
#include "sluice/cluster/remote_session.h"
#include "sluice/cluster/task_server.h"
#include "sluice/step/executor_test_util.h"

namespace sluice::cluster {
namespace {

using Results = Result<std::vector<Array>>;

void ExpectSays(const Status& status, const std::string& what) {
  EXPECT_NE(status.message().find(what), std::string::npos)
      << status.ToString();
}

TEST(Security, AServerListensOnThisMachineUnlessToldOtherwise) {
  TaskServerOptions options;
  EXPECT_TRUE(IsLoopback(options.listen));
  for (const char* address : {"0.0.0.0:0", "[::]:0", "10.0.0.1:7070"}) {
    options.listen = address;
    auto server = TaskServer::Start(options);
    ASSERT_FALSE(server.ok());
    EXPECT_EQ(server.status().code(), Code::kFailedPrecondition);
    ExpectSays(server.status(), "--insecure-allow-remote");
  }
  options.listen = "nowhere";
  EXPECT_FALSE(TaskServer::Start(options).ok());
}

TEST(Security, AMessageThatIsTooLargeIsRefused) {
  auto cluster =
      StartCluster(1, {"--max-message-mib", "1", "--max-parts-mib", "1"});
  ASSERT_TRUE(cluster);
  Client client(R"(graph g(%x: f32[?]) -> (%y) {
    %y = Slice(%x) [begin = {0}, size = {1}]
  })",
                *cluster);
  Results got = client.Run({Array::Zeros(DType::kF32, {300'000})});
  EXPECT_EQ(got.status().code(), Code::kResourceExhausted)
      << got.status().ToString();
  got = client.Run({Array::Zeros(DType::kF32, {3000})});
  EXPECT_TRUE(got.ok()) << got.status().ToString();
}

TEST(Security, GraphsTouchNoFilesUnlessFoldersAreGiven) {
  TempFolder folder;
  std::string inside = folder.path() + "/a.txt";
  std::ofstream(inside) << "hello";
  const char* const kRead = R"(graph g(%p: string[]) -> (%y) {
    %y = ReadFile(%p)
  })";
  const char* const kWrite = R"(graph g(%p: string[]) -> () run %w {
    %w = WriteFile(%p, %p)
  })";
  auto path = [](const std::string& text) {
    return std::vector<Array>{Array::Scalar(text)};
  };
  {
    auto cluster = StartCluster(1);
    ASSERT_TRUE(cluster);
    Client client(kRead, *cluster);
    ExpectSays(client.Run(path(inside)).status(),
               "which was given no folder for files (--files)");
  }
  auto cluster = StartCluster(1, {"--files", folder.path()});
  ASSERT_TRUE(cluster);
  Client client(kRead, *cluster);
  Results got = client.Run(path(inside));
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(*(*got)[0].data<std::string>(), "hello");
  ASSERT_EQ(symlink("/etc/passwd", (folder.path() + "/link").c_str()), 0);
  Client writes(kWrite, *cluster);
  for (const std::string& outside :
       {std::string("/etc/passwd"), folder.path() + "/../x.txt",
        folder.path() + "/link", folder.path() + "x/a.txt"}) {
    ExpectSays(client.Run(path(outside)).status(), "may not be touched");
    ExpectSays(writes.Run(path(outside)).status(), "may not be touched");
  }
  got = writes.Run(path(folder.path() + "/b.txt"));
  EXPECT_TRUE(got.ok()) << got.status().ToString();
}

// ---- TLS ----

// Makes a certificate for `job`, and its authority, with the openssl program.
TlsFiles MakeCertificates(const std::string& folder, const std::string& name,
                          const std::string& job,
                          const std::string& authority) {
  auto run = [](const std::string& command) {
    EXPECT_EQ(std::system((command + " >/dev/null 2>&1").c_str()), 0)
        << command;
  };
  std::string ca = folder + "/" + authority, own = folder + "/" + name;
  if (access((ca + ".crt").c_str(), R_OK) != 0) {
    run(
        StrCat("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:"
               "prime256v1 -nodes -days 2 -subj /CN=",
               authority, " -keyout ", ca, ".key -out ", ca, ".crt"));
  }
  run(
      StrCat("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
             "-nodes -subj /CN=",
             name, " -keyout ", own, ".key -out ", own, ".csr"));
  std::ofstream(own + ".ext") << "subjectAltName=DNS:" << job << "\n";
  run(StrCat("openssl x509 -req -in ", own, ".csr -CA ", ca, ".crt -CAkey ", ca,
             ".key -CAcreateserial -days 2 -extfile ", own, ".ext -out ", own,
             ".crt"));
  return {ca + ".crt", own + ".crt", own + ".key", job};
}

TEST(Security, WithTlsOnlyCertificatesOfTheJobAreLetIn) {
  if (std::system("openssl version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "there is no openssl program to make certificates";
  }
  TempFolder folder;
  TaskServerOptions options;
  options.transport.tls =
      MakeCertificates(folder.path(), "server", "job-17", "authority");
  auto server = TaskServer::Start(options);
  ASSERT_TRUE(server.ok()) << server.status().ToString();
  std::string target = "grpc://" + (*server)->address();
  auto graph = MustParse("graph g() -> (%y) { %y = Add(1, 2) }");
  auto connect = [&](const TlsFiles& tls) {
    TransportOptions its;
    its.tls = tls;
    return RemoteSession::Connect(*graph, target, 0, its);
  };
  {
    auto good = connect(
        MakeCertificates(folder.path(), "client", "job-17", "authority"));
    ASSERT_TRUE(good.ok()) << good.status().ToString();
    Results got = (*good)->Run(graph->root().results(), {}, {}, {});
    EXPECT_TRUE(got.ok()) << got.status().ToString();
  }
  EXPECT_FALSE(connect({}).ok());  // in plain text
  EXPECT_FALSE(connect(MakeCertificates(folder.path(), "stranger", "job-17",
                                        "other_authority"))
                   .ok());
  TlsFiles other =
      MakeCertificates(folder.path(), "other", "job-18", "authority");
  other.job = "job-17";  // expects job-17, but the server is another
  auto refused = connect(other);
  ASSERT_FALSE(refused.ok());
  ExpectSays(refused.status(), "wanted one for job \"job-17\"");
  TlsFiles half = other;
  half.key.clear();
  ExpectSays(connect(half).status(), "TLS needs three files");
  half.key = folder.path() + "/none";
  ExpectSays(connect(half).status(), "cannot read");
}

// ---- Monitoring ----

std::string Get(int port, const std::string& what) {
  int visitor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(
      connect(visitor, reinterpret_cast<sockaddr*>(&address), sizeof(address)),
      0);
  std::string request = StrCat("GET ", what, " HTTP/1.0\r\n\r\n");
  EXPECT_EQ(write(visitor, request.data(), request.size()),
            static_cast<ssize_t>(request.size()));
  std::string all;
  char bytes[4096];
  for (ssize_t n; (n = read(visitor, bytes, sizeof(bytes))) > 0;) {
    all.append(bytes, static_cast<size_t>(n));
  }
  close(visitor);
  return all;
}

TEST(Metrics, AreShownToThisMachine) {
  StatusReply reply;
  reply.self.task = "/job:a/task:1";
  reply.gauges = {{"worker_steps", 3},
                  {"calls_total", 7},
                  {"run_nanoseconds_total", 1'500'000'000}};
  const std::string text =
      "# HELP sluice_worker_steps Steps that have begun or been sent "
      "tensors.\n"
      "# TYPE sluice_worker_steps gauge\n"
      "sluice_worker_steps{task=\"/job:a/task:1\"} 3\n"
      "# HELP sluice_calls_total Calls that were served.\n"
      "# TYPE sluice_calls_total counter\n"
      "sluice_calls_total{task=\"/job:a/task:1\"} 7\n"
      "# HELP sluice_run_seconds_total How long pieces have run.\n"
      "# TYPE sluice_run_seconds_total counter\n"
      "sluice_run_seconds_total{task=\"/job:a/task:1\"} 1.5\n";
  EXPECT_EQ(PrometheusText(reply), text);
  auto page = MetricsPage::Start(0, [&] { return PrometheusText(reply); });
  ASSERT_TRUE(page.ok()) << page.status().ToString();
  std::string got = Get((*page)->port(), "/metrics");
  EXPECT_TRUE(got.starts_with("HTTP/1.0 200 OK\r\n")) << got;
  EXPECT_TRUE(got.ends_with("\r\n\r\n" + text)) << got;
  EXPECT_TRUE(Get((*page)->port(), "/").starts_with("HTTP/1.0 404"));
  EXPECT_FALSE(MetricsPage::Start((*page)->port(), [] { return ""; }).ok());
}

TEST(Metrics, AStepThatDoesNotMoveTellsWhatItWaitsFor) {
  auto cluster = StartCluster(2, {"--hang-report-s", "0"});
  ASSERT_TRUE(cluster);
  // Task 1 waits for a queue that nobody fills, task 0 for task 1.
  Client client(R"(graph g() -> (%y) {
    %q = FifoQueue [dtypes = {f32}, shapes = {[]}, capacity = 1]
        on "/job:worker/task:1"
    %x = Dequeue(%q) [dtypes = {f32}, shapes = {[]}] on "/job:worker/task:1"
    %y = Neg(%x) on "/job:worker/task:0"
  })",
                *cluster);
  RunOptions options;
  options.cancellation = std::make_shared<Cancellation>();
  std::thread other([&] {
    WaitForGauge(*cluster, 0, "waiting_calls", 1);
    std::string waits = Join(StatusOf(*cluster, 0).waits, "\n");
    EXPECT_NE(waits.find("waits for /job:worker/task:1 to send \"edge"),
              std::string::npos)
        << waits;
    waits = Join(StatusOf(*cluster, 1).waits, "\n");
    EXPECT_NE(waits.find("it computes, or waits for a queue"),
              std::string::npos)
        << waits;
    options.cancellation->Cancel(Cancelled("seen"));
  });
  EXPECT_EQ(client.Run({}, options).status().message(), "seen");
  other.join();
  client.Close();
  ExpectNothingLeft(*cluster, {0, 1});
}

}  // namespace
}  // namespace sluice::cluster
