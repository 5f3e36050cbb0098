#include "sluice/io/checkpoint_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "sluice/base/caught.h"
#include "sluice/base/crc32c.h"
#include "sluice/base/error.h"
#include "sluice/base/file.h"
#include "sluice/base/strings.h"
#include "sluice/base/system_error.h"
#include "sluice/base/worker_pool.h"
#include "sluice/io/named_arrays.h"
#include "sluice/tensor/strided.h"

namespace sluice::io {

namespace {

constexpr std::string_view kStep = "step_";
// Being written or removed: never read.
constexpr std::string_view kTemporary = ".tmp";
// A checkpoint takes seconds to write, a large one on a slow disk minutes.
constexpr int64_t kWaitForOthers = 600'000;
constexpr std::string_view kReplaced = ".replaced";

// "step_00000012" -> 12; -1 when it is no such name.
int64_t StepOf(std::string_view name) {
  if (!name.starts_with(kStep)) return -1;
  name.remove_prefix(kStep.size());
  int64_t step = -1;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), step);
  bool whole = error == std::errc() && end == name.data() + name.size();
  return whole ? step : -1;
}

std::string Join(const std::string& folder, std::string_view name) {
  return StrCat(folder, "/", name);
}

Status Damaged(const std::string& path, std::string_view what) {
  return DataLoss(StrCat("\"", EscapeString(path), "\" is damaged: ", what));
}

Status CheckFile(const std::string& path, const ShardFile& wanted,
                 int64_t size) {
  if (size == wanted.bytes) return OkStatus();
  return Damaged(path,
                 StrCat("it has ", size, " bytes; wanted ", wanted.bytes));
}

Status CheckSum(const std::string& path, const ShardFile& wanted,
                uint32_t crc) {
  if (crc == wanted.crc32c) return OkStatus();
  char text[64];
  std::snprintf(text, sizeof text, "its checksum is %08x; wanted %08x", crc,
                wanted.crc32c);
  return Damaged(path, text);
}

Result<Manifest> ManifestOf(const std::string& folder) {
  std::string path = Join(folder, kManifestName);
  SL_ASSIGN_OR_RETURN(std::string text, ReadFileBytes(path));
  Result<Manifest> manifest = ParseManifest(text);
  if (!manifest.ok()) return Damaged(path, manifest.status().message());
  for (const ShardFile& f : manifest->files) {
    std::string file = Join(folder, f.name());
    SL_ASSIGN_OR_RETURN(std::unique_ptr<PositionedFile> open,
                        PositionedFile::Open(file));
    SL_RETURN_IF_ERROR(CheckFile(file, f, open->size()));
  }
  return manifest;
}

// Reads back what was written: sizes and checksums.
Status VerifyFiles(const std::string& folder,
                   const std::vector<ShardFile>& written) {
  std::string piece(1 << 20, '\0');
  for (const ShardFile& f : written) {
    std::string path = Join(folder, f.name());
    SL_ASSIGN_OR_RETURN(std::unique_ptr<PositionedFile> file,
                        PositionedFile::Open(path));
    uint32_t crc = 0;
    for (int64_t at = 0; at < f.bytes;) {
      int64_t n = std::min<int64_t>(f.bytes - at, 1 << 20);
      SL_RETURN_IF_ERROR(file->ReadAt(at, n, piece.data()));
      crc = Crc32c({piece.data(), static_cast<size_t>(n)}, crc);
      at += n;
    }
    SL_RETURN_IF_ERROR(CheckSum(path, f, crc));
  }
  return OkStatus();
}

// The same with its manifest.
Status Verify(const std::string& folder) {
  SL_ASSIGN_OR_RETURN(Manifest manifest, ManifestOf(folder));
  return VerifyFiles(folder, manifest.files);
}

// All files of a checkpoint, in a new folder, synced.
Status WriteFolder(FileSystem& files, const std::string& folder,
                   const Frozen& snapshot) {
  SL_RETURN_IF_ERROR(MakeNewFolder(files, folder));
  Manifest manifest;
  manifest.rest = snapshot.rest;
  SL_ASSIGN_OR_RETURN(manifest.files,
                      WriteSections(files, folder, snapshot, 0, 1));
  return WriteManifest(files, folder, manifest);
}

bool IsFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

