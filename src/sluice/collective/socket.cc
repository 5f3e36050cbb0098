#include "sluice/collective/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "sluice/base/clock.h"
#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"

namespace sluice::collective {

namespace {

// Time limit for one address to answer.
constexpr int64_t kPatienceNs = int64_t{5} * 1'000'000'000;

Status Unavailable(std::string message) {
  return Status(Code::kUnavailable, std::move(message));
}

std::string ErrorText(int error) { return std::strerror(error); }

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> Lookup(const std::string& host, int port, bool listen) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (listen ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  int error =
      getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    return Unavailable(
        StrCat("cannot find the host \"", host, "\": ", gai_strerror(error)));
  }
  return Addresses(found);
}

// Detect a peer whose machine is gone without traffic, and do not wait for the
// system's default of a quarter of an hour when a peer stops reading.
void SetOptions(int fd) {
  int on = 1, idle = 10, interval = 5, count = 4;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

// Waits until the descriptor is ready. Error: DeadlineExceeded, with that text.
Status WaitFor(int fd, short events, int64_t deadline, const char* late) {
  while (true) {
    int64_t left = deadline - NowNanos();
    if (left <= 0) return DeadlineExceeded(late);
    // Polled: a signal may be delivered to another thread.
    SL_RETURN_IF_ERROR(Interruption::Check());
    pollfd one{fd, events, 0};
    int ms = static_cast<int>(std::min<int64_t>(left / 1'000'000 + 1, 100));
    if (poll(&one, 1, ms) > 0) return OkStatus();
  }
}

// Returns 0 or an errno value. Later operations on the socket never block.
Result<int> TryConnect(const Socket& s, const addrinfo& to, int64_t deadline) {
  if (!s) return errno;
  if (connect(s.fd(), to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  Status status = WaitFor(s.fd(), POLLOUT, deadline, "");
  if (status.code() == Code::kDeadlineExceeded) return ETIMEDOUT;
  SL_RETURN_IF_ERROR(status);
  int error = 0;
  socklen_t length = sizeof(error);
  if (getsockopt(s.fd(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
    return errno;
  }
  return error;
}

// Whether it has connected to itself, as TCP allows: while nobody listens, the
// system may assign the target port as the local port.
bool IsItself(const Socket& s) {
  sockaddr_storage here{}, there{};
  socklen_t of_here = sizeof(here), of_there = sizeof(there);
  auto* a = reinterpret_cast<sockaddr*>(&here);
  auto* b = reinterpret_cast<sockaddr*>(&there);
  return getsockname(s.fd(), a, &of_here) == 0 &&
         getpeername(s.fd(), b, &of_there) == 0 && of_here == of_there &&
         std::memcmp(&here, &there, of_here) == 0;
}

}  // namespace

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

void Socket::Shutdown() const {
  if (fd_ >= 0) (void)shutdown(fd_, SHUT_RDWR);
}

Status Socket::Send(const void* data, size_t bytes, int64_t deadline) const {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    ssize_t n = send(fd_, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      at += n;
      bytes -= static_cast<size_t>(n);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      return Unavailable(StrCat("the connection broke: ", ErrorText(errno)));
    }
    SL_RETURN_IF_ERROR(
        WaitFor(fd_, POLLOUT, deadline, "the other side takes nothing"));
  }
  return OkStatus();
}

Status Socket::Receive(void* data, size_t bytes, int64_t deadline) const {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    ssize_t n = recv(fd_, at, bytes, MSG_DONTWAIT);
    if (n > 0) {
      at += n;
      bytes -= static_cast<size_t>(n);
      continue;
    }
    if (n == 0) return Unavailable("the other side closed the connection");
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      return Unavailable(StrCat("the connection broke: ", ErrorText(errno)));
    }
    SL_RETURN_IF_ERROR(
        WaitFor(fd_, POLLIN, deadline, "the other side says nothing"));
  }
  return OkStatus();
}

bool Socket::Ended() const {
  char byte;
  ssize_t n = recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

Status SplitAddress(const std::string& address, std::string* host, int* port) {
  size_t colon = address.rfind(':');
  bool good = colon != std::string::npos && colon > 0;
  if (good) {
    std::string_view digits = std::string_view(address).substr(colon + 1);
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), *port);
    good = error == std::errc() && end == digits.data() + digits.size() &&
           *port >= 0 && *port <= 65535;
  }
  if (!good) {
    return InvalidArgument(
        StrCat("\"", address, "\" is no address; wanted host:port"));
  }
  *host = address.substr(0, colon);
  if (host->size() > 2 && host->front() == '[' && host->back() == ']') {
    *host = host->substr(1, host->size() - 2);
  }
  return OkStatus();
}

Result<Socket> Listen(const std::string& host, int port, int* chosen) {
  SL_ASSIGN_OR_RETURN(Addresses list, Lookup(host, port, /*listen=*/true));
  int error = 0;
  for (addrinfo* at = list.get(); at; at = at->ai_next) {
    Socket s(
        socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol));
    int on = 1;
    sockaddr_storage bound{};
    socklen_t length = sizeof(bound);
    if (!s || setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
        bind(s.fd(), at->ai_addr, at->ai_addrlen) || listen(s.fd(), 1024) ||
        getsockname(s.fd(), reinterpret_cast<sockaddr*>(&bound), &length)) {
      error = errno;
      continue;
    }
    *chosen = ntohs(bound.ss_family == AF_INET6
                        ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                        : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
    return s;
  }
  return Unavailable(
      StrCat("cannot listen at ", host, ":", port, ": ", ErrorText(error)));
}

Result<Socket> Accept(const Socket& listener, int64_t deadline) {
  while (true) {
    SL_RETURN_IF_ERROR(WaitFor(listener.fd(), POLLIN, deadline, "nobody came"));
    int fd = accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) {
      SetOptions(fd);
      return Socket(fd);
    }
    // The new connection may have been closed again.
    if (errno != EINTR && errno != ECONNABORTED && errno != EAGAIN) {
      return Unavailable(StrCat("cannot accept: ", ErrorText(errno)));
    }
  }
}

Result<Socket> Connect(const std::string& host, int port, int64_t deadline) {
  int64_t pause = 2'000'000;
  while (true) {
    Result<Addresses> list = Lookup(host, port, /*listen=*/false);
    Status failed = list.status();
    if (list.ok()) {
      for (addrinfo* at = list->get(); at; at = at->ai_next) {
        Socket s(socket(at->ai_family,
                        at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                        at->ai_protocol));
        // Do not wait for the system's default of two minutes if an address
        // drops packets: another address may answer.
        SL_ASSIGN_OR_RETURN(
            int error,
            TryConnect(s, *at, std::min(deadline, NowNanos() + kPatienceNs)));
        if (error == 0 && IsItself(s)) error = ECONNREFUSED;
        if (error == 0) {
          SetOptions(s.fd());
          return s;
        }
        failed = Unavailable(StrCat("cannot connect to ", host, ":", port, ": ",
                                    ErrorText(error)));
      }
    }
    if (NowNanos() + pause >= deadline) return failed;
    SL_RETURN_IF_ERROR(Interruption::Check());
    // Not listening yet: ranks are started in any order.
    std::this_thread::sleep_for(std::chrono::nanoseconds(pause));
    pause = std::min<int64_t>(pause * 2, 200'000'000);
  }
}

}  // namespace sluice::collective
