#include "sluice/cluster/grpc/grpc_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>

#include "sluice/base/event_count.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/cluster/grpc/grpc_channel.h"
#include "sluice/cluster/grpc/poller.h"
#include "sluice/cluster/grpc/write_queue.h"

namespace sluice::cluster {

namespace {

// The names in the caller's certificate.
std::vector<std::string> NamesOf(const grpc::ServerContext& context) {
  std::vector<std::string> names;
  auto auth = context.auth_context();
  if (!auth || !auth->IsPeerAuthenticated()) return names;
  for (const grpc::string_ref& name : auth->GetPeerIdentity()) {
    names.emplace_back(name.data(), name.size());
  }
  return names;
}

// Counts the calls being served, so that the server can wait for their end.
class Serving {
 public:
  void Begin() { count_.fetch_add(1); }
  void End() {
    if (count_.fetch_sub(1) == 1) none_.Notify();
  }
  void WaitForAll() {
    while (count_.load() != 0) {
      uint32_t seen = none_.Prepare();
      if (count_.load() == 0) {
        none_.Cancel();
      } else {
        none_.Wait(seen);
      }
    }
  }

 private:
  std::atomic<int64_t> count_{0};
  EventCount none_;
};

// The parts of a server that calls use.
struct ServerPlace {
  Service& service;
  const std::string job;  // required in the caller's certificate
  grpc::AsyncGenericService generic;
  std::shared_ptr<Poller> poller;
  grpc::ServerCompletionQueue* queue = nullptr;
  Serving serving;
};

// An incoming call, answered once, or an incoming stream. It is created before
// its caller arrives, and lives until gRPC has finished with it.
class Incoming {
 public:
  // Waits for the next caller.
  static void Await(ServerPlace& place) {
    auto* next = new Incoming(place);
    next->place_.serving.Begin();
    next->context_.AsyncNotifyWhenDone(&next->over_);
    place.generic.RequestCall(&next->context_, &next->call_, place.queue,
                              place.queue, &next->came_);
  }

 private:
  // State shared with the handle.
  struct Shared {
    Mutex mu;
    Incoming* call SL_GUARDED_BY(mu) = nullptr;
  };
  // Guarantees an answer: the destructor sends one if nobody has.
  class Served final : public ServedCall {
   public:
    explicit Served(Incoming& call) : call_(&call) {}
    ~Served() override { Refuse(Internal("nobody answered the call")); }
    void Reply(Payload answer) override {
      Incoming* c = Take();
      if (!c) return;
      c->outgoing_ = ToByteBuffer(answer);
      c->call_.WriteAndFinish(c->outgoing_, {}, grpc::Status::OK,
                              &c->finished_);
    }
    void Refuse(const Status& why) override {
      if (Incoming* c = Take()) c->call_.Finish(ToGrpc(why), &c->finished_);
    }

   private:
    Incoming* Take() { return call_.exchange(nullptr); }
    std::atomic<Incoming*> call_;
  };
  class Handle final : public Stream {
   public:
    explicit Handle(std::shared_ptr<Shared> shared)
        : shared_(std::move(shared)) {}
    void Write(Payload payload) override {
      MutexLock lock(shared_->mu);
      if (shared_->call) shared_->call->Write(std::move(payload));
    }
    void Close(const Status& why) override {
      MutexLock lock(shared_->mu);
      if (shared_->call) shared_->call->Close(why);
    }

   private:
    const std::shared_ptr<Shared> shared_;
  };

  explicit Incoming(ServerPlace& place)
      : place_(place), poller_(place.poller), call_(&context_) {}

  // Every pending gRPC operation holds a reference, and so does the handler
  // that must answer.
  void Hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void LetGo() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    Status why;
    if (shared_) {
      MutexLock lock(shared_->mu);
      shared_->call = nullptr;
      why = why_;
    }
    if (why.ok() && context_.IsCancelled()) why = Lost();
    if (events_.closed) events_.closed(why);
    Serving& serving = place_.serving;
    std::shared_ptr<Poller> poller = poller_;  // outlives everything else here
    delete this;
    serving.End();
  }
  static Status Lost() {
    return Status(Code::kUnavailable, "the connection was lost");
  }

  void Came(bool ok) {
    if (!ok) {
      // The server has shut down; no further events arrive for this call.
      place_.serving.End();
      delete this;
      return;
    }
    Await(place_);
    Status allowed = Allowed();
    if (!allowed.ok()) return call_.Finish(ToGrpc(allowed), &finished_);
    if (place_.service.IsStream(context_.method())) {
      shared_ = std::make_shared<Shared>();
      MutexLock lock(shared_->mu);
      shared_->call = this;
    }
    if (shared_) {
      events_ = place_.service.Accept(context_.method(),
                                      std::make_shared<Handle>(shared_));
    }
    Hold();
    call_.Read(&incoming_, &read_);
  }

  Status Allowed() const {
    if (place_.job.empty()) return OkStatus();
    std::vector<std::string> names = NamesOf(context_);
    if (std::find(names.begin(), names.end(), place_.job) != names.end()) {
      return OkStatus();
    }
    return FailedPrecondition(
        StrCat("the caller's certificate is for ",
               names.empty() ? "nobody" : Join(names, ", "),
               "; wanted one for job \"", place_.job, "\""));
  }

