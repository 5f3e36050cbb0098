// ValueStack: a stack of arrays of one dtype. A node of the step creates it; it
// has no shared name, so no two are the same. It is destroyed with its last
// handle, that is, with the step that created it, however the step ends.
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
  // `label` is for messages; `max_size` -1: unbounded.
  ValueStack(std::string label, DType dtype, int64_t max_size);

  DType dtype() const { return dtype_; }
  // Errors: closed, full, or another dtype.
  Status Push(Array value);
  // Errors: closed or empty.
  Result<Array> Pop();
  // Drops all elements; later pushes and pops fail. A second call has no
  // effect.
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
