// ParameterServers: distributes the variables of a graph over tasks.
//
//   dist::ParameterServers servers({"/job:ps/task:0", "/job:ps/task:1"});
//   {
//     PlacerScope placed(servers);     // or servers.Open()
//     w = variable(...);               // in one of the tasks
//   }
//   DeviceScope here("/job:worker/task:0");
//   loss = ... w ...;                  // computed here, of w's value
//   optim::Adam(1e-3).minimize(loss);  // updates and slots are beside w
//
// Every process that builds the same graph computes the same placement, so the
// processes of a cluster share the variables. For large tables split by rows
// see fleet/sharded_table.h. Must outlive the scopes; one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "sluice/front/variable_placer.h"

namespace sluice::distributed {

enum class Spread {
  kRoundRobin,  // in turn, in order of creation
  kBySize,      // to the task with the fewest bytes so far
};

class ParameterServers : public VariablePlacer {
 public:
  // Throws sluice::Error: no tasks, a duplicate, or text that names no task.
  explicit ParameterServers(std::vector<std::string> tasks,
                            Spread spread = Spread::kRoundRobin);

  std::string TaskFor(std::string_view name, int64_t bytes) override;
  // Adds `bytes` to the count of that task.
  void Note(size_t task, int64_t bytes) { bytes_[task] += bytes; }

  const std::vector<std::string>& tasks() const { return tasks_; }
  // Bytes of the variables, by task.
  const std::vector<int64_t>& bytes() const { return bytes_; }

 private:
  const std::vector<std::string> tasks_;
  const Spread spread_;
  std::vector<int64_t> bytes_;
  size_t next_ = 0;
};

}  // namespace sluice::distributed