  void Read(bool ok) {
    if (shared_) {
      if (ok) {
        if (Hears()) events_.message(FromByteBuffer(incoming_));
        return call_.Read(&incoming_, &read_);
      }
      MutexLock lock(shared_->mu);
      Close(OkStatus());
    } else if (ok) {
      place_.service.Serve(context_.method(), FromByteBuffer(incoming_),
                           std::make_shared<Served>(*this));
    } else {
      call_.Finish(grpc::Status(grpc::StatusCode::CANCELLED, "gone"),
                   &finished_);
    }
    LetGo();
  }
  bool Hears() {
    MutexLock lock(shared_->mu);
    return !closing_ && events_.message;
  }
  void Wrote(bool ok) {
    {
      MutexLock lock(shared_->mu);
      queue_.Wrote();
      if (!ok) queue_.Clear();
      WriteNext();
    }
    LetGo();
  }
  void Finished(bool) { LetGo(); }
  // gRPC reports the end of the call: it was answered, the connection was lost,
  // or the caller cancelled.
  void Over(bool) {
    if (shared_ && context_.IsCancelled()) {
      MutexLock lock(shared_->mu);
      Close(Lost());
    }
    LetGo();
  }

  // The functions below require shared_->mu.
  void Write(Payload payload) {
    if (closing_) return;
    queue_.Add(std::move(payload));
    WriteNext();
  }
  void Close(const Status& why) {
    if (closing_) return;
    closing_ = true;
    why_ = why;
    WriteNext();
  }
  // Writes what is queued, then the end of the stream.
  void WriteNext() {
    if (queue_.writing() || ended_) return;
    if (!queue_.empty()) {
      Hold();
      call_.Write(*queue_.Next(), &wrote_);
    } else if (closing_) {
      ended_ = true;
      call_.Finish(ToGrpc(why_), &finished_);
    }
  }

  ServerPlace& place_;
  const std::shared_ptr<Poller> poller_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter call_;
  grpc::ByteBuffer incoming_, outgoing_;
  std::shared_ptr<Shared> shared_;  // null: not a stream
  StreamEvents events_;
  WriteQueue queue_;
  bool closing_ = false, ended_ = false;
  Status why_;
  // Initially two: until it is over and until it is finished.
  std::atomic<int> holders_{2};
  MemberCompletion<Incoming, &Incoming::Came> came_{*this};
  MemberCompletion<Incoming, &Incoming::Read> read_{*this};
  MemberCompletion<Incoming, &Incoming::Wrote> wrote_{*this};
  MemberCompletion<Incoming, &Incoming::Finished> finished_{*this};
  MemberCompletion<Incoming, &Incoming::Over> over_{*this};
};

class GrpcServer final : public Server {
 public:
  GrpcServer(Service& service, std::string job)
      : place_{service, std::move(job), {}, nullptr, nullptr, {}} {}
  ~GrpcServer() override {
    if (!server_) return;
    // Calls being served are cancelled at once.
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    place_.serving.WaitForAll();
  }
  int port() const override { return port_; }

  Status Start(const std::string& address, const TransportOptions& options) {
    grpc::ServerBuilder builder;
    std::shared_ptr<grpc::ServerCredentials> credentials;
    if (options.tls.any()) {
      SL_ASSIGN_OR_RETURN(TlsFiles texts, ReadTlsFiles(options.tls));
      grpc::SslServerCredentialsOptions ssl(
          GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
      ssl.pem_root_certs = texts.authority;
      ssl.pem_key_cert_pairs.push_back({texts.key, texts.certificate});
      credentials = grpc::SslServerCredentials(ssl);
    } else {
      credentials = grpc::InsecureServerCredentials();
    }
    builder.AddListeningPort(address, credentials, &port_);
    builder.RegisterAsyncGenericService(&place_.generic);
    std::unique_ptr<grpc::ServerCompletionQueue> queue =
        builder.AddCompletionQueue();
    place_.queue = queue.get();
    auto bytes = static_cast<int>(options.max_message_bytes);
    builder.SetMaxReceiveMessageSize(bytes);
    builder.SetMaxSendMessageSize(bytes);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS,
                               static_cast<int>(options.keepalive_ms));
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                               static_cast<int>(options.keepalive_timeout_ms));
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    // Clients send keepalive pings as often as this server does.
    builder.AddChannelArgument(
        GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 200);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    // Without SO_REUSEPORT: two servers on one port would each get some of the
    // calls.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 10000);
    server_ = builder.BuildAndStart();
    if (!server_ || port_ == 0) {
      return Status(Code::kUnavailable,
                    StrCat("cannot listen on ", address,
                           ": the port is taken or the address is not one of "
                           "this machine"));
    }
    place_.poller = std::make_shared<Poller>(std::move(queue));
    Poller::OfferHome(place_.poller);
    // Each accepted call waits for the next one in turn.
    for (int i = 0; i < kAwaited; ++i) Incoming::Await(place_);
    return OkStatus();
  }

 private:
  // Concurrent callers that can be accepted.
  static constexpr int kAwaited = 4;
  ServerPlace place_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace

Result<std::unique_ptr<Server>> ListenGrpc(const std::string& address,
                                           Service& service,
                                           const TransportOptions& options) {
  auto server = std::make_unique<GrpcServer>(
      service, options.tls.any() ? options.tls.job : "");
  SL_RETURN_IF_ERROR(server->Start(address, options));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace sluice::cluster
