// EagerOp: an op with the types and attributes of a call, resolved once and
// kept: the part of a call that does not depend on sizes and elements. Finding
// one costs a hash of a few words.
//
// Counted; each thread keeps those it used lately, recorded calls keep theirs.
// Immutable but for the list of what gradients need.
#pragma once

#include <atomic>
#include <span>
#include <string_view>

#include "sluice/base/ref_counted.h"
#include "sluice/base/small_vector.h"
#include "sluice/op/record.h"
#include "sluice/op/signature.h"

namespace sluice {

// Which inputs and outputs a gradient rule reads the elements of, by bit.
struct GradNeeds {
  uint64_t inputs = 0, outputs = 0;
};

// Operands of a call: looked at, not owned.
using ArrayPointers = std::span<const Array* const>;

class EagerOp : public RefCounted<EagerOp> {
 public:
  // Errors: as ResolveCall, and an op that cannot run on its own.
  static Result<Ref<EagerOp>> Find(const OpRecord& op, const Attrs& given,
                                   ArrayPointers inputs);

  const OpRecord& record() const { return *record_; }
  const Attrs& attrs() const { return call_.attrs; }
  std::span<const DType> out_dtypes() const { return call_.out_dtypes; }
  size_t num_outputs() const { return call_.out_dtypes.size(); }

  // Runs the kernel. `outputs` has num_outputs() places.
  Status Run(ArrayPointers inputs, std::span<Array> outputs) const;

  // The same on inputs the caller gives up: an in_place() op may write over the
  // first when nobody else holds it.
  Status RunTaking(std::span<Array> inputs, std::span<Array> outputs) const;

  // The same into an array of the result's type and shape, which may be input
  // 0 itself. Errors: the result is of another type or shape.
  Status RunInto(ArrayPointers inputs, const Array& out) const;

  // What the rule reads when the gradients of the inputs in `wants` are asked
  // for. Found by applying the rule to a graph of one node.
  GradNeeds Needs(uint64_t wants, ArrayPointers inputs,
                  ArrayPointers outputs) const;
  // The same if it was found before, for inputs with these numbers of axes (16
  // times the one before plus the next); else null.
  const GradNeeds* KnownNeeds(uint64_t wants, uint64_t ranks) const {
    const Known* known = known_.load(std::memory_order_acquire);
    for (; known; known = known->next) {
      if (known->wants == wants && known->ranks == ranks) return &known->needs;
    }
    return nullptr;
  }

 private:
  friend class RefCounted<EagerOp>;
  EagerOp() = default;
  ~EagerOp();
  bool Matches(const OpRecord& op, const Attrs& given,
               ArrayPointers inputs) const;
  // The whole call for elementwise ops on equal shapes or with scalars, without
  // detours; false when it is not such a call.
  bool RunPlain(ArrayPointers inputs, Array& out) const;

  const OpRecord* record_ = nullptr;
  SmallVector<DType, 4> in_dtypes_;
  Attrs given_;
  ResolvedCall call_;
  BlockKernel block_;  // of elementwise ops; fn may be null

  // What was found out about needs: a list that only grows, read without a
  // lock.
  struct Known {
    uint64_t wants, ranks;
    GradNeeds needs;
    const Known* next;
  };
  mutable std::atomic<const Known*> known_{nullptr};
};

}  // namespace sluice
