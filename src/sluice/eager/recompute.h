// RecomputeRegion: a stretch of recorded calls that keeps none of its values;
// the first gradient that needs one runs the stretch again. The values found
// then go to the calls they belong to: those of the k-th call of the second run
// to the k-th call of the first.
//
// Counted: kept by its calls. One thread at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "sluice/eager/tape.h"
#include "sluice/eager/tensor_fn.h"

namespace sluice {

class RecomputeRegion : public RefCounted<RecomputeRegion> {
 public:
  RecomputeRegion(TensorFn f, std::vector<Tensor> inputs);

  // The first run, recorded.
  std::vector<Tensor> Run();
  // The second run; does nothing when it was made already.
  Status Recompute();

  // The region calls on this thread are recorded for; null for none.
  static RecomputeRegion* Current();
  // While it is there, calls are recorded for no region: a derivative taken
  // inside of one reads what it has just recorded.
  class Apart {
   public:
    Apart();
    ~Apart();
    Apart(const Apart&) = delete;
    Apart& operator=(const Apart&) = delete;

   private:
    RecomputeRegion* outer_;
  };
  // A call of this region, in the order they are made. True: it keeps nothing
  // now.
  bool Enter(OpTapeNode& node);
  // A call of the first run is gone.
  void Leave(size_t number) { calls_[number] = nullptr; }

  // What is run again, and how many calls of the first run there are still:
  // all who keep this, unless a run is being made.
  const TensorFn& function() const { return f_; }
  size_t calls_left() const {
    return calls_.size() - static_cast<size_t>(std::count(
                               calls_.begin(), calls_.end(), nullptr));
  }

 private:
  friend class RefCounted<RecomputeRegion>;
  ~RecomputeRegion() = default;
  class Recording;

  TensorFn f_;
  std::vector<Tensor> inputs_;
  int64_t random_calls_;
  bool again_ = false, done_ = false;
  std::vector<OpTapeNode*> calls_;            // of the first run
  std::vector<Ref<OpTapeNode>> repetitions_;  // of the second one
};

// f of inputs that are there, as such a region where calls are recorded.
std::vector<Tensor> RunToRecompute(const TensorFn& f,
                                   const std::vector<Tensor>& inputs);

}  // namespace sluice
