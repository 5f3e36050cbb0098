// Clusters of processes on this machine, for the module sluice.cluster.
#include <nanobind/stl/unique_ptr.h>

#include "bindings.h"
#include "caller_line.h"
#include "distributed.h"
#include "errors.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/connect.h"
#include "sluice/cluster/local_cluster.h"
#include "sluice/cluster/remote_session.h"

namespace sluice::py {

namespace {

using namespace nb::literals;
using cluster::LocalCluster;
using cluster::LocalClusterOptions;

std::unique_ptr<LocalCluster> Start(int tasks, const std::string& job,
                                    std::vector<std::string> arguments,
                                    bool show_errors) {
  LocalClusterOptions options;
  options.job = job;
  options.arguments = std::move(arguments);
  options.show_errors = show_errors;
  ReleaseGil released;
  return ValueOrThrow(LocalCluster::Start(tasks, std::move(options)));
}

std::unique_ptr<ClusterConnection> ConnectTo(const std::string& target) {
  ReleaseGil released;
  return ValueOrThrow(cluster::Connect(target));
}

int Checked(const LocalCluster& cluster, int task) {
  if (task < 0 || task >= cluster.size()) {
    ThrowValueError(StrCat("there is no task ", task, "; wanted 0 to ",
                           cluster.size() - 1));
  }
  return task;
}

// {"task": ..., "gauges": {...}, "waits": [...], "cluster": {task: address}}
nb::dict Ask(const std::string& target) {
  cluster::StatusReply reply;
  {
    ReleaseGil released;
    std::string address = ValueOrThrow(cluster::AddressIn(target));
    reply = ValueOrThrow(
        cluster::AskStatus(address, cluster::TransportFromEnvironment()));
  }
  nb::dict gauges, tasks, all;
  for (const cluster::Gauge& g : reply.gauges) gauges[g.name.c_str()] = g.value;
  for (const cluster::TaskInfo& t : reply.cluster) {
    tasks[t.task.c_str()] = t.address;
  }
  nb::list waits;
  for (const std::string& line : reply.waits) waits.append(line);
  all["task"] = reply.self.task;
  all["address"] = reply.self.address;
  all["gauges"] = gauges;
  all["waits"] = waits;
  all["cluster"] = tasks;
  return all;
}

}  // namespace

void BindCluster(nb::module_& m) {
  nb::class_<LocalCluster>(m, "LocalCluster",
                           "Servers of this machine, which end with it.")
      .def("__len__", &LocalCluster::size)
      .def(
          "target",
          [](const LocalCluster& c, int task) {
            return c.target(Checked(c, task));
          },
          "task"_a = 0)
      .def("task", [](const LocalCluster& c,
                      int task) { return c.task(Checked(c, task)); })
      .def("spec", [](const LocalCluster& c) { return c.spec().ToJson(); })
      .def("process", [](const LocalCluster& c,
                         int task) { return c.process(Checked(c, task)); })
      .def("kill", [](LocalCluster& c, int task) { c.Kill(Checked(c, task)); })
      .def("restart", [](LocalCluster& c, int task) {
        Checked(c, task);
        ReleaseGil released;
        ThrowIfError(c.Restart(task));
      });
  m.def("start_local_cluster", &Start, "tasks"_a, "job"_a, "arguments"_a,
        "show_errors"_a);
  nb::class_<ClusterConnection>(m, "ClusterConnection",
                                "A cluster is the process's while it lives.");
  m.def("connect_cluster", &ConnectTo, "target"_a);
  m.def("cluster_status", &Ask, "target"_a);
  BindDistributed(m);
  BindParameterServers(m);
}

}  // namespace sluice::py
