// PositionedFile: a regular file read at any offset, directly into the reader's
// memory. It is read, never mapped: a file that shrinks meanwhile causes an
// error and not a signal.
//
// Thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sluice/base/status.h"

namespace sluice {

class PositionedFile {
 public:
  // Errors as for InputFile (base/file.h); regular files only.
  static Result<std::unique_ptr<PositionedFile>> Open(const std::string& path);
  ~PositionedFile();
  PositionedFile(const PositionedFile&) = delete;
  PositionedFile& operator=(const PositionedFile&) = delete;

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }  // at the time of opening
  // All n bytes, or an error.
  Status ReadAt(int64_t offset, int64_t n, void* to) const;

 private:
  PositionedFile(std::string path, int file, int64_t size)
      : path_(std::move(path)), file_(file), size_(size) {}

  const std::string path_;
  const int file_;
  const int64_t size_;
};

}  // namespace sluice
