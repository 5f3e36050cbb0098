#include "sluice/cluster/grpc/grpc_channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/cluster/grpc/write_queue.h"

namespace sluice::cluster {

namespace {

// The client's end of a stream. Lives until gRPC is done with it; the Stream
// that users hold refers to it until then.
class ClientReactor
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // What the handle and the reactor share.
  struct Shared {
    Mutex mu;
    ClientReactor* reactor SL_GUARDED_BY(mu) = nullptr;
  };

  ClientReactor(std::shared_ptr<Shared> shared, StreamEvents events)
      : shared_(std::move(shared)), events_(std::move(events)) {}

  void Begin(grpc::GenericStub& stub, const std::string& method) {
    stub.PrepareBidiStreamingCall(&context_, method, {}, this);
    AddHold();  // for writes from outside
    StartRead(&incoming_);
    StartCall();
  }

  // All below REQUIRES: shared_->mu.
  void Write(Payload payload) {
    if (!held_) return;
    queue_.Add(std::move(payload));
    if (!queue_.writing()) StartWrite(queue_.Next());
  }
  void Close(bool cleanly) {
    if (!held_) return;
    closing_ = true;
    if (!cleanly) {
      context_.TryCancel();
      LetGo();
    } else if (!queue_.writing()) {
      StartWritesDone();
      LetGo();
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      MutexLock lock(shared_->mu);
      return LetGo();
    }
    if (events_.message) events_.message(FromByteBuffer(incoming_));
    StartRead(&incoming_);
  }
  void OnWriteDone(bool ok) override {
    MutexLock lock(shared_->mu);
    queue_.Wrote();
    if (!ok) return LetGo();
    if (!held_) return;
    if (!queue_.empty()) {
      StartWrite(queue_.Next());
    } else if (closing_) {
      StartWritesDone();
      LetGo();
    }
  }
  void OnDone(const grpc::Status& status) override {
    {
      MutexLock lock(shared_->mu);
      shared_->reactor = nullptr;
    }
    if (events_.closed) events_.closed(FromGrpc(status));
    delete this;
  }

 private:
  void LetGo() {
    if (!held_) return;
    held_ = false;
    queue_.Clear();
    RemoveHold();
  }

  grpc::ClientContext context_;
  const std::shared_ptr<Shared> shared_;
  StreamEvents events_;
  grpc::ByteBuffer incoming_;
  WriteQueue queue_;
  bool held_ = true, closing_ = false;
};

class ClientStream final : public Stream {
 public:
  explicit ClientStream(std::shared_ptr<ClientReactor::Shared> shared)
      : shared_(std::move(shared)) {}
  ~ClientStream() override { Close(Cancelled("nobody holds the stream")); }
  void Write(Payload payload) override {
    MutexLock lock(shared_->mu);
    if (shared_->reactor) shared_->reactor->Write(std::move(payload));
  }
  void Close(const Status& why) override {
    MutexLock lock(shared_->mu);
    if (shared_->reactor) shared_->reactor->Close(why.ok());
  }

 private:
  const std::shared_ptr<ClientReactor::Shared> shared_;
};

class GrpcChannel final : public Channel {
 public:
  explicit GrpcChannel(std::shared_ptr<grpc::Channel> channel)
      : stub_(std::move(channel)) {}

  void Call(const std::string& method, Payload request, int64_t timeout_ms,
            Done done) override {
    struct Calling {
      grpc::ClientContext context;
      grpc::ByteBuffer request, response;
      Done done;
    };
    auto* call = new Calling;
    call->request = ToByteBuffer(request);
    call->done = std::move(done);
    if (timeout_ms > 0) {
      call->context.set_deadline(std::chrono::system_clock::now() +
                                 std::chrono::milliseconds(timeout_ms));
    }
    stub_.UnaryCall(&call->context, method, {}, &call->request, &call->response,
                    [call](const grpc::Status& status) {
                      std::unique_ptr<Calling> own(call);
                      own->done(FromGrpc(status),
                                FromByteBuffer(own->response));
                    });
  }

  std::shared_ptr<Stream> Open(const std::string& method,
                               StreamEvents events) override {
    auto shared = std::make_shared<ClientReactor::Shared>();
    auto* reactor = new ClientReactor(shared, std::move(events));
    {
      MutexLock lock(shared->mu);
      shared->reactor = reactor;
    }
    auto stream = std::make_shared<ClientStream>(shared);
    reactor->Begin(stub_, method);
    return stream;
  }

 private:
  grpc::GenericStub stub_;
};

// gRPC ends the threads that call back with the last channel that used them;
// when one of those threads drops that channel, it would wait for itself. So
// one channel is kept for ever.
void KeepCallbackThreads() {
  struct Forever {
    grpc::GenericStub stub{grpc::CreateChannel(
        "unix:/nonexistent", grpc::InsecureChannelCredentials())};
    grpc::ClientContext context;
    grpc::ByteBuffer request = ToByteBuffer(Payload("none")), response;
    // It fails, which is all the same: the threads are there.
    Forever() {
      stub.UnaryCall(&context, "/none", {}, &request, &response,
                     [](const grpc::Status&) {});
    }
  };
  static Forever* const forever = new Forever;
  (void)forever;
}

Status ReadFile(const std::string& path, std::string* text) {
  text->clear();
  if (path.empty()) return OkStatus();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  if (!file) {
    return NotFound(StrCat("cannot read \"", path,
                           "\" for TLS; wanted a file "
                           "of PEM"));
  }
  *text = all.str();
  return OkStatus();
}

}  // namespace

Result<TlsFiles> ReadTlsFiles(const TlsFiles& files) {
  TlsFiles texts = files;
  if (files.authority.empty() || files.certificate.empty() ||
      files.key.empty()) {
    return InvalidArgument(
        "TLS needs three files: the authority's certificate, one's own "
        "certificate and its key; some are not given");
  }
  SL_RETURN_IF_ERROR(ReadFile(files.authority, &texts.authority));
  SL_RETURN_IF_ERROR(ReadFile(files.certificate, &texts.certificate));
  SL_RETURN_IF_ERROR(ReadFile(files.key, &texts.key));
  return texts;
}

Result<std::shared_ptr<Channel>> ConnectGrpc(const std::string& address,
                                             int number,
                                             const TransportOptions& options) {
  KeepCallbackThreads();
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS,
              static_cast<int>(options.keepalive_ms));
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
              static_cast<int>(options.keepalive_timeout_ms));
  args.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  // The time a connection may take to be made, in spite of its name.
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // Connections of its own: a new channel to a process that came back does not
  // wait for the old one's.
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt("sluice.channel", number);
  args.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
  args.SetMaxSendMessageSize(static_cast<int>(options.max_message_bytes));
  // Proxies are for the web.
  args.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  if (options.tls.any()) {
    SL_ASSIGN_OR_RETURN(TlsFiles texts, ReadTlsFiles(options.tls));
    grpc::SslCredentialsOptions ssl;
    ssl.pem_root_certs = texts.authority;
    ssl.pem_cert_chain = texts.certificate;
    ssl.pem_private_key = texts.key;
    credentials = grpc::SslCredentials(ssl);
    if (!options.tls.job.empty())
      args.SetSslTargetNameOverride(options.tls.job);
  } else {
    credentials = grpc::InsecureChannelCredentials();
  }
  return std::shared_ptr<Channel>(std::make_shared<GrpcChannel>(
      grpc::CreateCustomChannel(address, credentials, args)));
}

}  // namespace sluice::cluster
