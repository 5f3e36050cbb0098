// FileSystem: the changes that saving makes to folders, one call each, so that
// tests can stop, fail or tear any of them, and so that the rules for not
// losing files are in one place.
//
// Data that must not be lost is written to a new file, synced and renamed over
// the old one, and the folder is synced: at every moment the old or the new
// file exists, complete. WriteFileSafely does this for one file.
//
// Thread safe. Errors name the path and the system's reason.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/status.h"

namespace sluice {

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Creates a new file, open for writing, and returns the argument for Close().
  // Fails if the name is taken, even by a link that somebody placed there. A
  // file with a BesideName gets the permissions of the file it will replace.
  virtual Result<int> Create(const std::string& path);
  virtual Status Write(int file, const std::string& path,
                       std::string_view bytes);
  // Returns when the file's bytes will survive a power failure.
  virtual Status Sync(int file, const std::string& path);
  void Close(int file);

  // An existing folder is not an error.
  virtual Status MakeFolder(const std::string& path);
  // Syncs the names in a folder.
  virtual Status SyncFolder(const std::string& path);
  virtual Status Rename(const std::string& from, const std::string& to);
  virtual Status RemoveFile(const std::string& path);
  virtual Status RemoveFolder(const std::string& path);  // an empty one

  // The current one: the machine's, or a test's replacement.
  static FileSystem& Current();
  // Null: the machine's. REQUIRES: nobody is saving.
  static void SetCurrent(FileSystem* instead);
};

// A file being written, with its size and checksum. Not thread safe.
class SyncedFile {
 public:
  static Result<std::unique_ptr<SyncedFile>> Create(FileSystem& files,
                                                    std::string path);
  ~SyncedFile();
  SyncedFile(const SyncedFile&) = delete;
  SyncedFile& operator=(const SyncedFile&) = delete;

  Status Write(std::string_view bytes);
  // After this the entire file is safe.
  Status Finish();

  const std::string& path() const { return path_; }
  int64_t size() const { return size_; }
  uint32_t crc32c() const { return crc_; }

 private:
  SyncedFile(FileSystem& files, std::string path, int file)
      : files_(files), path_(std::move(path)), file_(file) {}

  FileSystem& files_;
  const std::string path_;
  int file_;
  int64_t size_ = 0;
  uint32_t crc_ = 0;
};

// The folder a path is in: "a/b" -> "a", "b" -> ".".
std::string FolderOf(const std::string& path);
// Names in a folder, sorted by bytes, without "." and "..".
Result<std::vector<std::string>> NamesIn(const std::string& folder);
// Creates a folder and all folders above it.
Status MakeFolders(FileSystem& files, const std::string& path);
// Removes a folder with everything below it; a missing one is not an error.
Status RemoveTree(FileSystem& files, const std::string& path);
// Renames a finished file to `path` and syncs the folder; on failure the file
// is removed. Status OK means that `path` is the new file and will survive a
// power failure.
Status PutInPlace(FileSystem& files, const std::string& beside,
                  const std::string& path);
// A name for writing a file before it is moved to `path`: a new, unpredictable
// one each time.
std::string BesideName(const std::string& path);
// OK if the path does not exist or is a regular file: a device file is never
// replaced.
Status CheckReplaceable(const std::string& path);
Status WriteFileSafely(FileSystem& files, const std::string& path,
                       std::string_view bytes);

}  // namespace sluice
