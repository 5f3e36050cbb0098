// LocalCluster: real processes of this machine, for tests, notebooks and first
// steps. Each is a sluice-server on a port of its own that only this machine
// can reach; they end with the object, and with the process that holds it.
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
  // Empty: SLUICE_SERVER, beside this program, or on the path.
  std::string server;
  std::vector<std::string> arguments;  // more for every server
  // Where their messages go: nowhere by default.
  bool show_errors = false;
  // Killed, even when stopped, when the thread that started them ends.
  bool die_with_thread = false;
};

class LocalCluster {
 public:
  // Errors: there is no such program; it does not start.
  static Result<std::unique_ptr<LocalCluster>> Start(
      int tasks, LocalClusterOptions options = {});
  // Asks them to end, and kills those that do not.
  ~LocalCluster();

  int size() const { return static_cast<int>(servers_.size()); }
  // "grpc://127.0.0.1:4711": that task as the master.
  std::string target(int task = 0) const;
  std::string address(int task) const;
  std::string task(int task) const;  // "/job:worker/task:0"
  const ClusterSpec& spec() const { return spec_; }
  int64_t process(int task) const;

  // For tests of failures. REQUIRES: it runs.
  void Kill(int task);  // as by the system
  void Stop(int task);  // it does nothing until Continue
  void Continue(int task);
  Status Restart(int task);  // at the same address

 private:
  struct One {
    int64_t process = 0;  // 0: none
    int input = -1;       // it ends when this is closed
    int output = -1;      // until it has said all there is to say
    std::string address;
  };
  explicit LocalCluster(LocalClusterOptions options)
      : options_(std::move(options)) {}
  Status Launch(int task, const std::string& listen);
  // Which cluster it is part of; waits until it knows.
  Status Tell(One& one) const;
  static void Reap(One& one, bool kill);

  const LocalClusterOptions options_;
  std::string program_;
  ClusterSpec spec_;
  std::vector<One> servers_;
};

// Where the program of that name is: `given`, the variable, beside this
// program, on the path. Error: nowhere.
Result<std::string> FindProgram(const std::string& given, const char* variable,
                                const std::string& name);

}  // namespace sluice::cluster
