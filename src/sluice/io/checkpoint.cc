#include "sluice/io/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <system_error>
#include <thread>

#include "sluice/base/caught.h"
#include "sluice/base/error.h"
#include "sluice/base/file.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/strings.h"
#include "sluice/base/system_error.h"
#include "sluice/io/checkpoint_files.h"
#include "sluice/io/manifest.h"

namespace sluice::io {

namespace {

using Say = std::function<void(const std::string&)>;

// The newest whole one of a folder.
std::optional<Snapshot> Newest(const std::string& folder, const Say& say) {
  std::vector<std::string> reasons;
  for (const CheckpointPlace& place : ValueOrThrow(CheckpointsIn(folder))) {
    Result<Snapshot> snapshot = ReadCheckpoint(place.path);
    if (snapshot.ok()) {
      for (const std::string& reason : reasons) say(reason);
      return *std::move(snapshot);
    }
    reasons.push_back(
        StrCat("the checkpoint \"", EscapeString(place.path),
               "\" is passed over: ", snapshot.status().message()));
  }
  if (reasons.empty()) return std::nullopt;
  throw Error(
      DataLoss(StrCat("no checkpoint of \"", EscapeString(folder),
                      "\" can be loaded:\n  ", sluice::Join(reasons, "\n  "))));
}

void SayAloud(const std::string& message) {
  std::fprintf(stderr, "sluice: %s\n", message.c_str());
}

}  // namespace

// The thread that writes, and how the last writing went.
struct CheckpointManager::Writer {
  std::thread thread;
  Status status;  // the thread's until it is joined