Status MakeNewFolder(FileSystem& files, const std::string& folder) {
  SL_RETURN_IF_ERROR(RemoveTree(files, folder));
  SL_RETURN_IF_ERROR(files.MakeFolder(folder));
  // Not through a link that somebody puts there meanwhile.
  struct stat info;
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return FailedPrecondition(StrCat("\"", EscapeString(folder),
                                     "\" is no folder of ours; wanted nothing "
                                     "of that name"));
  }
  return OkStatus();
}

Result<std::vector<ShardFile>> WriteSections(FileSystem& files,
                                             const std::string& folder,
                                             const Frozen& snapshot, int shard,
                                             int shards) {
  std::vector<ShardFile> made;
  for (const auto& [section, arrays] : snapshot.sections) {
    ShardFile f;
    f.section = section;
    f.shard = shard;
    f.shards = shards;
    f.tensors = static_cast<int64_t>(arrays.size());
    SL_ASSIGN_OR_RETURN(WrittenFile written,
                        WriteSafetensors(files, Join(folder, f.name()), arrays,
                                         {{"format", "pt"}}));
    f.bytes = written.size;
    f.crc32c = written.crc32c;
    made.push_back(std::move(f));
  }
  SL_RETURN_IF_ERROR(VerifyFiles(folder, made));
  return made;
}

Status WriteManifest(FileSystem& files, const std::string& folder,
                     const Manifest& manifest) {
  SL_ASSIGN_OR_RETURN(std::string text, ManifestText(manifest));
  SL_ASSIGN_OR_RETURN(std::unique_ptr<SyncedFile> file,
                      SyncedFile::Create(files, Join(folder, kManifestName)));
  SL_RETURN_IF_ERROR(file->Write(text));
  SL_RETURN_IF_ERROR(file->Finish());
  SL_RETURN_IF_ERROR(files.SyncFolder(folder));
  return ManifestOf(folder).status();
}

// A checkpoint of the same step is moved aside first, where it is still found,
// until the new one is safe.
Status PlaceCheckpoint(FileSystem& files, const std::string& made,
                       const std::string& folder, int64_t step) {
  std::string path = CheckpointPath(folder, step);
  std::string aside = StrCat(path, kReplaced);
  bool there = IsFolder(path);
  if (there) {
    SL_RETURN_IF_ERROR(RemoveTree(files, aside));
    SL_RETURN_IF_ERROR(files.Rename(path, aside));
  }
  Status status = files.Rename(made, path);
  if (!status.ok()) {
    if (there) (void)files.Rename(aside, path);
    return status;
  }
  SL_RETURN_IF_ERROR(files.SyncFolder(folder));
  return there ? RemoveCheckpoint(files, aside) : OkStatus();
}

std::string CheckpointPath(const std::string& folder, int64_t step) {
  char name[40];
  std::snprintf(name, sizeof name, "step_%08lld", static_cast<long long>(step));
  return Join(folder, name);
}

Result<std::vector<CheckpointPlace>> CheckpointsIn(const std::string& folder) {
  Result<std::vector<std::string>> names = NamesIn(folder);
  std::vector<CheckpointPlace> places;
  // Nothing was ever saved there. A file in its place is another matter.
  if (!names.ok() && SystemErrorNumber(names.status().message()) == ENOENT) {
    return places;
  }
  if (!names.ok()) return names.status();
  for (std::string_view name : *names) {
    CheckpointPlace place;
    place.path = Join(folder, name);
    place.replaced = name.ends_with(kReplaced);
    if (place.replaced) name.remove_suffix(kReplaced.size());
    place.step = StepOf(name);
    if (place.step >= 0) places.push_back(std::move(place));
  }
  std::sort(places.begin(), places.end(),
            [](const CheckpointPlace& a, const CheckpointPlace& b) {
              return std::pair(-a.step, a.replaced) <
                     std::pair(-b.step, b.replaced);
            });
  return places;
}

Frozen Freeze(const Snapshot& snapshot, bool copy) {
  Frozen frozen;
  frozen.rest.step = snapshot.step;
  frozen.rest.random = snapshot.random;
  frozen.rest.data = snapshot.data;
  frozen.rest.extra = snapshot.extra;
  frozen.rest.metrics = snapshot.metrics;
  for (const auto& [name, state] : snapshot.sections()) {
    std::vector<NamedArray> arrays = ArraysOf(state);
    for (NamedArray& a : arrays) {
      if (!copy) break;
      Array from = a.array;
      a.array = ValueOrThrow(Array::Make(from.dtype(), from.shape()));
      CopyRegion(from.dtype(), from.shape(), from.raw(), from.strides(),
                 a.array.mutable_raw(), a.array.strides(),
                 &WorkerPool::Default());
    }
    frozen.sections.emplace_back(name, std::move(arrays));
  }
  return frozen;
}

