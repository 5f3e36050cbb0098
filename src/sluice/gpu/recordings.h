// Recordings: launches of one piece as graphs of the driver's, by the addresses
// of its operands.
//
// Programs that repeat a step find their operands in the same few places, in
// turns: a recording for each combination runs without copies. Operands that
// keep turning up elsewhere (what a loader hands over) get a place in the
// recordings that they are copied to, or from. Not thread safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sluice/device/cuda/cuda_device.h"
#include "sluice/device/cuda/launch_scope.h"
#include "sluice/tensor/array.h"

namespace sluice {

class Recordings {
 public:
  // Issues the launches on a stream with operands at these addresses, and with
  // this arena.
  using IssueFn = std::function<Status(
      Stream& stream, const std::vector<void*>& operands, void* arena)>;

  // Fills the part of an arena that each run brings along.
  using UploadFn = std::function<Status(void* arena)>;

  // Launches a recording for these operands on the device's stream; makes one
  // when the same have been seen before, or when `warm`: all that is recorded
  // has been launched before. False: issue one by one this time. `bytes`: of
  // each operand; the first `num_inputs` are read, others written.
  Result<bool> Launch(CudaDevice& device, const std::vector<void*>& operands,
                      const std::vector<int64_t>& bytes, size_t num_inputs,
                      int64_t arena_bytes, const UploadFn& upload,
                      const IssueFn& issue, bool warm = false);

  // Why there are none any more; empty: there may be.
  const std::string& why_not() const { return why_not_; }
  void GiveUp(std::string why) { why_not_ = std::move(why); }
  size_t count() const { return made_.size(); }
  // What was seen so far does not count: the next run is issued one by one.
  void Forget() { seen_.clear(); }
  // Of other operands from now on. REQUIRES: no recording is running.
  void Clear();
  // Operands that are copied.
  size_t num_copied() const { return slots_.size(); }

 private:
  struct Recording {
    explicit Recording(CudaDevice& d) : device(d) {}
    ~Recording();
    CudaDevice& device;
    CUgraphExec exec = nullptr;
    Array arena;
    std::vector<Array> kept;       // scratch space of library calls
    std::vector<uint64_t> checks;  // where its kernels tell what is wrong
  };
  using Key = std::vector<void*>;

  Status Record(CudaDevice& device, const Key& key, int64_t arena_bytes,
                const IssueFn& issue);
  Key KeyOf(const std::vector<void*>& operands) const;
  // Notes where operands are and gives those that move a place.
  Status Follow(CudaDevice& device, const std::vector<void*>& operands,
                const std::vector<int64_t>& bytes);
  // Gives those that were in more than `most` places one.
  Status Settle(CudaDevice& device, const std::vector<int64_t>& bytes,
                size_t most);

  std::map<Key, std::unique_ptr<Recording>> made_;
  std::map<Key, int> seen_;
  std::vector<std::set<void*>> places_;  // by operand
  std::map<size_t, Array> slots_;        // by operand: its place here
  int hits_ = 0;                         // runs since a key was last missed
  std::string why_not_;
  // Of the run that is under way, for what recorded launches find wrong.
  std::shared_ptr<CudaLaunchScope::LateFn> late_ =
      std::make_shared<CudaLaunchScope::LateFn>();
};

}  // namespace sluice
