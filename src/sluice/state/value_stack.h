// ValueStack: arrays of one dtype, the last one in comes out first. Made by a
// node of the step, not found by a name: two are never the same, and one is
// gone with the last who holds its handle, which is the step that made it,
// however that ends.
//
// Thread safe.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/state/named_resource.h"
#include "sluice/tensor/array.h"

namespace sluice {

class ValueStack final : public NamedResource {
 public:
  // `label` is for messages; `max_size` -1: no bound.
  ValueStack(std::string label, DType dtype, int64_t max_size);

  DType dtype() const { return dtype_; }
  // Errors: closed, full, or of another dtype.
  Status Push(Array value);
  // Errors: closed or empty.
  Result<Array> Pop();
  // Drops what is there; nothing can be pushed or popped afterwards. Again:
  // nothing happens.
  void Close();

  static constexpr char kKind[] = "stack";
  const void* tag() const override { return kKind; }

 private:
  std::string Who() const;  // `stack "s"`
  Status CheckOpen() const SL_REQUIRES(mu_);

  const DType dtype_;
  const int64_t max_size_;
  Mutex mu_;
  std::vector<Array> values_ SL_GUARDED_BY(mu_);
  bool closed_ SL_GUARDED_BY(mu_) = false;
};

}  // namespace sluice
