// TaskServer: one process of a cluster: a task that runs pieces, and a master
// that leads the steps of any client.
//
// It listens on this machine only, unless configured otherwise; on an address
// reachable from elsewhere it requires TLS, or an explicit statement that the
// network is trusted.
//
// Thread safe. The destructor ends all sessions and steps.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "sluice/base/thread_annotations.h"
#include "sluice/base/timer.h"
#include "sluice/cluster/master_session.h"
#include "sluice/cluster/message_parts.h"
#include "sluice/cluster/task_worker.h"

namespace sluice::cluster {

struct TaskServerOptions {
  std::string job = "worker";
  int task = 0;
  std::string listen = "127.0.0.1:0";
  // The address for other processes, if it differs from the listening one.
  std::string advertise;
  // Allow addresses reachable from elsewhere without TLS.
  bool insecure_allow_remote = false;
  int threads = 2;
  TransportOptions transport;
  MailboxOptions mailboxes;
  // For messages in parts, in both directions together.
  int64_t max_parts_bytes = int64_t{16} << 30;
  // A step without progress for this long is logged. 0: never.
  int64_t hang_report_ms = 10'000;
};

class TaskServer final : public Service {
 public:
  // Errors: the address; TLS. transport: must outlive the server; default: that
  // of this program.
  static Result<std::unique_ptr<TaskServer>> Start(
      TaskServerOptions options, Transport* transport = nullptr);
  ~TaskServer() override;

  const std::string& address() const { return address_; }
  const std::string& task() const { return task_; }
  // The tasks it may lead as a master; default: only its own.
  void SetCluster(ClusterSpec spec);

  StatusReply GetStatus() const;

  // Service
  void Serve(const std::string& method, Payload request,
             std::shared_ptr<ServedCall> call) override;
  bool IsStream(std::string_view method) const override;
  StreamEvents Accept(const std::string& method,
                      std::shared_ptr<Stream> stream) override;

 private:
  TaskServer(TaskServerOptions options, Transport& transport);
  Status Listen();
  StreamEvents AcceptWorkerSession(std::shared_ptr<Stream> stream);
  StreamEvents AcceptSession(std::shared_ptr<Stream> stream);
  std::shared_ptr<MasterSession> FindSession(uint64_t id) const;
  Status Handle(const std::string& method, const Payload& request,
                const std::shared_ptr<ServedCall>& call);
  Status HandleMaster(const std::string& method, const Payload& request,
                      const std::shared_ptr<ServedCall>& call);
  void ResetAll(const ResetContainer& request,
                const std::shared_ptr<void>& all);
  Status HandlePart(const std::string& method, const Payload& request,
                    const std::shared_ptr<ServedCall>& call);
  void Reply(ServedCall& call, RunResult& result);
  void LookForHangs();

  const TaskServerOptions options_;
  const std::string task_;
  Transport& transport_;
  std::string address_;
  TaskWorker worker_;
  MasterPlace place_;
  MessageParts parts_;
  mutable Mutex mu_;
  bool stopped_ SL_GUARDED_BY(mu_) = false;
  Timer::Id hang_timer_ SL_GUARDED_BY(mu_) = 0;
  std::unordered_map<uint64_t, std::shared_ptr<MasterSession>> sessions_
      SL_GUARDED_BY(mu_);
  std::atomic<int64_t> calls_{0};
  std::unique_ptr<Server> server_;  // destroyed first
};

}  // namespace sluice::cluster
