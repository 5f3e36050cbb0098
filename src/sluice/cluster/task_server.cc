#include "sluice/cluster/task_server.h"

#include <cstdio>
#include <random>

#include "sluice/base/caught.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/array_wire.h"
#include "sluice/cluster/background.h"
#include "sluice/cluster/fetch_tensor.h"
#include "sluice/cluster/tallies.h"

namespace sluice::cluster {

namespace {

TaskWorkerOptions WorkerOptions(const TaskServerOptions& options,
                                const std::string& task) {
  TaskWorkerOptions its;
  its.task = task;
  its.threads = options.threads;
  its.transport = options.transport;
  its.mailboxes = options.mailboxes;
  return its;
}

Payload Answered(const Status& status, uint64_t id = 0) {
  Answer answer;
  answer.status = WireStatus(status);
  answer.id = id;
  return WrapBytes(Encode(answer));
}

Payload Told(const Result<std::string>& text) {
  Explained answer;
  answer.status = WireStatus(text.status());
  if (text.ok()) answer.text = *text;
  return WrapBytes(Encode(answer));
}

}  // namespace

void TaskServer::Reply(ServedCall& call, RunResult& result) {
  Answer answer;
  answer.status = std::move(result.status);
  answer.traces = std::move(result.traces);
  Result<Payload> reply = Wrap(Encode(answer), result.values);
  call.Reply(reply.ok() ? parts_.Fit(*std::move(reply))
                        : Answered(reply.status()));
}

TaskServer::TaskServer(TaskServerOptions options, Transport& transport)
    : options_(std::move(options)),
      task_(TaskName(options_.job, options_.task)),
      transport_(transport),
      worker_(WorkerOptions(options_, task_), transport),
      parts_({.max_message_bytes = options_.transport.max_message_bytes,
              .max_kept_bytes = options_.max_parts_bytes}) {
  place_.worker = &worker_;
  place_.transport = &transport_;
  place_.options = options_.transport;
}

Result<std::unique_ptr<TaskServer>> TaskServer::Start(TaskServerOptions options,
                                                      Transport* transport) {
  SL_RETURN_IF_ERROR(CheckAddress(options.listen));
  if (!IsLoopback(options.listen) && !options.transport.tls.any() &&
      !options.insecure_allow_remote) {
    return FailedPrecondition(StrCat(
        "other machines can reach ", options.listen,
        ", and whoever reaches a "
        "server can run any graph on it: give TLS certificates (--tls-ca, "
        "--tls-cert, --tls-key), or say --insecure-allow-remote where the "
        "network is safe"));
  }
  if (!transport) {
    SL_ASSIGN_OR_RETURN(transport, DefaultTransport());
  }
  std::unique_ptr<TaskServer> server(
      new TaskServer(std::move(options), *transport));
  SL_RETURN_IF_ERROR(server->Listen());
  return server;
}

Status TaskServer::Listen() {
  SL_ASSIGN_OR_RETURN(
      server_, transport_.Listen(options_.listen, *this, options_.transport));
  std::string host = options_.listen.substr(0, options_.listen.rfind(':'));
  address_ = options_.advertise.empty() ? StrCat(host, ":", server_->port())
                                        : options_.advertise;
  worker_.SetAddress(address_);
  ClusterSpec alone;
  auto& addresses = alone.jobs[options_.job];
  addresses.resize(static_cast<size_t>(options_.task) + 1);
  addresses.back() = address_;
  SetCluster(std::move(alone));
  LookForHangs();
  return OkStatus();
}

TaskServer::~TaskServer() {
  std::unordered_map<uint64_t, std::shared_ptr<MasterSession>> sessions;
  Timer::Id timer = 0;
  {
    MutexLock lock(mu_);
    stopped_ = true;
    sessions.swap(sessions_);
    timer = hang_timer_;
  }
  if (timer != 0) Timer::Default().Cancel(timer);
  for (const auto& [id, session] : sessions) {
    session->Close(Status(Code::kUnavailable,
                          StrCat("master ", task_, " is shutting down")));
  }
  worker_.Stop();  // all calls have been answered
  server_ = nullptr;
  Background::WaitForAll();
}

void TaskServer::SetCluster(ClusterSpec spec) {
  MutexLock lock(place_.mu);
  place_.spec = std::move(spec);
}

std::shared_ptr<MasterSession> TaskServer::FindSession(uint64_t id) const {
  MutexLock lock(mu_);
  auto it = sessions_.find(id);
  return it == sessions_.end() ? nullptr : it->second;
}

// ---- Streams ----

bool TaskServer::IsStream(std::string_view method) const {
  return method == methods::kTensors || method == methods::kKeepWorkerSession ||
         method == methods::kKeepSession;
}

StreamEvents TaskServer::Accept(const std::string& method,
                                std::shared_ptr<Stream> stream) {
  if (method == methods::kTensors) {
    return worker_.AcceptTensors(std::move(stream));
  }
  if (method == methods::kKeepSession) return AcceptSession(std::move(stream));
  return AcceptWorkerSession(std::move(stream));
}

StreamEvents TaskServer::AcceptWorkerSession(std::shared_ptr<Stream> stream) {
  // The session that this stream keeps alive; 0: none.
  auto kept = std::make_shared<std::atomic<uint64_t>>(0);
  auto master = std::make_shared<std::string>();
  StreamEvents events;
  events.message = [this, kept, master, stream](const Payload& payload) {
    if (kept->load() != 0) return;  // further messages are ignored
    Result<KeepWorkerSession> request =
        DecodeParcel<KeepWorkerSession>(payload);
    Status status = request.ok() ? worker_.Keep(*request) : request.status();
    if (status.ok()) {
      *master = request->master;
      kept->store(request->session);
    }
    stream->Write(Answered(status));
    if (!status.ok()) stream->Close(OkStatus());
  };
  events.closed = [this, kept, master](const Status& why) {
    if (uint64_t session = kept->exchange(0)) {
      worker_.Drop(session, why.ok()
                                ? Cancelled("the session was closed")
                                : Status(Code::kUnavailable,
                                         StrCat("master ", *master,
                                                " is gone: ", why.message())));
    }
  };
  return events;
}

StreamEvents TaskServer::AcceptSession(std::shared_ptr<Stream> stream) {
  auto kept = std::make_shared<std::atomic<uint64_t>>(0);
  StreamEvents events;
  events.message = [this, kept, stream](const Payload& payload) {
    if (kept->load() != 0) return;
    SessionOpened opened;
    Result<KeepSession> request = DecodeParcel<KeepSession>(payload);
    if (request.ok()) {
      std::random_device random;
      MutexLock lock(mu_);
      if (stopped_) {
        opened.status = WireStatus(
            Status(Code::kUnavailable, StrCat(task_, " is shutting down")));
      } else {
        opened.session = uint64_t{random()} << 32 | random() | 1;
        sessions_[opened.session] = std::make_shared<MasterSession>(
            opened.session, request->seed, place_);
        kept->store(opened.session);
      }
    } else {
      opened.status = WireStatus(request.status());
    }
    opened.default_task = task_;
    opened.max_message_bytes = options_.transport.max_message_bytes;
    for (const auto& [task, address] : place_.Spec().Tasks()) {
      opened.tasks.push_back({task, address, 0});
    }
    stream->Write(WrapBytes(Encode(opened)));
  };
  events.closed = [this, kept](const Status& why) {
    uint64_t id = kept->exchange(0);
    if (id == 0) return;
    std::shared_ptr<MasterSession> session;
    {
      MutexLock lock(mu_);
      auto it = sessions_.find(id);
      if (it == sessions_.end()) return;
      session = std::move(it->second);
      sessions_.erase(it);
    }
    session->Close(
        why.ok() ? Cancelled("the session was closed")
                 : Cancelled(StrCat("the client is gone: ", why.message())));
  };
  return events;
}

// ---- Calls ----

void TaskServer::Serve(const std::string& method, Payload request,
                       std::shared_ptr<ServedCall> call) {
  calls_.fetch_add(1, std::memory_order_relaxed);
  StepQueue::Here here(worker_.queue());
  Status status = Guarded([&]() -> Status {
    if (method == methods::kHealth) {
      call->Reply(Payload(std::string("\x08\x01", 2)));  // SERVING
      return OkStatus();
    }
    return method.starts_with("/sluice.v1.Master/")
               ? HandleMaster(method, request, call)
               : Handle(method, request, call);
  });
  if (!status.ok()) call->Refuse(status);
  here.Run(kHereNanos);
}

Status TaskServer::Handle(const std::string& method, const Payload& request,
                          const std::shared_ptr<ServedCall>& call) {
  if (method == methods::kStatus) {
    call->Reply(WrapBytes(Encode(GetStatus())));
  } else if (method == methods::kRun) {
    SL_ASSIGN_OR_RETURN(Parcel parcel, Unwrap(request));
    SL_ASSIGN_OR_RETURN(RunGraph run, Decode<RunGraph>(parcel.head));
    worker_.Run(run, std::move(parcel.arrays),
                [this, call](RunResult result) { Reply(*call, result); });
  } else if (method == methods::kRegister) {
    SL_ASSIGN_OR_RETURN(RegisterGraph its,
                        DecodeParcel<RegisterGraph>(request));
    Result<uint64_t> id = worker_.Register(its);
    call->Reply(Answered(id.status(), id.ok() ? *id : 0));
  } else if (method == methods::kExplainPiece) {
    SL_ASSIGN_OR_RETURN(RegisterGraph its,
                        DecodeParcel<RegisterGraph>(request));
    call->Reply(Told(worker_.Explain(its)));
  } else if (method == methods::kForget) {
    SL_ASSIGN_OR_RETURN(ForgetGraph its, DecodeParcel<ForgetGraph>(request));
    worker_.Forget(its);
    call->Reply(Answered(OkStatus()));
  } else if (method == methods::kAbort) {
    SL_ASSIGN_OR_RETURN(AbortStep its, DecodeParcel<AbortStep>(request));
    worker_.Abort(its);
    call->Reply(Answered(OkStatus()));
  } else if (method == methods::kFetch) {
    SL_ASSIGN_OR_RETURN(FetchPart its, DecodeParcel<FetchPart>(request));
    call->Reply(worker_.Fetch(its));
  } else if (method == methods::kReset) {
    SL_ASSIGN_OR_RETURN(ResetContainer its,
                        DecodeParcel<ResetContainer>(request));
    worker_.Reset(its.container);
    // Answered when the last task has answered or timed out.
    std::shared_ptr<void> all(
        nullptr, [call](void*) { call->Reply(Answered(OkStatus())); });
    if (its.everywhere) ResetAll(its, all);
  } else {
    return HandlePart(method, request, call);
  }
  return OkStatus();
}

Status TaskServer::HandlePart(const std::string& method, const Payload& request,
                              const std::shared_ptr<ServedCall>& call) {
  if (method == methods::kPutPart) {
    SL_ASSIGN_OR_RETURN(OpenParcel open, OpenBytes(request));
    SL_ASSIGN_OR_RETURN(PutPart its, Decode<PutPart>(open.head));
    call->Reply(Answered(parts_.Put(its, open.contents, request)));
    return OkStatus();
  }
  if (method == methods::kTakePart) {
    SL_ASSIGN_OR_RETURN(TakePart its, DecodeParcel<TakePart>(request));
    Result<Payload> part = parts_.Take(its);
    call->Reply(part.ok() ? WrapBytes(Encode(Answer()), *std::move(part))
                          : Answered(part.status()));
    return OkStatus();
  }
  if (method == methods::kRunParts) {
    SL_ASSIGN_OR_RETURN(RunParts its, DecodeParcel<RunParts>(request));
    Result<Payload> whole = parts_.Whole(its.id);
    if (!whole.ok()) {
      call->Reply(Answered(whole.status()));
      return OkStatus();
    }
    return its.method.starts_with("/sluice.v1.Master/")
               ? HandleMaster(its.method, *whole, call)
               : Handle(its.method, *whole, call);
  }
  return Unimplemented(StrCat("there is no method ", method));
}

Status TaskServer::HandleMaster(const std::string& method,
                                const Payload& request,
                                const std::shared_ptr<ServedCall>& call) {
  auto unknown = [&](uint64_t id) {
    call->Reply(Answered(
        Aborted(StrCat("master ", task_, " does not know session ", id,
                       ": it was restarted, or lost the client for a while"))));
    return OkStatus();
  };
  if (method == methods::kRunPrepared) {
    SL_ASSIGN_OR_RETURN(Parcel parcel, Unwrap(request));
    SL_ASSIGN_OR_RETURN(RunPrepared run, Decode<RunPrepared>(parcel.head));
    std::shared_ptr<MasterSession> session = FindSession(run.session);
    if (!session) return unknown(run.session);
    session->Run(run, std::move(parcel.arrays),
                 [this, call](RunResult result) { Reply(*call, result); });
    return OkStatus();
  }
  if (method == methods::kPrepare) {
    SL_ASSIGN_OR_RETURN(PrepareGraph its, DecodeParcel<PrepareGraph>(request));
    std::shared_ptr<MasterSession> session = FindSession(its.session);
    if (!session) return unknown(its.session);
    Background::Start([session, its = std::move(its), call] {
      Result<uint64_t> id = Guarded([&] { return session->Prepare(its); });
      call->Reply(Answered(id.status(), id.ok() ? *id : 0));
    });
    return OkStatus();
  }
  if (method == methods::kExplain) {
    SL_ASSIGN_OR_RETURN(PrepareGraph its, DecodeParcel<PrepareGraph>(request));
    std::shared_ptr<MasterSession> session = FindSession(its.session);
    if (!session) return unknown(its.session);
    Background::Start([session, its = std::move(its), call] {
      call->Reply(Told(Guarded([&] { return session->Explain(its); })));
    });
    return OkStatus();
  }
  if (method == methods::kCancel) {
    SL_ASSIGN_OR_RETURN(CancelRun its, DecodeParcel<CancelRun>(request));
    std::shared_ptr<MasterSession> session = FindSession(its.session);
    if (session) session->Cancel(its.request, its.why.ToStatus());
    call->Reply(Answered(OkStatus()));
    return OkStatus();
  }
  if (method == methods::kRelease) {
    SL_ASSIGN_OR_RETURN(ReleasePrepared its,
                        DecodeParcel<ReleasePrepared>(request));
    std::shared_ptr<MasterSession> session = FindSession(its.session);
    if (session) session->Release(its.prepared);
    call->Reply(Answered(OkStatus()));
    return OkStatus();
  }
  return Unimplemented(StrCat("there is no method ", method));
}

void TaskServer::ResetAll(const ResetContainer& request,
                          const std::shared_ptr<void>& all) {
  ResetContainer theirs = request;
  theirs.everywhere = false;
  for (const auto& [task, address] : place_.Spec().Tasks()) {
    if (task == task_) continue;
    Result<std::shared_ptr<Channel>> channel =
        transport_.Connect(address, 0, options_.transport);
    if (!channel.ok()) continue;
    // A server that is down has lost its state anyway.
    (*channel)->Call(methods::kReset, WrapBytes(Encode(theirs)), 10'000,
                     [keep = *channel, all](const Status&, const Payload&) {});
  }
}

// ---- Monitoring ----

StatusReply TaskServer::GetStatus() const {
  StatusReply reply;
  reply.self = worker_.self();
  worker_.AddGauges(&reply.gauges);
  int64_t sessions = 0, steps = 0, prepared = 0;
  {
    MutexLock lock(mu_);
    for (const auto& [id, session] : sessions_) {
      ++sessions;
      steps += session->num_steps();
      prepared += session->num_prepared();
    }
  }
  reply.gauges.push_back({"master_sessions", sessions});
  reply.gauges.push_back({"master_steps", steps});
  reply.gauges.push_back({"master_prepared", prepared});
  reply.gauges.push_back({"parts_kept_bytes", parts_.kept_bytes()});
  reply.gauges.push_back({"calls_total", calls_.load()});
  Tallies::Get().AddTo(&reply.gauges);
  reply.gauges.push_back({"copied_to_send_bytes_total", CopiedToSend()});
  reply.gauges.push_back({"fetched_bytes_total", BytesFetchedByParts()});
  reply.gauges.push_back({"shared_bytes_total", BytesFetchedDirectly()});
  reply.waits = worker_.Waits(0);
  for (const auto& [task, address] : place_.Spec().Tasks()) {
    reply.cluster.push_back({task, address, 0});
  }
  return reply;
}

void TaskServer::LookForHangs() {
  if (options_.hang_report_ms <= 0) return;
  // Twice per period, so that reports are not much late.
  MutexLock lock(mu_);
  if (stopped_) return;
  hang_timer_ =
      Timer::Default().After(options_.hang_report_ms * 1'000'000 / 2, [this] {
        for (const std::string& line : worker_.Waits(options_.hang_report_ms)) {
          std::fprintf(stderr, "sluice-server: %s\n", line.c_str());
        }
        parts_.DropOld();
        LookForHangs();
      });
}

}  // namespace sluice::cluster
