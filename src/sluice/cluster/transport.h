// Transport: how messages pass between processes, as far as the cluster needs
// to know. gRPC is one (cluster/grpc); tests have one that loses, repeats and
// alters messages.
//
// Everything is thread safe. Nobody waits in a call: answers come by callback,
// from threads of the transport that must not be kept for long.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sluice/cluster/payload.h"

namespace sluice::cluster {

// One end of a stream. What is written arrives in order; several writes may
// arrive as one, so whoever writes more than one thing says where each ends.
class Stream {
 public:
  virtual ~Stream() = default;
  // Nothing happens when the stream has ended.
  virtual void Write(Payload payload) = 0;
  // The end that calls it hears nothing afterwards but `closed`.
  virtual void Close(const Status& why) = 0;
  // Who is at the other end, as far as the transport has checked it.
  virtual std::string peer() const { return ""; }
};

struct StreamEvents {
  std::function<void(Payload)> message;
  std::function<void(Status)> closed;  // once, last; OK: as the other end said
};

class Channel {
 public:
  virtual ~Channel() = default;
  using Done = std::function<void(Status, Payload)>;
  // Errors: of the transport alone; the other side's are in its answers.
  // timeout_ms 0: as long as the connection lives.
  virtual void Call(const std::string& method, Payload request,
                    int64_t timeout_ms, Done done) = 0;
  // Events may come before this returns.
  virtual std::shared_ptr<Stream> Open(const std::string& method,
                                       StreamEvents events) = 0;
  // For a thread that waits for an answer: it may do the transport's work until
  // then. `done` comes true by an answer or a stream's event, and may be asked
  // at any time. May return earlier.
  virtual void HelpUntil(const std::function<bool()>& done) { (void)done; }
};

// A call that is being served. Answered once.
class ServedCall {
 public:
  virtual ~ServedCall() = default;
  virtual void Reply(Payload answer) = 0;
  // The call itself cannot be served: of an unknown method, not allowed.
  virtual void Refuse(const Status& why) = 0;
  virtual std::string peer() const { return ""; }
};

// What a server does.
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
  std::string authority;    // certificates that are trusted
  std::string certificate;  // ours
  std::string key;
  // A name that the other side's certificate must carry: "job-17". Empty: any
  // that the authority signed.
  std::string job;
  bool any() const {
    return !authority.empty() || !certificate.empty() || !key.empty();
  }
};

struct TransportOptions {
  TlsFiles tls;
  int64_t max_message_bytes = int64_t{256} << 20;
  // A peer that answers nothing for this long is lost: asked after the first,
  // given up after the second.
  int64_t keepalive_ms = 1500;
  int64_t keepalive_timeout_ms = 2500;
  // How long a task may take to answer each of the first questions.
  int64_t attach_ms = 10'000;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // "127.0.0.1:0": a port is chosen. `service` must outlive the server.
  virtual Result<std::unique_ptr<Server>> Listen(
      const std::string& address, Service& service,
      const TransportOptions& options) = 0;
  // Connects when it is first used. `number`: channels of different numbers
  // have connections of their own.
  virtual Result<std::shared_ptr<Channel>> Connect(
      const std::string& address, int number,
      const TransportOptions& options) = 0;
  // Said by a callback before it does something that takes as long as to copy
  // megabytes: another thread reads on meanwhile.
  virtual void TakesLong() {}
};

// That of this program: linked in, or loaded from libsluice_grpc.so. Error:
// there is none, and how to get it.
Result<Transport*> DefaultTransport();

}  // namespace sluice::cluster
