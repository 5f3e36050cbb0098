#include "sluice/base/file.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "sluice/base/strings.h"
#include "sluice/base/system_error.h"

namespace sluice {

namespace {

constexpr size_t kBuffer = 1 << 16;
constexpr int64_t kMostOfDevice = 64 << 20;

Status NoMemory(const std::string& path, int64_t bytes) {
  return ResourceExhausted(StrCat("no memory for ", bytes, " bytes of \"",
                                  EscapeString(path), "\""));
}

}  // namespace

Result<std::unique_ptr<InputFile>> InputFile::Open(const std::string& path) {
  SL_RETURN_IF_ERROR(CheckPath(path));
  struct stat info;
  // Checked first: opening a pipe would wait for a writer.
  if (stat(path.c_str(), &info) != 0) return SystemError("read", path, errno);
  if (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)) {
    return InvalidArgument(
        StrCat("cannot read \"", EscapeString(path), "\": it is ",
               S_ISDIR(info.st_mode) ? "a directory" : "no plain file"));
  }
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return SystemError("read", path, errno);
  return std::unique_ptr<InputFile>(
      new InputFile(path, fd, static_cast<int64_t>(info.st_size)));
}

InputFile::~InputFile() { close(fd_); }

Status InputFile::Fill() {
  if (used_ < buffer_.size()) return OkStatus();
  buffer_.resize(kBuffer);
  used_ = 0;
  ssize_t got;
  do {
    got = read(fd_, buffer_.data(), buffer_.size());
  } while (got < 0 && errno == EINTR);
  int error = errno;
  buffer_.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return got < 0 ? SystemError("read", path_, error) : OkStatus();
}

Status InputFile::Read(int64_t n, std::string* to) {
  int64_t left = n;
  while (left > 0) {
    SL_RETURN_IF_ERROR(Fill());
    std::string_view have = buffered().substr(0, static_cast<size_t>(left));
    if (have.empty()) break;
    try {
      to->append(have);
    } catch (const std::bad_alloc&) {
      return NoMemory(path_, n);
    }
    used_ += have.size();
    offset_ += static_cast<int64_t>(have.size());
    left -= static_cast<int64_t>(have.size());
  }
  return OkStatus();
}

Result<bool> InputFile::ReadLine(std::string* to) {
  bool any = false;
  for (;;) {
    SL_RETURN_IF_ERROR(Fill());
    std::string_view have = buffered();
    if (have.empty()) return any;
    any = true;
    size_t end = have.find('\n');
    bool found = end != std::string_view::npos;
    std::string_view part = have.substr(0, end);
    try {
      to->append(part);
    } catch (const std::bad_alloc&) {
      return NoMemory(path_, static_cast<int64_t>(to->size()));
    }
    used_ += part.size() + found;
    offset_ += static_cast<int64_t>(part.size() + found);
    if (found) return true;
  }
}

Status InputFile::Seek(int64_t offset) {
  buffer_.clear();
  used_ = 0;
  offset_ = offset;
  if (lseek(fd_, static_cast<off_t>(offset), SEEK_SET) < 0) {
    return SystemError("seek in", path_, errno);
  }
  return OkStatus();
}

Result<std::unique_ptr<OutputFile>> OutputFile::Open(const std::string& path,
                                                     bool append) {
  SL_RETURN_IF_ERROR(CheckPath(path));
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
      !S_ISCHR(info.st_mode)) {
    return InvalidArgument(
        StrCat("cannot write \"", EscapeString(path), "\": it is ",
               S_ISDIR(info.st_mode) ? "a directory" : "no plain file"));
  }
  int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
  int fd = open(path.c_str(), flags, 0666);
  if (fd < 0) return SystemError("write", path, errno);
  return std::unique_ptr<OutputFile>(new OutputFile(path, fd));
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) (void)Close();
}

Status OutputFile::Write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() <= kBuffer) {
    buffer_.append(bytes);
    return OkStatus();
  }
  SL_RETURN_IF_ERROR(Flush());
  return WriteNow(bytes);
}

Status OutputFile::WriteNow(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t done = write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return SystemError("write", path_, errno);
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return OkStatus();
}

Status OutputFile::Flush() {
  Status status = WriteNow(buffer_);
  // Failed writes are not repeated: part of the data may have been written.
  buffer_.clear();
  return status;
}

Status OutputFile::Close() {
  Status status = Flush();
  if (close(fd_) != 0 && status.ok()) {
    status = SystemError("close", path_, errno);
  }
  fd_ = -1;
  return status;
}

Result<std::string> ReadFileBytes(const std::string& path) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<InputFile> file, InputFile::Open(path));
  std::string bytes;
  try {
    bytes.reserve(static_cast<size_t>(file->size()));
  } catch (const std::exception&) {  // no memory, or longer than any string
    return NoMemory(path, file->size());
  }
  // A file may have grown meanwhile, and devices do not report a length.
  int64_t most = file->size() + kMostOfDevice;
  SL_RETURN_IF_ERROR(file->Read(most + 1, &bytes));
  if (static_cast<int64_t>(bytes.size()) > most) {
    return InvalidArgument(StrCat("cannot read \"", EscapeString(path),
                                  "\" whole: it does not end"));
  }
  return bytes;
}

Status WriteFileBytes(const std::string& path, std::string_view bytes,
                      bool append) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file,
                      OutputFile::Open(path, append));
  SL_RETURN_IF_ERROR(file->Write(bytes));
  return file->Close();
}

bool FileExists(const std::string& path) {
  struct stat info;
  return CheckPath(path).ok() && stat(path.c_str(), &info) == 0;
}

Result<std::vector<std::string>> MatchingFiles(const std::string& pattern) {
  SL_RETURN_IF_ERROR(CheckPath(pattern));
  glob_t found{};
  int result = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths;
  if (result == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  if (result != 0 && result != GLOB_NOMATCH) {
    return ResourceExhausted(
        StrCat("cannot look for \"", EscapeString(pattern), "\""));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace sluice
