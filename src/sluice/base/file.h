// Files on disk: reading in parts or whole, writing, finding. Messages name the
// path and the system's reason.
//
// InputFile and OutputFile: one thread at a time. The functions: any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/status.h"

namespace sluice {

// A file open for buffered reading.
class InputFile {
 public:
  // Errors: NotFound; InvalidArgument for directories, pipes and sockets;
  // FailedPrecondition for unreadable files.
  static Result<std::unique_ptr<InputFile>> Open(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }  // at the time of opening
  int64_t offset() const { return offset_; }

  // Appends up to n bytes to *to; fewer only at the end of the file.
  Status Read(int64_t n, std::string* to);
  // Appends the rest of the line without its newline; false at the end of the
  // file.
  Result<bool> ReadLine(std::string* to);
  // REQUIRES: offset >= 0. Reads beyond the end return nothing.
  Status Seek(int64_t offset);

 private:
  InputFile(std::string path, int fd, int64_t size)
      : path_(std::move(path)), fd_(fd), size_(size) {}
  // Fills the buffer if it is empty; it stays empty at the end of the file.
  Status Fill();
  std::string_view buffered() const {
    return std::string_view(buffer_).substr(used_);
  }

  const std::string path_;
  const int fd_;
  const int64_t size_;
  int64_t offset_ = 0;  // of the next byte to return
  std::string buffer_;
  size_t used_ = 0;
};

// A file open for buffered writing; Flush() and Close() write the buffer.
class OutputFile {
 public:
  // Creates the file, or truncates it unless `append`.
  static Result<std::unique_ptr<OutputFile>> Open(const std::string& path,
                                                  bool append);
  ~OutputFile();  // closes; unwritten data is lost
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status Write(std::string_view bytes);
  Status Flush();
  Status Close();

 private:
  OutputFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  Status WriteNow(std::string_view bytes);

  const std::string path_;
  int fd_;
  std::string buffer_;
};

// The whole file. Files without a size (devices) may return up to 64 MiB.
Result<std::string> ReadFileBytes(const std::string& path);
Status WriteFileBytes(const std::string& path, std::string_view bytes,
                      bool append);
bool FileExists(const std::string& path);
// Paths that match a pattern (*, ?, [a-z]), sorted by bytes. No match is not an
// error.
Result<std::vector<std::string>> MatchingFiles(const std::string& pattern);

}  // namespace sluice
