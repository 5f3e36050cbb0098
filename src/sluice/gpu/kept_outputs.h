// KeptOutputs: memory for a piece's results that keeps its address from run to
// run. Recordings contain addresses, so results stored at the same addresses as
// in an earlier run can use its recording without copies. A result belongs to
// its holders; when the last one releases it, its memory is reused by the next
// run.
//
// Unused memory is freed when memory runs out. Results may outlive this object.
// Thread safe.
#pragma once

#include <memory>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/reclaimer.h"
#include "sluice/tensor/array.h"

namespace sluice {

class KeptOutputs final : public Reclaimer {
 public:
  ~KeptOutputs() override { Leave(); }

  // Memory for result `output`, whose type is the same each time.
  Result<Array> Take(size_t output, DType dtype, const Shape& shape,
                     Allocator& allocator) SL_EXCLUDES(mu_);
  bool GiveBack() override SL_EXCLUDES(mu_);

 private:
  struct Place;
  // By output. A program that holds one result while it requests the next
  // alternates between two. More than two are not kept.
  std::vector<std::vector<std::shared_ptr<Place>>> places_ SL_GUARDED_BY(mu_);
  Mutex mu_;
};

}  // namespace sluice
