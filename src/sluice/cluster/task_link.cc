#include "sluice/cluster/task_link.h"

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/message_parts.h"
#include "sluice/cluster/waiting_for.h"

namespace sluice::cluster {

namespace {

class LocalLink final : public TaskLink {
 public:
  LocalLink(TaskWorker& worker, uint64_t session) : worker_(worker) {
    info_ = worker.self();
    session_ = session;
  }
  ~LocalLink() override {
    worker_.Drop(session_, Cancelled("the session was closed"));
  }
  void Register(const RegisterGraph& request, Registered done) override {
    done(worker_.Register(request));
  }
  void Explain(const RegisterGraph& request, Told done) override {
    done(worker_.Explain(request));
  }
  void Forget(uint64_t piece) override {
    worker_.Forget({.session = session_, .piece = piece});
  }
  void Run(const RunGraph& request, std::vector<Array> feeds,
           RunDone done) override {
    worker_.Run(request, std::move(feeds), std::move(done));
  }
  void Abort(const AbortStep& request) override { worker_.Abort(request); }

 private:
  TaskWorker& worker_;
};

class RemoteLink final : public TaskLink {
 public:
  RemoteLink(std::string task, std::string address, uint64_t session) {
    info_.task = std::move(task);
    info_.address = std::move(address);
    session_ = session;
  }
  ~RemoteLink() override {
    if (keep_) keep_->Close(OkStatus());
  }

  Status Attach(const std::string& master, Transport& transport,
                const TransportOptions& options) {
    SL_ASSIGN_OR_RETURN(channel_, transport.Connect(info_.address, 0, options));
    // All servers of a cluster have the same message limit.
    max_message_bytes_ = options.max_message_bytes;
    attach_ms_ = options.attach_ms;
    // Finds out which incarnation of the process it is.
    auto asked = std::make_shared<WaitingFor<Result<StatusReply>>>();
    channel_->Call(methods::kStatus, WrapBytes(""), attach_ms_,
                   [asked](Status status, Payload payload) {
                     if (!status.ok()) return asked->Bring(status);
                     asked->Bring(DecodeParcel<StatusReply>(payload));
                   });
    Result<StatusReply> reply = asked->Wait();
    if (!reply.ok()) return Gone(reply.status());
    if (reply->self.task != info_.task) {
      return FailedPrecondition(StrCat("at ", info_.address, " is task ",
                                       reply->self.task, "; wanted ",
                                       info_.task));
    }
    info_.incarnation = reply->self.incarnation;
    return Hold(master);
  }

  void Register(const RegisterGraph& request, Registered done) override {
    CallInParts(channel_, methods::kRegister, WrapBytes(Encode(request)),
                max_message_bytes_, 0,
                [this, self = shared_from_this(), done = std::move(done)](
                    const Status& status, const Payload& payload) {
                  done(AnswerOf(status, payload));
                });
  }
  void Explain(const RegisterGraph& request, Told done) override {
    channel_->Call(methods::kExplainPiece, WrapBytes(Encode(request)), 0,
                   [this, self = shared_from_this(), done = std::move(done)](
                       const Status& status, const Payload& payload) {
                     done(TextOf(status, payload));
                   });
  }
  void Forget(uint64_t piece) override {
    if (broken()) return;
    ForgetGraph request{.session = session_, .piece = piece};
    channel_->Call(methods::kForget, WrapBytes(Encode(request)), 0,
                   [](const Status&, const Payload&) {});
  }
  void Run(const RunGraph& request, std::vector<Array> feeds,
           RunDone done) override {
    Result<Payload> message = Wrap(Encode(request), feeds);
    if (!message.ok()) return done({message.status()});
    const int64_t asked = NowNanos();
    CallInParts(
        channel_, methods::kRun, *std::move(message), max_message_bytes_, 0,
        [this, self = shared_from_this(), asked, done = std::move(done)](
            const Status& status, const Payload& payload) {
          done(ResultOf(status, payload, asked));
        });
  }
  void GiveUp() override {
    broken_.store(true, std::memory_order_release);
    keep_->Close(OkStatus());
  }
  void Abort(const AbortStep& request) override {
    channel_->Call(methods::kAbort, WrapBytes(Encode(request)), 0,
                   [](const Status&, const Payload&) {});
  }

