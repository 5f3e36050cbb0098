// The files of a checkpoint: a folder step_00001234 with one safetensors file
// for each section, and manifest.json, which has everything else, and the size
// and checksum of every file including itself. Internal to io/.
//
// The folder is created under another name, synced, read back and renamed: a
// folder named step_... is complete, unless it was damaged later, which its
// checksums detect.
#pragma once

#include <string>
#include <vector>

#include "sluice/formats/safetensors.h"
#include "sluice/io/folder_lock.h"
#include "sluice/io/manifest.h"
#include "sluice/io/snapshot.h"

namespace sluice::io {

// A checkpoint in a folder; listed newest first. A step that is being replaced
// may be listed twice.
struct CheckpointPlace {
  int64_t step = 0;
  std::string path;
  bool replaced = false;  // moved aside for a new one of the same step
};
// Empty if there is no such folder.
Result<std::vector<CheckpointPlace>> CheckpointsIn(const std::string& folder);
std::string CheckpointPath(const std::string& folder, int64_t step);

// A snapshot whose elements can no longer change.
struct Frozen {
  Snapshot rest;  // without sections
  std::vector<std::pair<std::string, std::vector<NamedArray>>> sections;
};
// Throws for tensors without elements. With `copy` the elements are copied.
Frozen Freeze(const Snapshot& snapshot, bool copy);

// Creates the folder and locks out other writers, in this process or another.
// Waits for a current writer; the error names it.
Result<std::unique_ptr<FolderLock>> LockForWriting(FileSystem& files,
                                                   const std::string& folder);
// Writes step `rest.step` into `folder`. REQUIRES: it is locked. On failure,
// the previous state remains, and partial files are removed as far as possible.
Status WriteCheckpoint(FileSystem& files, const std::string& folder,
                       const Frozen& snapshot);

// The parts of that, for a checkpoint that several processes write
// (io/shared_save.h).

// Makes a new, empty folder. Error: it could not be created.
Status MakeNewFolder(FileSystem& files, const std::string& path);
// Writes the sections as shard `shard` of `shards`, syncs and reads them back.
Result<std::vector<ShardFile>> WriteSections(FileSystem& files,
                                             const std::string& path,
                                             const Frozen& snapshot, int shard,
                                             int shards);
// Written last: it makes the folder a checkpoint. Synced.
Status WriteManifest(FileSystem& files, const std::string& path,
                     const Manifest& manifest);
// Renames the finished folder `made` to the name of its step.
Status PlaceCheckpoint(FileSystem& files, const std::string& made,
                       const std::string& folder, int64_t step);

// Removes a checkpoint, atomically as far as readers can see.
Status RemoveCheckpoint(FileSystem& files, const std::string& path);
// Completes or reverts the work of a writer that was killed.
Status CleanUp(FileSystem& files, const std::string& folder);

// Reads everything and verifies it. DataLoss names the file and the error.
Result<Snapshot> ReadCheckpoint(const std::string& path);
// All but the sections: verifies the manifest and the sizes of the files.
Result<Snapshot> ReadManifest(const std::string& path);

}  // namespace sluice::io
