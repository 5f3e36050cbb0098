// TaskLink: the connection of a master's session to one task, in this process
// or another. It keeps the session alive there: when it closes, the task drops
// the session's pieces and stops its steps.
//
// Thread safe. Only Attach blocks.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/cluster/messages.h"
#include "sluice/cluster/task_worker.h"
#include "sluice/cluster/transport.h"

namespace sluice::cluster {

class TaskLink : public std::enable_shared_from_this<TaskLink> {
 public:
  virtual ~TaskLink() = default;
  const TaskInfo& info() const { return info_; }
  // The task was lost or restarted: a new link is needed.
  bool broken() const { return broken_.load(std::memory_order_acquire); }

  using Registered = std::function<void(Result<uint64_t>)>;
  virtual void Register(const RegisterGraph& request, Registered done) = 0;
  // Explains how the task would run such a piece.
  using Told = std::function<void(Result<std::string>)>;
  virtual void Explain(const RegisterGraph& request, Told done) = 0;
  virtual void Forget(uint64_t piece) = 0;
  virtual void Run(const RunGraph& request, std::vector<Array> feeds,
                   RunDone done) = 0;
  virtual void Abort(const AbortStep& request) = 0;
  // The task did not answer although its connection is up: a new link is
  // needed.
  virtual void GiveUp() {}

 protected:
  TaskInfo info_;
  uint64_t session_ = 0;
  std::atomic<bool> broken_{false};
};

// Blocks. Errors: the task is unreachable, is another task, or refuses.
Result<std::shared_ptr<TaskLink>> AttachLocal(TaskWorker& worker,
                                              uint64_t session);
Result<std::shared_ptr<TaskLink>> AttachRemote(const std::string& task,
                                               const std::string& address,
                                               uint64_t session,
                                               const std::string& master,
                                               Transport& transport,
                                               const TransportOptions& options);

}  // namespace sluice::cluster
