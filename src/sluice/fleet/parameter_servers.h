// ParameterServers: variables of a graph spread over tasks that keep them.
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
// Every process that builds the same graph finds the same places, so that the
// processes of a cluster share the variables. Large tables are cut by rows:
// fleet/sharded_table.h. Must outlive the scopes; one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "sluice/front/variable_placer.h"

namespace sluice::distributed {

enum class Spread {
  kRoundRobin,  // one after the other, in the order they are made
  kBySize,      // to the task that has the fewest bytes so far
};

class ParameterServers : public VariablePlacer {
 public:
  // Throws sluice::Error: no tasks, one that is there twice, or text that
  // names no task.
  explicit ParameterServers(std::vector<std::string> tasks,
                            Spread spread = Spread::kRoundRobin);

  std::string TaskFor(std::string_view name, int64_t bytes) override;
  // So many bytes more are in that task.
  void Note(size_t task, int64_t bytes) { bytes_[task] += bytes; }

  const std::vector<std::string>& tasks() const { return tasks_; }
  // Of the variables in each task.
  const std::vector<int64_t>& bytes() const { return bytes_; }

 private:
  const std::vector<std::string> tasks_;
  const Spread spread_;
  std::vector<int64_t> bytes_;
  size_t next_ = 0;
};

}  // namespace sluice::distributed
