// Checkpoints: a folder in which a run leaves what it needs to go on.
//
//   sl::io::CheckpointManager checkpoints("runs/mnist",
//       {.keep_last = 3, .keep_best = "accuracy", .best = sl::io::Best::kMax});
//   if (auto last = checkpoints.load_latest()) {
//     sl::io::load_into(net.state_dict(), last->at("model"));
//     sl::set_random_state(last->random);
//   }
//   ...
//   checkpoints.save(step, snapshot);       // returns when tensors are copied
//
// Each step is a folder step_00001234 of safetensors files and a manifest.json
// with checksums. It is written beside, synced, read back and renamed, and only
// then old ones go: whenever the process is killed or the disk is full, the
// last good checkpoint is there. What fails throws sluice::Error and names the
// file.
//
// For one thread; one manager writes into a folder at a time. Writing happens
// on a thread of its own, which the destructor waits for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/io/shared_save.h"
#include "sluice/io/snapshot.h"

namespace sluice {
class FileSystem;
}

namespace sluice::io {

struct Frozen;  // io/checkpoint_files.h

enum class Best : unsigned char { kMin, kMax };

struct CheckpointOptions {
  int keep_last = 3;        // 0: all
  std::string keep_best{};  // the metric whose best checkpoint is also kept
  Best best = Best::kMin;
  // Write on another thread, from a copy of the tensors. An error of that
  // thread is thrown by the next save() or wait().
  bool background = true;
  // Told of what is no error: a damaged checkpoint passed over, an old one that
  // could not be removed. Empty: a line on standard error.
  std::function<void(const std::string&)> on_message{};
};

class CheckpointManager {
 public:
  explicit CheckpointManager(std::string folder,
                             CheckpointOptions options = {});
  ~CheckpointManager();
  CheckpointManager(const CheckpointManager&) = delete;
  CheckpointManager& operator=(const CheckpointManager&) = delete;

  // Waits for the one before. Throws that one's error, if it had one, and has
  // then not begun this one.
  void save(int64_t step, const Snapshot& snapshot);
  void wait();

  // A checkpoint that several processes write (io/shared_save.h). Committed
  // here, old ones go as after save().
  void commit(SharedSave& save, const Snapshot& rest,
              std::vector<ShardFile> files);

  // Those that are there and whole as far as sizes tell, oldest first. Throws
  // when the folder cannot be read; none when there is no folder.
  std::vector<int64_t> steps();
  // The newest that is whole; damaged ones are passed over with a message.
  // None when there is no checkpoint; throws when all are damaged, because to
  // begin again would be to lose them.
  std::optional<Snapshot> load_latest();
  Snapshot load(int64_t step);
  // By the metric `keep_best`.
  std::optional<int64_t> best_step();

  const std::string& folder() const { return folder_; }

 private:
  struct Writer;
  void Say(const std::string& message) const;
  void RemoveOld(FileSystem& files, int64_t newest) const;
  Status Write(FileSystem& files, const Frozen& frozen) const;

  const std::string folder_;
  const CheckpointOptions options_;
  std::unique_ptr<Writer> writer_;
};

// One checkpoint: the folder step_... itself, or one that holds such, of which
// the newest whole one is taken.
Snapshot load_checkpoint(const std::string& folder);

}  // namespace sluice::io