 private:
  Status Gone(const Status& why) {
    broken_.store(true, std::memory_order_release);
    if (why.code() == Code::kResourceExhausted) return why;
    return Status(Code::kUnavailable,
                  StrCat("task ", info_.task, " at ", info_.address,
                         " cannot be reached: ", why.message()));
  }

  // Opens the stream that keeps the session alive there.
  Status Hold(const std::string& master) {
    auto held = std::make_shared<WaitingFor<Status>>();
    keep_ = channel_->Open(
        methods::kKeepWorkerSession,
        {.message =
             [held](const Payload& payload) {
               Result<Answer> answer = DecodeParcel<Answer>(payload);
               held->Bring(answer.ok() ? answer->status.ToStatus()
                                       : answer.status());
             },
         .closed =
             [this, held, weak = weak_from_this()](const Status& why) {
               held->Bring(why.ok() ? Status(Code::kUnavailable, "it has ended")
                                    : why);
               if (auto self = weak.lock()) {
                 broken_.store(true, std::memory_order_release);
               }
             }});
    KeepWorkerSession request;
    request.session = session_;
    request.incarnation = info_.incarnation;
    request.master = master;
    keep_->Write(WrapBytes(Encode(request)));
    // A message lost while the connection is up is never answered.
    const Status status =
        held->WaitFor(attach_ms_)
            .value_or(Status(Code::kUnavailable,
                             StrCat("no answer within ", attach_ms_, " ms")));
    if (status.code() == Code::kUnavailable) return Gone(status);
    return status;
  }

  Result<uint64_t> AnswerOf(const Status& status, const Payload& payload) {
    if (!status.ok()) return Gone(status);
    SL_ASSIGN_OR_RETURN(Answer answer, DecodeParcel<Answer>(payload));
    SL_RETURN_IF_ERROR(answer.status.ToStatus());
    return answer.id;
  }

  Result<std::string> TextOf(const Status& status, const Payload& payload) {
    if (!status.ok()) return Gone(status);
    SL_ASSIGN_OR_RETURN(Explained answer, DecodeParcel<Explained>(payload));
    SL_RETURN_IF_ERROR(answer.status.ToStatus());
    return answer.text;
  }

  // `asked`: the time of the request, by our clock.
  RunResult ResultOf(const Status& status, const Payload& payload,
                     int64_t asked) {
    const int64_t answered = NowNanos();
    if (!status.ok()) return {Gone(status)};
    Result<Parcel> parcel = Unwrap(payload);
    if (!parcel.ok()) {
      return {parcel.status().WithLine(
          StrCat("in an answer of task ", info_.task))};
    }
    Result<Answer> answer = Decode<Answer>(parcel->head);
    if (!answer.ok()) return {answer.status()};
    // The task no longer knows the session.
    if (answer->status.lost) {
      broken_.store(true, std::memory_order_release);
    }
    for (WireTrace& trace : answer->traces) {
      AlignClock(asked, answered, &trace);
    }
    return {answer->status, std::move(parcel->arrays),
            std::move(answer->traces)};
  }

  std::shared_ptr<Channel> channel_;
  std::shared_ptr<Stream> keep_;
  int64_t max_message_bytes_ = 0;
  int64_t attach_ms_ = 0;
};

}  // namespace

Result<std::shared_ptr<TaskLink>> AttachLocal(TaskWorker& worker,
                                              uint64_t session) {
  KeepWorkerSession request;
  request.session = session;
  request.incarnation = worker.self().incarnation;
  request.master = worker.self().task;
  SL_RETURN_IF_ERROR(worker.Keep(request));
  return std::shared_ptr<TaskLink>(
      std::make_shared<LocalLink>(worker, session));
}

Result<std::shared_ptr<TaskLink>> AttachRemote(
    const std::string& task, const std::string& address, uint64_t session,
    const std::string& master, Transport& transport,
    const TransportOptions& options) {
  auto link = std::make_shared<RemoteLink>(task, address, session);
  SL_RETURN_IF_ERROR(link->Attach(master, transport, options));
  return std::shared_ptr<TaskLink>(std::move(link));
}

}  // namespace sluice::cluster
