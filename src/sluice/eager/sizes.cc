#include "sluice/eager/sizes.h"

#include "sluice/base/error.h"

namespace sluice {

namespace {

Dims Of(std::initializer_list<int64_t> dims) {
  return {dims.begin(), dims.size()};
}

}  // namespace

Sizes::Sizes(std::initializer_list<int64_t> dims)
    : shape_(ValueOrThrow(Shape::Make(Of(dims)))) {}
Sizes::Sizes(const std::vector<int64_t>& dims)
    : shape_(ValueOrThrow(Shape::Make(dims))) {}

PartialSizes::PartialSizes(std::initializer_list<int64_t> dims)
    : shape_(ValueOrThrow(PartialShape::Make(Of(dims)))) {}
PartialSizes::PartialSizes(const std::vector<int64_t>& dims)
    : shape_(ValueOrThrow(PartialShape::Make(dims))) {}

std::vector<PartialShape> ShapesOf(const std::vector<PartialSizes>& sizes) {
  std::vector<PartialShape> shapes;
  for (const PartialSizes& s : sizes) shapes.push_back(s.shape());
  return shapes;
}

}  // namespace sluice
