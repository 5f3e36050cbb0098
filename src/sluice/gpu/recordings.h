// Recordings: the launches of one piece as CUDA graphs, by the addresses of its
// operands.
//
// Programs that repeat a step find their operands at a few addresses, in turn:
// one recording for each combination runs without copies. Operands whose
// address keeps changing (such as batches from a loader) get a fixed address in
// the recordings and are copied to or from it. Not thread safe.
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
  // Issues the launches on a stream with operands at these addresses and this
  // arena.
  using IssueFn = std::function<Status(
      Stream& stream, const std::vector<void*>& operands, void* arena)>;

  // Fills the part of an arena that differs between runs.
  using UploadFn = std::function<Status(void* arena)>;

  // Launches a recording for these operands on the device's stream. Makes one
  // if the same addresses were seen before, or if `warm`: everything to be
  // recorded has been launched before. False: issue the launches one by one
  // this time. `bytes`: the size of each operand; the first `num_inputs` are
  // read, the others written.
  Result<bool> Launch(CudaDevice& device, const std::vector<void*>& operands,
                      const std::vector<int64_t>& bytes, size_t num_inputs,
                      int64_t arena_bytes, const UploadFn& upload,
                      const IssueFn& issue, bool warm = false);

  // Why recording was given up; empty: it was not.
  const std::string& why_not() const { return why_not_; }
  void GiveUp(std::string why) { why_not_ = std::move(why); }
  size_t count() const { return made_.size(); }
  // Discards what was seen so far: the next run is issued one by one.
  void Forget() { seen_.clear(); }
  // Starts over for other operands. REQUIRES: no recording is running.
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
    std::vector<Array> kept;       // scratch memory of library calls
    std::vector<uint64_t> checks;  // where its kernels report errors
  };
  using Key = std::vector<void*>;

  Status Record(CudaDevice& device, const Key& key, int64_t arena_bytes,
                const IssueFn& issue);
  Key KeyOf(const std::vector<void*>& operands) const;
  // Tracks the addresses of operands and gives those that change a fixed one.
  Status Follow(CudaDevice& device, const std::vector<void*>& operands,
                const std::vector<int64_t>& bytes);
  // Gives operands with more than `most` addresses a fixed one.
  Status Settle(CudaDevice& device, const std::vector<int64_t>& bytes,
                size_t most);

  std::map<Key, std::unique_ptr<Recording>> made_;
  std::map<Key, int> seen_;
  std::vector<std::set<void*>> places_;  // by operand
  std::map<size_t, Array> slots_;        // by operand: its fixed address
  int hits_ = 0;                         // runs since the last new key
  std::string why_not_;
  // Of the current run, for errors that recorded launches report.
  std::shared_ptr<CudaLaunchScope::LateFn> late_ =
      std::make_shared<CudaLaunchScope::LateFn>();
};

}  // namespace sluice
