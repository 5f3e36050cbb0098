// Socket: a TCP connection or listener, closed by the destructor, and the
// operations used while a group forms. Every wait has a deadline (in
// NowNanos()), and ends with Cancelled if the thread is interrupted.
//
// Belongs to one thread at a time; Shutdown() may be called from any thread.
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
  // Wakes all waiting threads, on both sides.
  void Shutdown() const;

  // Waits until everything is sent or received. Errors: Unavailable if the
  // other side has closed the connection, DeadlineExceeded.
  Status Send(const void* data, size_t bytes, int64_t deadline) const;
  Status Receive(void* data, size_t bytes, int64_t deadline) const;
  // Whether the other side has closed it and no data is left to read.
  bool Ended() const;

 private:
  int fd_ = -1;
};

// Splits "host:port" and "[::1]:port". Error: neither.
Status SplitAddress(const std::string& address, std::string* host, int* port);

// With port 0 the system chooses one; `chosen` is set to it.
Result<Socket> Listen(const std::string& host, int port, int* chosen);
Result<Socket> Accept(const Socket& listener, int64_t deadline);
// Retries until the deadline while nobody listens at the address.
Result<Socket> Connect(const std::string& host, int port, int64_t deadline);

}  // namespace sluice::collective
