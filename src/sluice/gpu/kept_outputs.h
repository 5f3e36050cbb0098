// KeptOutputs: memory for a piece's results that lies in the same place run
// after run. A recording has addresses in it: results that go where those of an
// earlier run went launch its recording without copies. What is handed out is
// its holder's alone; when the last one lets go of it, it is for the next run.
//
// What nobody holds is given back where memory runs out. Results may outlive
// this. Thread safe.
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
  // By output. A program that holds on to one result while it asks for the next
  // has two in turns; those of one that holds on to more are not kept.
  std::vector<std::vector<std::shared_ptr<Place>>> places_ SL_GUARDED_BY(mu_);
  Mutex mu_;
};

}  // namespace sluice
