// TaskLink: what a session of a master says to one task, be it in this process
// or in another. It holds the session there: when it goes, the task forgets the
// session's pieces and stops its steps.
//
// Thread safe. Nobody waits in a call, but for Attach.
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
  // Lost, or restarted: another one must be made.
  bool broken() const { return broken_.load(std::memory_order_acquire); }

  using Registered = std::function<void(Result<uint64_t>)>;
  virtual void Register(const RegisterGraph& request, Registered done) = 0;
  // How the task would run such a piece.
  using Told = std::function<void(Result<std::string>)>;
  virtual void Explain(const RegisterGraph& request, Told done) = 0;
  virtual void Forget(uint64_t piece) = 0;
  virtual void Run(const RunGraph& request, std::vector<Array> feeds,
                   RunDone done) = 0;
  virtual void Abort(const AbortStep& request) = 0;
  // It has not answered though its connection lives: another one must be made.
  virtual void GiveUp() {}

 protected:
  TaskInfo info_;
  uint64_t session_ = 0;
  std::atomic<bool> broken_{false};
};

// Waits. Errors: the task cannot be reached, is another one, refuses.
Result<std::shared_ptr<TaskLink>> AttachLocal(TaskWorker& worker,
                                              uint64_t session);
Result<std::shared_ptr<TaskLink>> AttachRemote(const std::string& task,
                                               const std::string& address,
                                               uint64_t session,
                                               const std::string& master,
                                               Transport& transport,
                                               const TransportOptions& options);

}  // namespace sluice::cluster
