#include "benchmarks/cluster_floor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/transport.h"
#include "sluice/cluster/waiting_for.h"

namespace sluice::bench {

namespace {

using cluster::Channel;
using cluster::Payload;
using cluster::PayloadReader;

bool ReadAll(int socket, char* to, int64_t bytes) {
  while (bytes > 0) {
    ssize_t got = read(socket, to, static_cast<size_t>(bytes));
    if (got <= 0) return false;
    to += got;
    bytes -= got;
  }
  return true;
}

bool WriteAll(int socket, const char* from, int64_t bytes) {
  while (bytes > 0) {
    ssize_t put = write(socket, from, static_cast<size_t>(bytes));
    if (put <= 0) return false;
    from += put;
    bytes -= put;
  }
  return true;
}

void NoDelay(int socket) {
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

struct TcpPair {
  explicit TcpPair(int64_t size)
      : from(static_cast<size_t>(size)), to(static_cast<size_t>(size)) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    SL_CHECK(bind(listener, reinterpret_cast<sockaddr*>(&address), length) ==
             0);
    SL_CHECK(listen(listener, 1) == 0);
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
    client = socket(AF_INET, SOCK_STREAM, 0);
    SL_CHECK(connect(client, reinterpret_cast<sockaddr*>(&address), length) ==
             0);
    server = accept(listener, nullptr, nullptr);
    close(listener);
    NoDelay(client);
    NoDelay(server);
    answers = std::thread([this] {
      char question = 0;
      while (ReadAll(server, &question, 1)) {
        if (!WriteAll(server, from.data(), static_cast<int64_t>(from.size()))) {
          break;
        }
      }
    });
  }
  ~TcpPair() {
    shutdown(client, SHUT_RDWR);
    answers.join();
    close(client);
    close(server);
  }
  std::vector<char> from, to;
  int client = -1, server = -1;
  std::thread answers;
};

// Answers every call with the same bytes, from where they lie.
struct SameAnswer final : cluster::Service {
  explicit SameAnswer(int64_t size)
      : bytes(std::make_shared<std::vector<char>>(static_cast<size_t>(size))) {}
  void Serve(const std::string&, Payload,
             std::shared_ptr<cluster::ServedCall> call) override {
    Payload answer;
    answer.Append(cluster::Slice{bytes->data(), bytes->size(), bytes});
    call->Reply(std::move(answer));
  }
  bool IsStream(std::string_view) const override { return false; }
  cluster::StreamEvents Accept(const std::string&,
                               std::shared_ptr<cluster::Stream>) override {
    return {};
  }
  std::shared_ptr<std::vector<char>> bytes;
};

struct GrpcPair {
  explicit GrpcPair(int64_t size)
      : service(size), to(static_cast<size_t>(size)) {
    cluster::TransportOptions options;
    options.max_message_bytes = int64_t{1} << 30;
    cluster::Transport* transport = ValueOrThrow(cluster::DefaultTransport());
    server = ValueOrThrow(transport->Listen("127.0.0.1:0", service, options));
    channel = ValueOrThrow(
        transport->Connect(StrCat("127.0.0.1:", server->port()), 0, options));
  }
  void Ask() {
    auto done = std::make_shared<cluster::WaitingFor<bool>>();
    channel->Call("/floor/Ask", Payload("?"), 0,
                  [&, done](const Status& status, const Payload& payload) {
                    SL_CHECK(status.ok());
                    PayloadReader(payload).Read(to.data(), to.size());
                    done->Bring(true);
                  });
    channel->HelpUntil([&] { return done->there(); });
    done->Wait();
  }
  SameAnswer service;
  std::vector<char> to;
  std::unique_ptr<cluster::Server> server;
  std::shared_ptr<Channel> channel;
};

}  // namespace

Floor TcpFloor(int64_t bytes) {
  auto pair = std::make_shared<TcpPair>(bytes);
  auto ask = [p = pair.get(), bytes] {
    SL_CHECK(WriteAll(p->client, "?", 1));
    SL_CHECK(ReadAll(p->client, p->to.data(), bytes));
  };
  return {ask, pair};
}

Floor GrpcFloor(int64_t bytes) {
  auto pair = std::make_shared<GrpcPair>(bytes);
  return {[p = pair.get()] { p->Ask(); }, pair};
}

}  // namespace sluice::bench
