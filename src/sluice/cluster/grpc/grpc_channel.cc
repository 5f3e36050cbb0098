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
#include "sluice/cluster/grpc/poller.h"
#include "sluice/cluster/grpc/write_queue.h"

namespace sluice::cluster {

namespace {

using ClientCall =
    grpc::ClientAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

// The client's end of a stream. Lives until gRPC has finished with it; the
// Stream that users hold refers to it until then.
class OpenStream {
 public:
  // State shared with the handle.
  struct Shared {
    Mutex mu;
    OpenStream* stream SL_GUARDED_BY(mu) = nullptr;
  };

  OpenStream(std::shared_ptr<Shared> shared, StreamEvents events,
             std::shared_ptr<Poller> poller)
      : poller_(std::move(poller)),
        shared_(std::move(shared)),
        events_(std::move(events)) {}

  void Begin(grpc::GenericStub& stub, const std::string& method) {
    call_ = stub.PrepareCall(&context_, method, poller_->queue());
    Hold();
    call_->StartCall(&started_);
  }

  // REQUIRES for both: shared_->mu.
  void Write(Payload payload) {
    if (closing_) return;
    queue_.Add(std::move(payload));
    WriteNext();
  }
  void Close(bool cleanly) {
    if (closing_) return;
    closing_ = true;
    if (!cleanly) {
      queue_.Clear();
      context_.TryCancel();
    } else {
      WriteNext();
    }
  }

 private:
  // Every pending gRPC operation holds a reference.
  void Hold() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void LetGo() {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    {
      MutexLock lock(shared_->mu);
      shared_->stream = nullptr;
    }
    if (events_.closed) events_.closed(FromGrpc(status_));
    delete this;
  }

  // Writes what is queued, then the end of the stream. REQUIRES: shared_->mu.
  void WriteNext() {
    if (!ready_ || queue_.writing()) return;
    if (!queue_.empty()) {
      Hold();
      call_->Write(*queue_.Next(), &wrote_);
    } else if (closing_) {
      ready_ = false;
      Hold();
      call_->WritesDone(&writes_ended_);
    }
  }
  // Called once, when nothing more will be read.
  void Finish() {
    {
      MutexLock lock(shared_->mu);
      closing_ = true;
      ready_ = false;
      queue_.Clear();
    }
    call_->Finish(&status_, &finished_);
  }

  void Started(bool ok) {
    if (ok) {
      {
        MutexLock lock(shared_->mu);
        ready_ = true;
        WriteNext();
      }
      Hold();
      call_->Read(&incoming_, &read_);
    } else {
      Finish();
    }
    LetGo();
  }
  void Read(bool ok) {
    if (!ok) {
      Finish();
      return LetGo();
    }
    if (events_.message) events_.message(FromByteBuffer(incoming_));
    call_->Read(&incoming_, &read_);
  }
  void Wrote(bool ok) {
    {
      MutexLock lock(shared_->mu);
      queue_.Wrote();
      if (!ok) {  // the read reports why
        queue_.Clear();
        closing_ = true;
        ready_ = false;
      }
      WriteNext();
    }
    LetGo();
  }
  void WritesEnded(bool) { LetGo(); }
  void Finished(bool) { LetGo(); }

  const std::shared_ptr<Poller> poller_;  // released last
  grpc::ClientContext context_;
  std::unique_ptr<ClientCall> call_;
  const std::shared_ptr<Shared> shared_;
  StreamEvents events_;
  grpc::ByteBuffer incoming_;
  grpc::Status status_;
  WriteQueue queue_;
  bool ready_ = false;           // gRPC accepts writes
  bool closing_ = false;         // users' writes are ignored
  std::atomic<int> holders_{1};  // one until it has finished
  MemberCompletion<OpenStream, &OpenStream::Started> started_{*this};
  MemberCompletion<OpenStream, &OpenStream::Read> read_{*this};
  MemberCompletion<OpenStream, &OpenStream::Wrote> wrote_{*this};
  MemberCompletion<OpenStream, &OpenStream::WritesEnded> writes_ended_{*this};
  MemberCompletion<OpenStream, &OpenStream::Finished> finished_{*this};
};

class ClientStream final : public Stream {
 public:
  explicit ClientStream(std::shared_ptr<OpenStream::Shared> shared)
      : shared_(std::move(shared)) {}
  ~ClientStream() override { Close(Cancelled("nobody holds the stream")); }
  void Write(Payload payload) override {
    MutexLock lock(shared_->mu);
    if (shared_->stream) shared_->stream->Write(std::move(payload));
  }
  void Close(const Status& why) override {
    MutexLock lock(shared_->mu);
    if (shared_->stream) shared_->stream->Close(why.ok());
  }

 private:
  const std::shared_ptr<OpenStream::Shared> shared_;
};

// One call, until it is answered.
class Calling final : public Completion {
 public:
  Calling(Payload request, Channel::Done done, std::shared_ptr<Poller> poller)
      : poller_(std::move(poller)),
        request_(ToByteBuffer(request)),
        done_(std::move(done)) {}
  void Begin(grpc::GenericStub& stub, const std::string& method,
             int64_t timeout_ms) {
    if (timeout_ms > 0) {
      context_.set_deadline(std::chrono::system_clock::now() +
                            std::chrono::milliseconds(timeout_ms));
    }
    reader_ =
        stub.PrepareUnaryCall(&context_, method, request_, poller_->queue());
    reader_->StartCall();
    reader_->Finish(&response_, &status_, this);
  }
  void Done(bool) override {
    std::unique_ptr<Calling> own(this);
    done_(FromGrpc(status_), FromByteBuffer(response_));
  }

 private:
  const std::shared_ptr<Poller> poller_;  // released last
  grpc::ClientContext context_;
  grpc::ByteBuffer request_, response_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader_;
  grpc::Status status_;
  Channel::Done done_;
};

class GrpcChannel final : public Channel {
 public:
  explicit GrpcChannel(std::shared_ptr<grpc::Channel> channel)
      : poller_(Poller::Home()), stub_(std::move(channel)) {}

  void Call(const std::string& method, Payload request, int64_t timeout_ms,
            Done done) override {
    auto* call = new Calling(std::move(request), std::move(done), poller_);
    call->Begin(stub_, method, timeout_ms);
    poller_->Hurry();
  }

  std::shared_ptr<Stream> Open(const std::string& method,
                               StreamEvents events) override {
    auto shared = std::make_shared<OpenStream::Shared>();
    auto* opened = new OpenStream(shared, std::move(events), poller_);
    {
      MutexLock lock(shared->mu);
      shared->stream = opened;
    }
    auto stream = std::make_shared<ClientStream>(shared);
    opened->Begin(stub_, method);
    poller_->Hurry();
    return stream;
  }

  void HelpUntil(const std::function<bool()>& done) override {
    poller_->HelpUntil(done);
  }

 private:
  const std::shared_ptr<Poller> poller_;
  grpc::GenericStub stub_;
};

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
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  args.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS,
              static_cast<int>(options.keepalive_ms));
  args.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
              static_cast<int>(options.keepalive_timeout_ms));
  args.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  args.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  // Despite its name, this is the time limit for establishing a connection.
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // Separate connections: a new channel to a restarted process must not wait
  // for the old channel's connection.
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args.SetInt("sluice.channel", number);
  args.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
  args.SetMaxSendMessageSize(static_cast<int>(options.max_message_bytes));
  // Do not use web proxies.
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
