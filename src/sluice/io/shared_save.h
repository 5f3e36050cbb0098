// SharedSave: one checkpoint that several processes write together, each its
// part of the tensors, and that one of them commits.
//
//   SharedSave save(folder, step);       // one of them; it tells save.path()
//   auto files = write_shard(path, rank, ranks, snapshot);         // all
//   save.commit(rest, files_of_all);     // that one again
//
// Until then nothing in the folder is a checkpoint; from then on all of it is.
// The folder the shards are in has a name that no other attempt has: a writer
// that was stopped for a while, and goes on when others have begun again, finds
// it gone and harms nothing. One attempt at a time: the folder of checkpoints
// is locked while the object lives. How the processes tell each other what they
// wrote is their business (sluice.distributed.checkpoint in Python).
//
// Functions throw sluice::Error with the file's name. For one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/io/shard_file.h"
#include "sluice/io/snapshot.h"

namespace sluice::io {

class FolderLock;

class SharedSave {
 public:
  SharedSave(std::string folder, int64_t step);
  // Without commit(): what was written is removed.
  ~SharedSave();
  SharedSave(const SharedSave&) = delete;
  SharedSave& operator=(const SharedSave&) = delete;

  const std::string& path() const { return path_; }
  int64_t step() const { return step_; }
  // `rest` without its sections, and these files: all shards of each section.
  // Once.
  void commit(const Snapshot& rest, std::vector<ShardFile> files);

 private:
  const std::string folder_;
  const int64_t step_;
  std::unique_ptr<FolderLock> lock_;
  std::string path_;
};

// The sections of `part` into SharedSave::path(), synced and read back.
std::vector<ShardFile> write_shard(const std::string& path, int shard,
                                   int shards, const Snapshot& part);

}  // namespace sluice::io