  void Join() {
    if (thread.joinable()) thread.join();
  }
  Status Take() {
    Join();
    return std::exchange(status, OkStatus());
  }
};

CheckpointManager::CheckpointManager(std::string folder,
                                     CheckpointOptions options)
    : folder_(std::move(folder)),
      options_(std::move(options)),
      writer_(std::make_unique<Writer>()) {
  if (folder_.empty() || options_.keep_last < 0) {
    throw Error(InvalidArgument(
        StrCat("CheckpointManager of folder \"", EscapeString(folder_),
               "\" that keeps the last ", options_.keep_last,
               "; wanted a folder, and 0 (all) or more")));
  }
}

CheckpointManager::~CheckpointManager() {
  Status status = writer_->Take();
  if (!status.ok()) Say(status.message());
}

void CheckpointManager::Say(const std::string& message) const {
  options_.on_message ? options_.on_message(message) : SayAloud(message);
}

void CheckpointManager::wait() { ThrowIfError(writer_->Take()); }

void CheckpointManager::save(int64_t step, const Snapshot& snapshot) {
  wait();
  if (step < 0) {
    throw Error(InvalidArgument(
        StrCat("a checkpoint of step ", step, "; wanted 0 or more")));
  }
  auto frozen = std::make_shared<Frozen>(Freeze(snapshot, options_.background));
  frozen->rest.step = step;
  FileSystem& files = FileSystem::Current();
  if (options_.background) {
    try {
      writer_->thread = StartedThread([this, frozen, &files] {
        try {
          writer_->status = Write(files, *frozen);
        } catch (...) {
          writer_->status = CaughtStatus();
        }
      });
      return;
    } catch (const std::system_error&) {
      // No more threads: it is written here.
    }
  }
  ThrowIfError(Write(files, *frozen));
}

void CheckpointManager::commit(SharedSave& save, const Snapshot& rest,
                               std::vector<ShardFile> files) {
  wait();
  save.commit(rest, std::move(files));
  RemoveOld(FileSystem::Current(), save.step());
}

Status CheckpointManager::Write(FileSystem& files, const Frozen& frozen) const {
  Result<std::unique_ptr<FolderLock>> lock = LockForWriting(files, folder_);
  if (!lock.ok()) {
    return Status(lock.status().code(),
                  StrCat("the checkpoint of step ", frozen.rest.step,
                         " was not saved: ", lock.status().message()));
  }
  SL_RETURN_IF_ERROR(WriteCheckpoint(files, folder_, frozen));
  RemoveOld(files, frozen.rest.step);
  return OkStatus();
}

namespace {

// The checkpoints whose manifest and sizes are right, newest first. Errors: the
// folder or a manifest cannot be read. One that is not there, or is no
// manifest, belongs to a checkpoint that is not whole.
Result<std::vector<Snapshot>> Whole(const std::string& folder) {
  std::vector<Snapshot> whole;
  SL_ASSIGN_OR_RETURN(std::vector<CheckpointPlace> places,
                      CheckpointsIn(folder));
  for (const CheckpointPlace& place : places) {
    if (!whole.empty() && whole.back().step == place.step) continue;
    Result<Snapshot> manifest = ReadManifest(place.path);
    if (manifest.ok()) {
      whole.push_back(*std::move(manifest));
      continue;
    }
    const Status& why = manifest.status();
    bool there = why.code() != Code::kNotFound;
    if (there && SystemErrorNumber(why.message()) != 0) return why;
  }
  return whole;
}

// Among equal ones the newer.
std::optional<int64_t> BestOf(const std::vector<Snapshot>& newest_first,
                              const std::string& metric, Best best) {
  std::optional<int64_t> step;
  double value = 0;
  for (const Snapshot& s : newest_first) {
    double v = s.metric(metric);
    if (std::isnan(v)) continue;
    if (step && !(best == Best::kMax ? v > value : v < value)) continue;
    step = s.step;
    value = v;
  }
  return step;
}

}  // namespace

void CheckpointManager::RemoveOld(FileSystem& files, int64_t newest) const {
  if (options_.keep_last == 0) return;
  Result<std::vector<Snapshot>> found = Whole(folder_);
  if (!found.ok()) {
    return Say(StrCat("old checkpoints stay: ", found.status().message()));
  }
  const std::vector<Snapshot>& whole = *found;
  std::set<int64_t> kept = {newest};
  for (const Snapshot& s : whole) {
    if (static_cast<int>(kept.size()) >= options_.keep_last) break;
    kept.insert(s.step);
  }
  int64_t oldest = *kept.begin();
  if (!options_.keep_best.empty()) {
    std::optional<int64_t> best =
        BestOf(whole, options_.keep_best, options_.best);
    if (best) kept.insert(*best);
  }
  Result<std::vector<CheckpointPlace>> places = CheckpointsIn(folder_);
  if (!places.ok()) return Say(places.status().message());
  for (const CheckpointPlace& place : *places) {
    if (kept.contains(place.step) || place.step > oldest) continue;
    Status status = RemoveCheckpoint(files, place.path);
    if (!status.ok()) {
      Say(StrCat("an old checkpoint stays: ", status.message()));
    }
  }
}

std::vector<int64_t> CheckpointManager::steps() {
  writer_->Join();
  std::vector<int64_t> steps;
  for (const Snapshot& s : ValueOrThrow(Whole(folder_))) {
    steps.push_back(s.step);
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::optional<int64_t> CheckpointManager::best_step() {
  writer_->Join();
  return BestOf(ValueOrThrow(Whole(folder_)), options_.keep_best,
                options_.best);
}

std::optional<Snapshot> CheckpointManager::load_latest() {
  writer_->Join();
  return Newest(folder_, [&](const std::string& text) { this->Say(text); });
}

Snapshot CheckpointManager::load(int64_t step) {
  writer_->Join();
  return ValueOrThrow(ReadCheckpoint(CheckpointPath(folder_, step)));
}

Snapshot load_checkpoint(const std::string& folder) {
  if (FileExists(StrCat(folder, "/", kManifestName))) {
    return ValueOrThrow(ReadCheckpoint(folder));
  }
  if (std::optional<Snapshot> found = Newest(folder, SayAloud)) {
    return *std::move(found);
  }
  throw Error(
      NotFound(StrCat("no checkpoint in \"", EscapeString(folder), "\"")));
}

}  // namespace sluice::io
