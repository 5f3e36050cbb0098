// Socket: a TCP connection or a listening place, closed with the object; and
// what is done with one before a group stands. Every wait has a deadline (of
// NowNanos()), and ends with Cancelled where the thread is interrupted.
//
// Belongs to one thread at a time; Shutdown() may be called by any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "sluice/base/status.h"

namespace sluice::collective {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  Socket& operator=(Socket&& o) noexcept {
    std::swap(fd_, o.fd_);
    return *this;
  }
  ~Socket();

  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // Wakes whoever waits for it, on both sides.
  void Shutdown() const;

  // Waits until all is sent or received. Errors: Unavailable where the other
  // side has gone, DeadlineExceeded.
  Status Send(const void* data, size_t bytes, int64_t deadline) const;
  Status Receive(void* data, size_t bytes, int64_t deadline) const;
  // Whether the other side has closed it, and nothing of it is left to read.
  bool Ended() const;

 private:
  int fd_ = -1;
};

// "host:port" and "[::1]:port". Error: no such thing.
Status SplitAddress(const std::string& address, std::string* host, int* port);

// At port 0 the system chooses one; `port` says which.
Result<Socket> Listen(const std::string& host, int port, int* chosen);
Result<Socket> Accept(const Socket& listener, int64_t deadline);
// Tries again while nobody listens there, until the deadline.
Result<Socket> Connect(const std::string& host, int port, int64_t deadline);

}  // namespace sluice::collective
