// ClusterSpec: the tasks of a cluster and where they are.
//
//   {"ps": ["10.0.0.1:7070"], "worker": ["10.0.0.2:7070", "10.0.0.3:7070"]}
//
// A value.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/status.h"

namespace sluice::cluster {

struct ClusterSpec {
  // By job: addresses in the order of tasks; an empty one means no such task.
  std::map<std::string, std::vector<std::string>> jobs;

  // Also accepts tasks by number: {"worker": {"1": "host:port"}}. Errors say
  // what is wrong and show the expected form.
  static Result<ClusterSpec> Parse(std::string_view json);
  std::string ToJson() const;

  // "/job:worker/task:0" and its address, in order.
  std::vector<std::pair<std::string, std::string>> Tasks() const;
  // Empty if there is none.
  std::string AddressOf(const std::string& task) const;
  int size() const;
  bool operator==(const ClusterSpec&) const = default;
};

std::string TaskName(const std::string& job, int task);

// Error: not of the form "host:port".
Status CheckAddress(std::string_view address);
// Whether only this machine can reach it: localhost, 127.0.0.0/8, ::1.
bool IsLoopback(std::string_view address);

}  // namespace sluice::cluster
