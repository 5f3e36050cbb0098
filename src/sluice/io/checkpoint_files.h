// A checkpoint as files: a folder step_00001234 with one safetensors file for
// each section and manifest.json, which has everything else, and the size and
// checksum of every file and of itself. Internal to io/.
//
// The folder is made under another name, synced, read back and renamed: what
// has the name step_... is whole, unless somebody damaged it later, which its
// checksums tell.
#pragma once

#include <string>
#include <vector>

#include "sluice/formats/safetensors.h"
#include "sluice/io/folder_lock.h"
#include "sluice/io/manifest.h"
#include "sluice/io/snapshot.h"

namespace sluice::io {

// What a folder of checkpoints holds, newest first. A step that is being
// replaced may be there twice.
struct CheckpointPlace {
  int64_t step = 0;
  std::string path;
  bool replaced = false;  // moved aside for a new one of the same step
};
// None when there is no such folder.
Result<std::vector<CheckpointPlace>> CheckpointsIn(const std::string& folder);
std::string CheckpointPath(const std::string& folder, int64_t step);

// A snapshot whose elements nobody changes any more.
struct Frozen {
  Snapshot rest;  // without sections
  std::vector<std::pair<std::string, std::vector<NamedArray>>> sections;
};
// Throws for tensors that have no elements. With `copy` they are the snapshot's
// own from then on.
Frozen Freeze(const Snapshot& snapshot, bool copy);

// Makes the folder and keeps others, of this process or another, from writing
// into it. Waits while they do; the error says who does.
Result<std::unique_ptr<FolderLock>> LockForWriting(FileSystem& files,
                                                   const std::string& folder);
// Writes step `rest.step` into `folder`. REQUIRES: it is locked. When it fails,
// what was there is there still, and what was begun is removed, as far as that
// can be done.
Status WriteCheckpoint(FileSystem& files, const std::string& folder,
                       const Frozen& snapshot);

// The parts of that, for a checkpoint that several processes write
// (io/shared_save.h).

// A new, empty folder. Error: it was not made by this call.
Status MakeNewFolder(FileSystem& files, const std::string& path);
// Writes the sections as shard `shard` of `shards`, syncs and reads them back.
Result<std::vector<ShardFile>> WriteSections(FileSystem& files,
                                             const std::string& path,
                                             const Frozen& snapshot, int shard,
                                             int shards);
// The manifest comes last: with it the folder is a checkpoint. Synced.
Status WriteManifest(FileSystem& files, const std::string& path,
                     const Manifest& manifest);
// Gives the finished folder `made` the name of its step.
Status PlaceCheckpoint(FileSystem& files, const std::string& made,
                       const std::string& folder, int64_t step);

// Takes a checkpoint away, in one piece as far as anyone can see.
Status RemoveCheckpoint(FileSystem& files, const std::string& path);
// Finishes or undoes what a writer that was killed left.
Status CleanUp(FileSystem& files, const std::string& folder);

// Everything, checked on the way. DataLoss says which file is wrong, and how.
Result<Snapshot> ReadCheckpoint(const std::string& path);
// All but the sections: the manifest is checked, and the files' sizes.
Result<Snapshot> ReadManifest(const std::string& path);

}  // namespace sluice::io
