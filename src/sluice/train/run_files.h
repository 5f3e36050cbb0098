// The files a training run leaves in its folder: checkpoints, metrics in two
// forms, events. All optional: without a folder every call does nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sluice/io/checkpoint.h"
#include "sluice/report/event_writer.h"
#include "sluice/report/metrics_log.h"
#include "sluice/train/trainer.h"

namespace sluice::train {

class RunFiles {
 public:
  explicit RunFiles(const TrainerOptions& options);

  // The newest checkpoint, when the run is to go on from one.
  std::optional<io::Snapshot> Load();
  // Opens the logs: anew, or behind a step.
  void Open(int64_t resumed);
  void Log(int64_t step, const Metrics& metrics);
  bool saves() const { return checkpoints_ != nullptr; }
  void Save(int64_t step, const io::Snapshot& snapshot);
  // Until everything is on the disk.
  void Finish();

 private:
  const TrainerOptions& options_;
  std::unique_ptr<io::CheckpointManager> checkpoints_;
  std::unique_ptr<report::MetricsLog> csv_, json_;
  std::unique_ptr<report::EventWriter> events_;
};

}  // namespace sluice::train
