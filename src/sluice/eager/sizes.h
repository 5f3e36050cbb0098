// Sizes and PartialSizes: shapes as arguments of public functions, written
// {2, 3} or {sl::any, 784}. Sizes that make no shape throw sluice::Error, where
// Shape's own constructor takes them for granted.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sluice/tensor/shape.h"

namespace sluice {

class Sizes {
 public:
  Sizes(std::initializer_list<int64_t> dims);
  Sizes(const std::vector<int64_t>& dims);
  Sizes(const Shape& shape) : shape_(shape) {}

  const Shape& shape() const { return shape_; }

 private:
  Shape shape_;
};

class PartialSizes {
 public:
  PartialSizes() = default;  // unknown rank
  PartialSizes(std::initializer_list<int64_t> dims);
  PartialSizes(const std::vector<int64_t>& dims);
  PartialSizes(const Shape& shape) : shape_(shape) {}
  PartialSizes(const PartialShape& shape) : shape_(shape) {}

  const PartialShape& shape() const { return shape_; }

 private:
  PartialShape shape_;
};

std::vector<PartialShape> ShapesOf(const std::vector<PartialSizes>& sizes);

}  // namespace sluice
