// EagerValue: what an imperative Tensor points at: elements that are there now,
// and how they came to be, as far as gradients ask for that.
//
// Counted; handles share it, so a write in place is seen through all of them.
// Threads may read one at the same time, record calls of it and run backward to
// it; as with any C++ object, whoever writes is alone with it (docs/safety.md).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/pooled.h"
#include "sluice/base/ref_counted.h"
#include "sluice/base/source_line.h"
#include "sluice/graph/value.h"
#include "sluice/op/attr.h"
#include "sluice/tensor/array.h"

namespace sluice {

class Recording;
class Tensor;
class TapeNode;
struct EagerRows;
struct EagerValue;
struct OpRecord;

// Counts the writes to a stretch of memory, for all values that look at it.
// Whoever keeps a value for later notes the count and can tell what happened.
struct WriteLog : RefCounted<WriteLog>, Pooled<WriteLog> {
  uint32_t count = 0;
  // How often a write changed how the memory's owner came to be: views made
  // before then have to find out anew.
  uint32_t histories = 0;
  SourceLine last;
};

// How a view came from the value whose memory it looks into: ops that copy
// nothing, one after the other. Replayed on that value, they give the view as
// it is now, history included.
struct ViewStep {
  const OpRecord* op;
  Attrs attrs;
  std::vector<Ref<EagerValue>> others;  // inputs but the first: sizes
};
struct ViewOf {
  Ref<EagerValue> base;  // itself no view, unless it stands alone
                         // (eager/view_write.h)
  std::vector<ViewStep> steps;
  static constexpr uint32_t kNotKnown = ~0u;
  uint32_t seen = 0;    // WriteLog::histories the view's own history knows of
  bool records = true;  // made while calls were recorded
  uint32_t moved = 0;   // of the base, then: it may look elsewhere since
};

// What a value is while a function is recorded (eager/recording.h): one value
// of the graph at a time, another after every write.
struct TraceState {
  Recording* recording;  // who records it; null when that is over
  Value value;
  ValueType type{};              // what it was, then
  std::weak_ptr<Graph> graph{};  // and of what
  uint32_t seen = 0;             // of a view: the writes `value` knows of
  bool tainted = false;    // made from what gradients flow through, even if
                           // they do not flow through here
  bool contiguous = true;  // its elements lie in row-major order, for sure
  bool reshaped = false;   // there is a view of it because they do
  bool number = false;     // stands for a number of the user's program, which
                           // is no place to write to
  uint64_t serial = 0;     // in the order they were made
  // Set: written while calls were not recorded. The elements are those of
  // `value`; gradients flow to this one, as before.
  Value history{};
  // May share memory with these: strides decide, or a branch. Fine while
  // neither is written; what is written then makes the others unknown.
  struct Perhaps {
    Ref<EagerValue> other;
    uint32_t seen;  // writes to it so far
    enum class How : uint8_t {
      kStrides,  // a look into it where its elements lie in order
      kLook,     // a look into it on some way
      kWhole     // the very tensor on some way
    };
    How how = How::kStrides;
  };
  std::vector<Perhaps> perhaps;
  bool expanded = false;  // shows elements more than once: no write
  bool unknown = false;   // what may be its memory was written, at `by`
  SourceLine unknown_by{};
  int64_t entry = -1;  // of the recording, for what stands for a tensor outside
  // Of a sparse gradient.
  Value rows_shape{};
  PartialShape dense{};
  DType rows_dtype = DType::kInvalid;
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
  // Threads that read one value may come here at once.
  WriteLog& writes() {
    WriteLog* made = published_log.load(std::memory_order_acquire);
    return made ? *made : PublishLog();
  }
  WriteLog& PublishLog();
  // For whoever is alone with it.
  void SetLog(Ref<WriteLog> other) {
    published_log.store(nullptr, std::memory_order_relaxed);
    log = std::move(other);
  }
  // Gradients flow to here or through here.
  bool tracked() const { return requires_grad || producer; }
  // Of a value being traced, sizes may be unknown.
  DType dtype() const;
  PartialShape shape() const;
  std::string TypeText() const;
  // "w (made at model.cc:12)", for messages.
  std::string Describe() const;

  Array array;             // of rows only type and shape, no elements
  Ref<TapeNode> producer;  // null: a leaf
  int output = 0;          // of the producer
  bool requires_grad = false;
  uint32_t moved = 0;  // how often it was given other memory (data_alias.h)
  bool view = false;   // looks into the memory of another value
  std::unique_ptr<ViewOf> view_of;     // and how, where that is known
  std::unique_ptr<TraceState> traced;  // set: part of a graph, no elements
  Ref<WriteLog> log;  // null: nobody has asked; shared with views
  std::atomic<WriteLog*> published_log{
      nullptr};                                 // `log`, once it was asked for
  Ref<EagerValue> grad;                         // of a leaf
  std::shared_ptr<Ref<EagerValue>> grad_place;  // of others that retain theirs
  std::unique_ptr<Extras> extra;
  std::unique_ptr<EagerRows> rows;  // set: a sparse gradient (eager/rows.h)
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
