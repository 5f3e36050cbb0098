// Transport: message passing between processes, as the cluster needs it. gRPC
// is one implementation (cluster/grpc); tests use one that loses, repeats and
// alters messages.
//
// Everything is thread safe. Calls do not block: answers arrive by callback, on
// threads of the transport that must not be held for long.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sluice/cluster/payload.h"

namespace sluice::cluster {

// One end of a stream. Writes arrive in order; several may be merged, so the
// writer must delimit its messages.
class Stream {
 public:
  virtual ~Stream() = default;
  // No effect after the stream has ended.
  virtual void Write(Payload payload) = 0;
  // After this call, this end receives no event but `closed`.
  virtual void Close(const Status& why) = 0;
  // The verified identity of the other end, if any.
  virtual std::string peer() const { return ""; }
};

struct StreamEvents {
  std::function<void(Payload)> message;
  std::function<void(Status)> closed;  // once, last; OK: closed normally
};

class Channel {
 public:
  virtual ~Channel() = default;
  using Done = std::function<void(Status, Payload)>;
  // Errors: of the transport alone; those of the other side are in its answers.
  // timeout_ms 0: while the connection is up.
  virtual void Call(const std::string& method, Payload request,
                    int64_t timeout_ms, Done done) = 0;
  // Events may arrive before this returns.
  virtual std::shared_ptr<Stream> Open(const std::string& method,
                                       StreamEvents events) = 0;
  // For a thread that waits for an answer: it may do the transport's work in
  // the meantime. `done` becomes true by an answer or a stream's event, and may
  // be evaluated at any time. May return early.
  virtual void HelpUntil(const std::function<bool()>& done) { (void)done; }
};

// A call being served. Answered once.
class ServedCall {
 public:
  virtual ~ServedCall() = default;
  virtual void Reply(Payload answer) = 0;
  // The call cannot be served: unknown method, or not allowed.
  virtual void Refuse(const Status& why) = 0;
  virtual std::string peer() const { return ""; }
};

// The request handlers of a server.
class Service {
 public:
  virtual ~Service() = default;
  virtual void Serve(const std::string& method, Payload request,
                     std::shared_ptr<ServedCall> call) = 0;
  virtual bool IsStream(std::string_view method) const = 0;
  virtual StreamEvents Accept(const std::string& method,
                              std::shared_ptr<Stream> stream) = 0;
};

class Server {
 public:
  // Ends calls and streams.
  virtual ~Server() = default;
  virtual int port() const = 0;
};

// Files of mutual TLS; all empty: plain text.
struct TlsFiles {
  std::string authority;    // trusted certificates
  std::string certificate;  // ours
  std::string key;
  // A name that the other side's certificate must contain: "job-17". Empty: any
  // certificate that the authority signed.
  std::string job;
  bool any() const {
    return !authority.empty() || !certificate.empty() || !key.empty();
  }
};

struct TransportOptions {
  TlsFiles tls;
  int64_t max_message_bytes = int64_t{256} << 20;
  // A peer that answers nothing is probed after the first interval and
  // considered lost after the second.
  int64_t keepalive_ms = 1500;
  int64_t keepalive_timeout_ms = 2500;
  // Time for a task to answer each of the initial requests.
  int64_t attach_ms = 10'000;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // "127.0.0.1:0": the system chooses a port. `service` must outlive the
  // server.
  virtual Result<std::unique_ptr<Server>> Listen(
      const std::string& address, Service& service,
      const TransportOptions& options) = 0;
  // Connects on first use. Channels with different numbers have separate
  // connections.
  virtual Result<std::shared_ptr<Channel>> Connect(
      const std::string& address, int number,
      const TransportOptions& options) = 0;
  // Called by a callback before long work, such as copying megabytes: another
  // thread continues to read.
  virtual void TakesLong() {}
};

// The transport of this program: linked in, or loaded from libsluice_grpc.so.
// Error: none is available, and how to install it.
Result<Transport*> DefaultTransport();

}  // namespace sluice::cluster