Status WriteCheckpoint(FileSystem& files, const std::string& folder,
                       const Frozen& snapshot) {
  std::string path = CheckpointPath(folder, snapshot.rest.step);
  std::string made = StrCat(path, kTemporary);
  Status status = Guarded([&]() -> Status {
    SL_RETURN_IF_ERROR(CleanUp(files, folder));
    SL_RETURN_IF_ERROR(WriteFolder(files, made, snapshot));
    return PlaceCheckpoint(files, made, folder, snapshot.rest.step);
  });
  if (status.ok()) return status;
  (void)RemoveTree(files, made);
  return Status(status.code(),
                StrCat("the checkpoint of step ", snapshot.rest.step,
                       " was not saved: ", status.message()));
}

Result<std::unique_ptr<FolderLock>> LockForWriting(FileSystem& files,
                                                   const std::string& folder) {
  SL_RETURN_IF_ERROR(MakeFolders(files, folder));
  return FolderLock::Take(folder, kWaitForOthers);
}

Status RemoveCheckpoint(FileSystem& files, const std::string& path) {
  // Renamed first: a folder of which half is removed is no checkpoint.
  std::string going = StrCat(path, kTemporary);
  SL_RETURN_IF_ERROR(RemoveTree(files, going));
  SL_RETURN_IF_ERROR(files.Rename(path, going));
  return RemoveTree(files, going);
}

Status CleanUp(FileSystem& files, const std::string& folder) {
  SL_ASSIGN_OR_RETURN(std::vector<std::string> names, NamesIn(folder));
  for (const std::string& name : names) {
    std::string_view stem = name;
    bool temporary = stem.ends_with(kTemporary);
    if (temporary) stem.remove_suffix(kTemporary.size());
    bool replaced = stem.ends_with(kReplaced);
    if (replaced) stem.remove_suffix(kReplaced.size());
    // Each of several writers has its own word there.
    if (temporary) stem = stem.substr(0, stem.find('.'));
    if (StepOf(stem) < 0 || (!temporary && !replaced)) continue;
    std::string path = Join(folder, name), plain = Join(folder, stem);
    if (temporary) {
      SL_RETURN_IF_ERROR(RemoveTree(files, path));
    } else if (!IsFolder(plain)) {
      SL_RETURN_IF_ERROR(files.Rename(path, plain));
    } else if (Verify(plain).ok()) {
      SL_RETURN_IF_ERROR(RemoveCheckpoint(files, path));
    }
  }
  return OkStatus();
}

Result<Snapshot> ReadManifest(const std::string& path) {
  SL_ASSIGN_OR_RETURN(Manifest manifest, ManifestOf(path));
  return std::move(manifest.rest);
}

Result<Snapshot> ReadCheckpoint(const std::string& path) {
  SL_ASSIGN_OR_RETURN(Manifest manifest, ManifestOf(path));
  Snapshot snapshot = std::move(manifest.rest);
  for (const ShardFile& f : manifest.files) {
    std::string name = Join(path, f.name());
    SL_ASSIGN_OR_RETURN(std::shared_ptr<SafetensorsFile> file,
                        SafetensorsFile::Open(name));
    WrittenFile whole;
    SL_ASSIGN_OR_RETURN(std::vector<NamedArray> arrays, file->ReadAll(&whole));
    SL_RETURN_IF_ERROR(CheckFile(name, f, whole.size));
    SL_RETURN_IF_ERROR(CheckSum(name, f, whole.crc32c));
    // A section is as many files as there were writers.
    const StateDict* before = snapshot.find(f.section);
    StateDict section = before ? *before : StateDict();
    for (const auto& [tensor, value] : StateOf(std::move(arrays))) {
      if (section.contains(tensor)) {
        return Damaged(name, StrCat("\"", EscapeString(tensor),
                                    "\" is in another file, too"));
      }
      section.set(tensor, value);
    }
    snapshot.set(f.section, std::move(section));
  }
  return snapshot;
}

}  // namespace sluice::io
