// SharedSave: a checkpoint written by several processes, each writing its part
// of the tensors, and committed by one of them.
//
//   SharedSave save(folder, step);       // one of them; it tells save.path()
//   auto files = write_shard(path, rank, ranks, snapshot);         // all
//   save.commit(rest, files_of_all);     // that one again
//
// Before commit() nothing in the folder is a checkpoint; afterwards all of it
// is. The shards are in a folder with a name that no other attempt uses: a
// writer that was suspended, and continues after others have restarted, finds
// it gone and does no harm. One attempt at a time: the folder of checkpoints is
// locked while the object lives. The processes must tell each other what they
// have written (sluice.distributed.checkpoint in Python).
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
  // Without commit(), removes what was written.
  ~SharedSave();
  SharedSave(const SharedSave&) = delete;
  SharedSave& operator=(const SharedSave&) = delete;

  const std::string& path() const { return path_; }
  int64_t step() const { return step_; }
  // Commits `rest` without its sections, and these files: all shards of each
  // section. Call once.
  void commit(const Snapshot& rest, std::vector<ShardFile> files);

 private:
  const std::string folder_;
  const int64_t step_;
  std::unique_ptr<FolderLock> lock_;
  std::string path_;
};

// Writes the sections of `part` into SharedSave::path(), syncs and reads them
// back.
std::vector<ShardFile> write_shard(const std::string& path, int shard,
                                   int shards, const Snapshot& part);

}  // namespace sluice::io
