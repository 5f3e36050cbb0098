#include "sluice/io/shared_save.h"

#include <cstdio>
#include <map>
#include <random>

#include "sluice/base/caught.h"
#include "sluice/base/error.h"
#include "sluice/base/file.h"
#include "sluice/base/strings.h"
#include "sluice/io/checkpoint_files.h"

namespace sluice::io {

namespace {

// A word that is unique to this attempt.
std::string OwnWord() {
  std::random_device random;
  char text[40];
  std::snprintf(text, sizeof text, "%08x%08x", random(), random());
  return text;
}

Status NotSaved(int64_t step, const Status& why) {
  return Status(why.code(), StrCat("the checkpoint of step ", step,
                                   " was not saved: ", why.message()));
}

}  // namespace

SharedSave::SharedSave(std::string folder, int64_t step)
    : folder_(std::move(folder)), step_(step) {
  if (folder_.empty() || step < 0) {
    throw Error(InvalidArgument(StrCat("a checkpoint of step ", step,
                                       " in folder \"", EscapeString(folder_),
                                       "\"; wanted a folder, and 0 or more")));
  }
  FileSystem& files = FileSystem::Current();
  Status status = Guarded([&]() -> Status {
    SL_ASSIGN_OR_RETURN(lock_, LockForWriting(files, folder_));
    SL_RETURN_IF_ERROR(CleanUp(files, folder_));
    path_ = StrCat(CheckpointPath(folder_, step_), ".", OwnWord(), ".tmp");
    return MakeNewFolder(files, path_);
  });
  if (!status.ok()) throw Error(NotSaved(step_, status));
}

SharedSave::~SharedSave() {
  // The next attempt removes what cannot be removed now.
  if (!path_.empty()) (void)RemoveTree(FileSystem::Current(), path_);
}

void SharedSave::commit(const Snapshot& rest, std::vector<ShardFile> files) {
  std::map<std::string, int> shards;
  for (const ShardFile& f : files) ++shards[f.section];
  for (const ShardFile& f : files) {
    if (shards[f.section] == f.shards) continue;
    throw Error(NotSaved(
        step_, InvalidArgument(StrCat("\"", f.section, "\" has ",
                                      shards[f.section], " of ", f.shards,
                                      " shards; wanted all of them"))));
  }
  FileSystem& system = FileSystem::Current();
  Manifest manifest;
  manifest.rest.step = step_;
  manifest.rest.random = rest.random;
  manifest.rest.data = rest.data;
  manifest.rest.extra = rest.extra;
  manifest.rest.metrics = rest.metrics;
  manifest.files = std::move(files);
  Status status = Guarded([&]() -> Status {
    SL_RETURN_IF_ERROR(WriteManifest(system, path_, manifest));
    return PlaceCheckpoint(system, path_, folder_, step_);
  });
  if (!status.ok()) throw Error(NotSaved(step_, status));
  path_.clear();
}

std::vector<ShardFile> write_shard(const std::string& path, int shard,
                                   int shards, const Snapshot& part) {
  if (shards < 1 || shard < 0 || shard >= shards) {
    throw Error(InvalidArgument(
        StrCat("shard ", shard, " of ", shards, "; wanted one of 0 to n - 1")));
  }
  return ValueOrThrow(WriteSections(FileSystem::Current(), path,
                                    Freeze(part, /*copy=*/false), shard,
                                    shards));
}

}  // namespace sluice::io
