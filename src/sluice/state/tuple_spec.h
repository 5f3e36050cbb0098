// TupleSpec: what the elements of a queue or a barrier look like: a dtype and
// perhaps a shape for each component. Element: one such tuple of arrays.
//
// A batch is the same with one more axis in front. Plain values; the functions
// here take no locks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct Element {
  std::vector<Array> parts;
  uint64_t sequence = 0;  // when it came in: ties between priorities
};

struct TupleSpec {
  std::vector<DType> dtypes;
  // One per component, or none at all when nothing is known.
  std::vector<PartialShape> shapes;
  std::vector<std::string> names;  // one per component, or none at all

  int size() const { return static_cast<int>(dtypes.size()); }
  PartialShape shape(int i) const {
    return shapes.empty() ? PartialShape() : shapes[static_cast<size_t>(i)];
  }
  // Errors: no components, counts that differ, dtypes without elements.
  Status Check() const;
  // "(f32[2], x: i64[?])".
  std::string ToString() const;
};

// Errors of the next two read "components[1] is f32[3]; wanted f32[2] as <who>"
// and leave everything as it was.

// One element from these arrays.
Result<Element> MakeElement(const TupleSpec& spec, std::span<const Array> parts,
                            const std::string& who);
// The elements of a batch: axis 0 of every component, taken apart.
Result<std::vector<Element>> SplitBatch(const TupleSpec& spec,
                                        std::span<const Array> parts,
                                        const std::string& who);

// Whether elements of `shape` can be put into a batch: all sizes known or, with
// `pad`, the rank. `pad`: unknown sizes become the largest of the batch.
bool CanBatch(const PartialShape& shape, bool pad);
// Memory for a batch of these elements, not yet filled.
// REQUIRES: CanBatch() for every component.
Result<std::vector<Array>> AllocateBatch(const TupleSpec& spec, bool pad,
                                         std::span<const Element> elements);
// Copies the elements in; what they do not reach is zero (an empty string).
void FillBatch(std::span<const Element> elements, std::span<const Array> batch);

// Whether every array of shape `actual` is also of shape `claimed`: what a
// graph says about a component before there is one must be true of all.
bool Subsumes(const PartialShape& claimed, const PartialShape& actual);

// `shape` with one more axis of size `n` in front; of unknown rank when there
// is no room for it.
PartialShape BatchShape(const PartialShape& shape, int64_t n);

}  // namespace sluice
