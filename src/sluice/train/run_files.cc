#include "sluice/train/run_files.h"

namespace sluice::train {

RunFiles::RunFiles(const TrainerOptions& options) : options_(options) {
  if (options.dir.empty()) return;
  checkpoints_ = std::make_unique<io::CheckpointManager>(
      options.dir + "/checkpoints", options.checkpoints);
}

std::optional<io::Snapshot> RunFiles::Load() {
  if (!checkpoints_ || !options_.resume) return std::nullopt;
  return checkpoints_->load_latest();
}

void RunFiles::Open(int64_t resumed) {
  if (!checkpoints_) return;
  auto log = [&](const char* name) {
    return std::make_unique<report::MetricsLog>(
        options_.dir + name, report::MetricsLogOptions{.resume_step = resumed});
  };
  csv_ = log("/metrics.csv");
  json_ = log("/metrics.jsonl");
  if (!options_.events) return;
  events_ = std::make_unique<report::EventWriter>(
      options_.dir, report::EventWriterOptions{.resume_step = resumed});
}

void RunFiles::Log(int64_t step, const Metrics& metrics) {
  if (csv_) csv_->write(step, metrics);
  if (json_) json_->write(step, metrics);
  if (events_) events_->scalars(metrics, step);
}

void RunFiles::Save(int64_t step, const io::Snapshot& snapshot) {
  if (checkpoints_) checkpoints_->save(step, snapshot);
}

void RunFiles::Finish() {
  if (checkpoints_) checkpoints_->wait();
  if (events_) events_->flush();
}

}  // namespace sluice::train
