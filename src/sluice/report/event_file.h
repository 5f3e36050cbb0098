// EventFile: appends records to a file that a reader may follow while it grows.
//
// Records are buffered until Flush(). A partially written record (no space
// left) is continued by the next Flush(): the file never contains half a record
// followed by another. The buffer is bounded; excess records are dropped and
// counted. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "sluice/base/status.h"

namespace sluice::report {

class EventFile {
 public:
  // Creates the file, or appends to it. `most_waiting`: bytes.
  static Result<std::unique_ptr<EventFile>> Open(
      const std::string& path, int64_t most_waiting = int64_t{64} << 20);
  ~EventFile();  // flushes
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  void Append(std::string_view record);
  // The error names the file and the system's reason.
  Status Flush();

  int64_t waiting_bytes() const { return waiting_bytes_; }
  int64_t dropped() const { return dropped_; }

 private:
  EventFile(std::string path, int fd, int64_t most_waiting)
      : path_(std::move(path)), fd_(fd), most_waiting_(most_waiting) {}

  const std::string path_;
  const int fd_;
  const int64_t most_waiting_;
  std::deque<std::string> waiting_;  // encoded records
  size_t written_ = 0;               // bytes of the first that are in it
  int64_t waiting_bytes_ = 0;
  int64_t dropped_ = 0;
};

}  // namespace sluice::report
