// KeptOutputs: memory for a piece's results that lies in the same place run
// after run. A recording has addresses in it: results that go where those of an
// earlier run went launch its recording without copies. What is handed out is
// its holder's alone; when the last one lets go of it, it is for the next run.
//
// Results may outlive this. Take is called by one thread at a time; results are
// let go on any thread.
#pragma once

#include <memory>
#include <vector>

#include "sluice/tensor/array.h"

namespace sluice {

class KeptOutputs {
 public:
  // Memory for result `output`, whose type is the same each time.
  Result<Array> Take(size_t output, DType dtype, const Shape& shape,
                     Allocator& allocator);

 private:
  struct Place;
  // By output. A program that holds on to one result while it asks for the next
  // has two in turns; those of one that holds on to more are not kept.
  std::vector<std::vector<std::shared_ptr<Place>>> places_;
};

}  // namespace sluice
