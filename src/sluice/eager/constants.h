// Where values enter a graph: placeholders, which every step is fed, and
// constants, which are part of the graph.
#pragma once

#include <source_location>
#include <string_view>

#include "sluice/eager/literal.h"
#include "sluice/eager/sizes.h"
#include "sluice/eager/tensor.h"

namespace sluice {

// `shape` says what is known: {sl::any, 784}, or nothing at all. Feeds of
// another type or shape are refused.
Tensor placeholder(
    DType dtype, const PartialSizes& shape = {}, std::string_view name = {},
    std::source_location where = std::source_location::current());

// constant(0.5f), constant({1, 2, 3}), constant({{1, 2}, {3, 4}}), an Array.
Tensor constant(const Literal& value, std::string_view name = {},
                std::source_location where = std::source_location::current());
// The same as another type: constant({1, 2, 3}, sl::f32).
Tensor constant(const Literal& value, DType dtype, std::string_view name = {},
                std::source_location where = std::source_location::current());

// Of any size for the price of one element: the value is broadcast.
Tensor full(const Sizes& shape, const Literal& value,
            std::string_view name = {},
            std::source_location where = std::source_location::current());
Tensor zeros(const Sizes& shape, DType dtype = DType::kF32,
             std::string_view name = {},
             std::source_location where = std::source_location::current());
Tensor ones(const Sizes& shape, DType dtype = DType::kF32,
            std::string_view name = {},
            std::source_location where = std::source_location::current());

}  // namespace sluice
