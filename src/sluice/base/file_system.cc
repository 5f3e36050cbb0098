#include "sluice/base/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>

#include "sluice/base/caught.h"
#include "sluice/base/crc32c.h"
#include "sluice/base/strings.h"
#include "sluice/base/system_error.h"

namespace sluice {

namespace {

std::atomic<FileSystem*> current{nullptr};

constexpr std::string_view kBeside = ".tmp-";
constexpr size_t kRandomDigits = 16;

// The path that a BesideName was made for; empty for other names.
std::string TargetOf(const std::string& path) {
  size_t tail = kBeside.size() + kRandomDigits;
  if (path.size() <= tail ||
      path.compare(path.size() - tail, kBeside.size(), kBeside) != 0) {
    return "";
  }
  return path.substr(0, path.size() - tail);
}

}  // namespace

FileSystem& FileSystem::Current() {
  static FileSystem machine;
  FileSystem* instead = current.load();
  return instead ? *instead : machine;
}

void FileSystem::SetCurrent(FileSystem* instead) { current = instead; }

Result<int> FileSystem::Create(const std::string& path) {
  SL_RETURN_IF_ERROR(CheckPath(path));
  // Users who could not read the replaced file must not be able to read the new
  // one.
  struct stat old;
  std::string target = TargetOf(path);
  bool replaces = !target.empty() && stat(target.c_str(), &old) == 0 &&
                  S_ISREG(old.st_mode);
  int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
           replaces ? 0600 : 0666);
  if (file < 0) return SystemError("write", path, errno);
  if (replaces && fchmod(file, old.st_mode & 07777) != 0) {
    int error = errno;
    close(file);
    unlink(path.c_str());
    return SystemError("set who may read", path, error);
  }
  return file;
}

Status FileSystem::Write(int file, const std::string& path,
                         std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t done = write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return SystemError("write", path, errno);
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return OkStatus();
}

Status FileSystem::Sync(int file, const std::string& path) {
  return fsync(file) == 0 ? OkStatus() : SystemError("sync", path, errno);
}

void FileSystem::Close(int file) { close(file); }

Status FileSystem::MakeFolder(const std::string& path) {
  SL_RETURN_IF_ERROR(CheckPath(path));
  if (mkdir(path.c_str(), 0777) == 0) return OkStatus();
  int error = errno;
  struct stat info;
  if (error == EEXIST && stat(path.c_str(), &info) == 0 &&
      S_ISDIR(info.st_mode)) {
    return OkStatus();
  }
  return SystemError("make the folder", path, error);
}

Status FileSystem::SyncFolder(const std::string& path) {
  int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return SystemError("sync the folder", path, errno);
  int failed = fsync(folder) == 0 ? 0 : errno;
  close(folder);
  // Some file systems do not support this for folders.
  if (failed == 0 || failed == EINVAL) return OkStatus();
  return SystemError("sync the folder", path, failed);
}

Status FileSystem::Rename(const std::string& from, const std::string& to) {
  SL_RETURN_IF_ERROR(CheckPath(to));
  if (rename(from.c_str(), to.c_str()) == 0) return OkStatus();
  int error = errno;
  return SystemError(StrCat("rename \"", EscapeString(from), "\" to"), to,
                     error);
}

Status FileSystem::RemoveFile(const std::string& path) {
  return unlink(path.c_str()) == 0 ? OkStatus()
                                   : SystemError("remove", path, errno);
}

Status FileSystem::RemoveFolder(const std::string& path) {
  return rmdir(path.c_str()) == 0
             ? OkStatus()
             : SystemError("remove the folder", path, errno);
}

Result<std::unique_ptr<SyncedFile>> SyncedFile::Create(FileSystem& files,
                                                       std::string path) {
  // Allocated before the file is created: if memory ran out after that, nobody
  // would close the file.
  std::unique_ptr<SyncedFile> made(new SyncedFile(files, std::move(path), -1));
  SL_ASSIGN_OR_RETURN(made->file_, files.Create(made->path_));
  return made;
}

SyncedFile::~SyncedFile() {
  if (file_ >= 0) files_.Close(file_);
}

Status SyncedFile::Write(std::string_view bytes) {
  // Small blocks, so that data is still in the processor's cache when its
  // checksum is computed.
  constexpr size_t kPiece = 1 << 20;
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, kPiece);
    crc_ = Crc32c(piece, crc_);
    SL_RETURN_IF_ERROR(files_.Write(file_, path_, piece));
    size_ += static_cast<int64_t>(piece.size());
    bytes.remove_prefix(piece.size());
  }
  return OkStatus();
}

Status SyncedFile::Finish() {
  Status status = files_.Sync(file_, path_);
  files_.Close(file_);
  file_ = -1;
  return status;
}

std::string FolderOf(const std::string& path) {
  size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  SL_RETURN_IF_ERROR(CheckPath(folder));
  std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  if (!open) return SystemError("look into", folder, errno);
  std::vector<std::string> names;
  int error = 0;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(open.get());
    if (!entry) {
      error = errno;
      break;
    }
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  if (error) return SystemError("look into", folder, error);
  std::sort(names.begin(), names.end());
  return names;
}

Status MakeFolders(FileSystem& files, const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return OkStatus();
  }
  std::string above = FolderOf(path);
  if (above != path && above != ".") {
    SL_RETURN_IF_ERROR(MakeFolders(files, above));
  }
  SL_RETURN_IF_ERROR(files.MakeFolder(path));
  return files.SyncFolder(above);
}

Status RemoveTree(FileSystem& files, const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return OkStatus();
  if (!S_ISDIR(info.st_mode)) return files.RemoveFile(path);
  SL_ASSIGN_OR_RETURN(std::vector<std::string> names, NamesIn(path));
  for (const std::string& name : names) {
    SL_RETURN_IF_ERROR(RemoveTree(files, StrCat(path, "/", name)));
  }
  return files.RemoveFolder(path);
}

std::string BesideName(const std::string& path) {
  // Random names: two savers, in this process or another, never write the same
  // file; and users with write access to the folder cannot place a link there
  // in advance.
  uint64_t bits;
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits) {
    static std::atomic<uint64_t> count{0};
    bits = static_cast<uint64_t>(getpid()) << 32 | count.fetch_add(1);
  }
  char digits[kRandomDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(bits));
  return StrCat(path, kBeside, digits);
}

Status PutInPlace(FileSystem& files, const std::string& beside,
                  const std::string& path) {
  Status status = Guarded([&] { return files.Rename(beside, path); });
  if (!status.ok()) {
    (void)files.RemoveFile(beside);
    return status;
  }
  return files.SyncFolder(FolderOf(path));
}

Status CheckReplaceable(const std::string& path) {
  SL_RETURN_IF_ERROR(CheckPath(path));
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) {
    return OkStatus();
  }
  return InvalidArgument(
      StrCat("cannot write \"", EscapeString(path), "\": it is ",
             S_ISDIR(info.st_mode) ? "a directory" : "no plain file"));
}

Status WriteFileSafely(FileSystem& files, const std::string& path,
                       std::string_view bytes) {
  SL_RETURN_IF_ERROR(CheckReplaceable(path));
  std::string beside = BesideName(path);
  Status status = Guarded([&]() -> Status {
    SL_ASSIGN_OR_RETURN(std::unique_ptr<SyncedFile> file,
                        SyncedFile::Create(files, beside));
    SL_RETURN_IF_ERROR(file->Write(bytes));
    return file->Finish();
  });
  if (!status.ok()) {
    (void)files.RemoveFile(beside);
    return status;
  }
  return PutInPlace(files, beside, path);
}

}  // namespace sluice
