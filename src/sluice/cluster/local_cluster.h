// LocalCluster: real processes on this machine, for tests, notebooks and first
// steps. Each is a sluice-server on its own port, reachable from this machine
// only. They end with the object, and with the process that owns it.
//
//   auto cluster = LocalCluster::Start(4);
//   Session session(graph, cluster->target());
//
// One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/cluster/cluster_spec.h"

namespace sluice::cluster {

struct LocalClusterOptions {
  std::string job = "worker";
  // Empty: SLUICE_SERVER, the folder of this program, or PATH.
  std::string server;
  std::vector<std::string> arguments;  // more for every server
  // Whether their stderr is shown.
  bool show_errors = false;
  // Kill them, even if stopped, when the thread that started them ends.
  bool die_with_thread = false;
};

class LocalCluster {
 public:
  // Errors: the program is missing or does not start.
  static Result<std::unique_ptr<LocalCluster>> Start(
      int tasks, LocalClusterOptions options = {});
  // Asks the servers to end, and kills those that do not.
  ~LocalCluster();

  int size() const { return static_cast<int>(servers_.size()); }
  // "grpc://127.0.0.1:4711": that task as master.
  std::string target(int task = 0) const;
  std::string address(int task) const;
  std::string task(int task) const;  // "/job:worker/task:0"
  const ClusterSpec& spec() const { return spec_; }
  int64_t process(int task) const;

  // For tests of failures. REQUIRES: the task is running.
  void Kill(int task);  // like SIGKILL by the system
  void Stop(int task);  // it is suspended until Continue
  void Continue(int task);
  Status Restart(int task);  // at the same address

 private:
  struct One {
    int64_t process = 0;  // 0: none
    int input = -1;       // the server ends when this is closed
    int output = -1;      // until the server has printed its address
    std::string address;
  };
  explicit LocalCluster(LocalClusterOptions options)
      : options_(std::move(options)) {}
  Status Launch(int task, const std::string& listen);
  // Sends the server its cluster and waits for confirmation.
  Status Tell(One& one) const;
  static void Reap(One& one, bool kill);

  const LocalClusterOptions options_;
  std::string program_;
  ClusterSpec spec_;
  std::vector<One> servers_;
};

// The path of the program: `given`, the variable, the folder of this program,
// or PATH. Error: not found.
Result<std::string> FindProgram(const std::string& given, const char* variable,
                                const std::string& name);

}  // namespace sluice::cluster
