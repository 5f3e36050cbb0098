#include "sluice/report/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/formats/record_format.h"

namespace sluice::report {

namespace {
Status CannotWrite(const std::string& path) {
  int error = errno;
  return FailedPrecondition(StrCat("cannot write \"", EscapeString(path),
                                   "\": ", std::strerror(error)));
}
}  // namespace

Result<std::unique_ptr<EventFile>> EventFile::Open(const std::string& path,
                                                   int64_t most_waiting) {
  // A link planted in a shared folder would lead into another file.
  int fd = open(path.c_str(),
                O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) return CannotWrite(path);
  return std::unique_ptr<EventFile>(new EventFile(path, fd, most_waiting));
}

EventFile::~EventFile() {
  (void)Flush();
  close(fd_);
}

void EventFile::Append(std::string_view record) {
  std::string framed = FrameRecord(record);
  auto bytes = static_cast<int64_t>(framed.size());
  if (waiting_bytes_ + bytes > most_waiting_) {
    (void)Flush();
    if (!waiting_.empty()) {
      ++dropped_;
      return;
    }
  }
  waiting_bytes_ += bytes;
  waiting_.push_back(std::move(framed));
}

Status EventFile::Flush() {
  // Few large writes: small records are joined, unless one is begun already.
  constexpr size_t kPiece = 1 << 16;
  std::string piece;
  while (!waiting_.empty()) {
    if (written_ == 0 && waiting_.size() > 1) {
      piece.clear();
      while (!waiting_.empty() && piece.size() < kPiece) {
        piece += waiting_.front();
        waiting_.pop_front();
      }
      waiting_.push_front(std::move(piece));
    }
    std::string_view rest = std::string_view(waiting_.front()).substr(written_);
    ssize_t done = write(fd_, rest.data(), rest.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return CannotWrite(path_);
    written_ += static_cast<size_t>(done);
    if (written_ < waiting_.front().size()) continue;
    waiting_bytes_ -= static_cast<int64_t>(written_);
    waiting_.pop_front();
    written_ = 0;
  }
  return OkStatus();
}

}  // namespace sluice::report
