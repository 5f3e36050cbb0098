#include "sluice/cluster/grpc/grpc_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/cluster/grpc/grpc_channel.h"
#include "sluice/cluster/grpc/write_queue.h"

namespace sluice::cluster {

namespace {

// Names that the caller's certificate carries.
std::vector<std::string> NamesOf(const grpc::CallbackServerContext& context) {
  std::vector<std::string> names;
  auto auth = context.auth_context();
  if (!auth || !auth->IsPeerAuthenticated()) return names;
  for (const grpc::string_ref& name : auth->GetPeerIdentity()) {
    names.emplace_back(name.data(), name.size());
  }
  return names;
}

// One call: read once, answered once.
class CallReactor final : public grpc::ServerGenericBidiReactor {
 public:
  CallReactor(Service& service, std::string method)
      : service_(service), method_(std::move(method)) {
    StartRead(&request_);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status(grpc::StatusCode::CANCELLED, "gone"));
    service_.Serve(method_, FromByteBuffer(request_),
                   std::make_shared<Served>(*this));
  }
  void OnDone() override { delete this; }

 private:
  // Answers for certain: where nobody did, when it goes.
  class Served final : public ServedCall {
   public:
    explicit Served(CallReactor& reactor) : reactor_(&reactor) {}
    ~Served() override { Refuse(Internal("nobody answered the call")); }
    void Reply(Payload answer) override {
      CallReactor* r = Take();
      if (!r) return;
      r->response_ = ToByteBuffer(answer);
      r->StartWriteAndFinish(&r->response_, {}, grpc::Status::OK);
    }
    void Refuse(const Status& why) override {
      if (CallReactor* r = Take()) r->Finish(ToGrpc(why));
    }

   private:
    CallReactor* Take() { return reactor_.exchange(nullptr); }
    std::atomic<CallReactor*> reactor_;
  };

  Service& service_;
  const std::string method_;
  grpc::ByteBuffer request_, response_;
};

class RefusingReactor final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RefusingReactor(const Status& why) { Finish(ToGrpc(why)); }
  void OnDone() override { delete this; }
};

// The server's end of a stream.
class StreamReactor final : public grpc::ServerGenericBidiReactor {
 public:
  struct Shared {
    Mutex mu;
    StreamReactor* reactor SL_GUARDED_BY(mu) = nullptr;
  };
  class Handle final : public Stream {
   public:
    explicit Handle(std::shared_ptr<Shared> shared)
        : shared_(std::move(shared)) {}
    void Write(Payload payload) override {
      MutexLock lock(shared_->mu);
      if (shared_->reactor) shared_->reactor->Write(std::move(payload));
    }
    void Close(const Status& why) override {
      MutexLock lock(shared_->mu);
      if (shared_->reactor) shared_->reactor->Close(why);
    }

   private:
    const std::shared_ptr<Shared> shared_;
  };

  StreamReactor(Service& service, const std::string& method)
      : shared_(std::make_shared<Shared>()) {
    {
      MutexLock lock(shared_->mu);
      shared_->reactor = this;
    }
    events_ = service.Accept(method, std::make_shared<Handle>(shared_));
    StartRead(&incoming_);
  }

  void OnReadDone(bool ok) override {
    if (ok) {
      if (events_.message) events_.message(FromByteBuffer(incoming_));
    }
    MutexLock lock(shared_->mu);
    if (!ok) return Close(OkStatus());
    if (!ended_) StartRead(&incoming_);
  }
  void OnWriteDone(bool ok) override {
    MutexLock lock(shared_->mu);
    queue_.Wrote();
    if (!ok) queue_.Clear();
    if (!queue_.empty()) {
      StartWrite(queue_.Next());
    } else if (closing_) {
      End();
    }
  }
  // Called when the connection is lost or the caller gave up.
  void OnCancel() override {
    MutexLock lock(shared_->mu);
    cancelled_ = true;
    Close(Status(Code::kUnavailable, "the connection was lost"));
  }
  void OnDone() override {
    Status why;
    {
      MutexLock lock(shared_->mu);
      shared_->reactor = nullptr;
      why = why_;
      if (cancelled_ && why.ok()) {
        why = Status(Code::kUnavailable, "the connection was lost");
      }
    }
    if (events_.closed) events_.closed(why);
    delete this;
  }

 private:
  // All below REQUIRES: shared_->mu.
  void Write(Payload payload) {
    if (closing_) return;
    queue_.Add(std::move(payload));
    if (!queue_.writing()) StartWrite(queue_.Next());
  }
  void Close(const Status& why) {
    if (closing_) return;
    closing_ = true;
    why_ = why;
    if (!queue_.writing()) End();
  }
  void End() {
    if (!ended_) Finish(ToGrpc(why_));
    ended_ = true;
  }

  const std::shared_ptr<Shared> shared_;
  StreamEvents events_;
  grpc::ByteBuffer incoming_;
  WriteQueue queue_;
  bool closing_ = false, ended_ = false, cancelled_ = false;
  Status why_;
};

class GenericService final : public grpc::CallbackGenericService {
 public:
  GenericService(Service& service, std::string job)
      : service_(service), job_(std::move(job)) {}
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    if (!job_.empty()) {
      std::vector<std::string> names = NamesOf(*context);
      if (std::find(names.begin(), names.end(), job_) == names.end()) {
        return new RefusingReactor(FailedPrecondition(
            StrCat("the caller's certificate is for ",
                   names.empty() ? "nobody" : Join(names, ", "),
                   "; wanted one for job \"", job_, "\"")));
      }
    }
    if (service_.IsStream(context->method())) {
      return new StreamReactor(service_, context->method());
    }
    return new CallReactor(service_, context->method());
  }

 private:
  Service& service_;
  const std::string job_;
};

class GrpcServer final : public Server {
 public:
  GrpcServer(Service& service, std::string job)
      : generic_(service, std::move(job)) {}
  ~GrpcServer() override {
    if (!server_) return;
    // What is served is told that it is over at once.
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
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
    builder.RegisterCallbackGenericService(&generic_);
    auto bytes = static_cast<int>(options.max_message_bytes);
    builder.SetMaxReceiveMessageSize(bytes);
    builder.SetMaxSendMessageSize(bytes);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS,
                               static_cast<int>(options.keepalive_ms));
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                               static_cast<int>(options.keepalive_timeout_ms));
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    // Callers ask as often as this server does.
    builder.AddChannelArgument(
        GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 200);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    // Two servers on one port would each get some of the calls.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 10000);
    server_ = builder.BuildAndStart();
    if (!server_ || port_ == 0) {
      return Status(Code::kUnavailable,
                    StrCat("cannot listen on ", address,
                           ": the port is taken or the address is not one of "
                           "this machine"));
    }
    return OkStatus();
  }

 private:
  GenericService generic_;
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
