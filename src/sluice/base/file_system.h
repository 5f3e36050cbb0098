// FileSystem: the changes that saving makes to folders, one call each, so that
// tests can stop, fail or tear any of them, and so that one place knows how not
// to lose a file.
//
// Whoever saves something that must not be lost writes it to a new place, syncs
// it, renames it over the old one and syncs the folder: at every moment the old
// or the new one is there, whole. WriteFileSafely does that for one file.
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

  // Makes a new file, open for writing, and returns what Close() takes. Fails
  // when the name is taken, even by a link somebody planted. A file under a
  // BesideName gets the permissions of the file it will replace.
  virtual Result<int> Create(const std::string& path);
  virtual Status Write(int file, const std::string& path,
                       std::string_view bytes);
  // Returns when the file's bytes will survive a loss of power.
  virtual Status Sync(int file, const std::string& path);
  void Close(int file);

  // One there already is fine.
  virtual Status MakeFolder(const std::string& path);
  // The same for the names in a folder.
  virtual Status SyncFolder(const std::string& path);
  virtual Status Rename(const std::string& from, const std::string& to);
  virtual Status RemoveFile(const std::string& path);
  virtual Status RemoveFolder(const std::string& path);  // an empty one

  // The one in use: the machine's, or what a test has put in its place.
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
  // After this all of it is safe.
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
// A folder with all folders above it.
Status MakeFolders(FileSystem& files, const std::string& path);
// A folder with everything below it; none there is fine.
Status RemoveTree(FileSystem& files, const std::string& path);
// Renames a finished file to `path` and makes that safe; when that fails it is
// removed. Status OK means: `path` is the new file, and stays it.
Status PutInPlace(FileSystem& files, const std::string& beside,
                  const std::string& path);
// The name something is written under before it is put in place at `path`: a
// new one each time, which nobody can guess.
std::string BesideName(const std::string& path);
// OK where there is nothing or a plain file: a device file is never
// replaced.
Status CheckReplaceable(const std::string& path);
Status WriteFileSafely(FileSystem& files, const std::string& path,
                       std::string_view bytes);

}  // namespace sluice
