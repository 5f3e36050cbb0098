// TupleSpec: the types of the elements of a queue or a barrier: a dtype and
// optionally a shape for each component. Element: one such tuple of arrays.
//
// A batch has one more leading axis. Plain values; the functions here take no
// locks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct Element {
  std::vector<Array> parts;
  uint64_t sequence = 0;  // order of arrival, for equal priorities
};

struct TupleSpec {
  std::vector<DType> dtypes;
  // One per component, or empty if no shape is known.
  std::vector<PartialShape> shapes;
  std::vector<std::string> names;  // one per component, or empty

  int size() const { return static_cast<int>(dtypes.size()); }
  PartialShape shape(int i) const {
    return shapes.empty() ? PartialShape() : shapes[static_cast<size_t>(i)];
  }
  // Errors: no components, inconsistent counts, dtypes without elements.
  Status Check() const;
  // "(f32[2], x: i64[?])".
  std::string ToString() const;
};

// Errors of the next two functions read "components[1] is f32[3]; wanted f32[2]
// as <who>"; an error leaves everything unchanged.

// Makes one element from these arrays.
Result<Element> MakeElement(const TupleSpec& spec, std::span<const Array> parts,
                            const std::string& who);
// Splits a batch into its elements along axis 0 of every component.
Result<std::vector<Element>> SplitBatch(const TupleSpec& spec,
                                        std::span<const Array> parts,
                                        const std::string& who);

// Whether elements of `shape` can be put into a batch: all sizes are known or,
// with `pad`, the rank is. `pad`: unknown sizes become the maximum in the
// batch.
bool CanBatch(const PartialShape& shape, bool pad);
// Allocates memory for a batch of these elements, not yet filled.
// REQUIRES: CanBatch() for every component.
Result<std::vector<Array>> AllocateBatch(const TupleSpec& spec, bool pad,
                                         std::span<const Element> elements);
// Copies the elements into the batch; the rest is zero (an empty string).
void FillBatch(std::span<const Element> elements, std::span<const Array> batch);

// Whether every array of shape `actual` also has shape `claimed`. A claim that
// a graph makes in advance must hold for all possible arrays.
bool Subsumes(const PartialShape& claimed, const PartialShape& actual);

// `shape` with a leading axis of size `n`; of unknown rank if the rank would be
// too large.
PartialShape BatchShape(const PartialShape& shape, int64_t n);

}  // namespace sluice
