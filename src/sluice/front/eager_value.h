// EagerValue: what an imperative Tensor points at: elements that are there now,
// and how they came to be, as far as gradients ask for that.
//
// Counted; handles share it, so a write in place is seen through all of them.
// Not thread safe beyond its count: as with any C++ object, whoever writes is
// alone with it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/pooled.h"
#include "sluice/base/ref_counted.h"
#include "sluice/base/source_line.h"
#include "sluice/tensor/array.h"

namespace sluice {

class Tensor;
class TapeNode;
struct EagerRows;

// Counts the writes to a stretch of memory, for all values that look at it.
// Whoever keeps a value for later notes the count and can tell what happened.
struct WriteLog : RefCounted<WriteLog>, Pooled<WriteLog> {
  uint32_t count = 0;
  SourceLine last;
};

struct EagerValue : RefCounted<EagerValue>, Pooled<EagerValue> {
  explicit EagerValue(Array value);
  ~EagerValue();

  // What few values have.
  struct Extras {
    std::string name;
    std::vector<std::pair<int, std::function<Tensor(const Tensor&)>>> hooks;
    int next_hook = 0;
    bool retains_grad = false;
  };
  Extras& extras() {
    if (!extra) extra = std::make_unique<Extras>();
    return *extra;
  }
  WriteLog& writes() {
    if (!log) log = MakeRef<WriteLog>();
    return *log;
  }
  // Gradients flow to here or through here.
  bool tracked() const { return requires_grad || producer; }
  // "w (made at model.cc:12)", for messages.
  std::string Describe() const;

  Array array;             // of rows only type and shape, no elements
  Ref<TapeNode> producer;  // null: a leaf
  int output = 0;          // of the producer
  bool requires_grad = false;
  bool view = false;     // looks into the memory of another value
  Ref<WriteLog> log;     // null: nobody has asked; shared with views
  Ref<EagerValue> grad;  // of a leaf
  std::shared_ptr<Ref<EagerValue>> grad_place;  // of others that retain theirs
  std::unique_ptr<Extras> extra;
  std::unique_ptr<EagerRows> rows;  // set: a sparse gradient (front/rows.h)
  SourceLine line;                  // where it was made

  // For the backward run that is adding up its gradient.
  const void* run = nullptr;
  Ref<EagerValue> flow;
};

using EagerRef = Ref<EagerValue>;

// A gradient as slices along axis 0 (`values`), to be added to zeros at the
// vector `indices`, in which an index may be twice.
struct EagerRows {
  EagerRef indices, values;
};

}  // namespace sluice
