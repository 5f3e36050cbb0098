// Where elements come from when not from files.
//
//   auto pairs = data::from_tensors(images, labels);     // Dataset<2>
//   auto numbers = data::range(10);                      // i64 scalars
//   auto lines = data::from_generator<1>([] {            // one call per pass
//     return [i = 0]() mutable -> std::optional<std::array<sl::Tensor, 1>> {
//       if (i == 3) return std::nullopt;
//       return {{sl::constant(i++)}};
//     };
//   });
#pragma once

#include "sluice/data/dataset.h"

namespace sluice::data {

// Axis 0 of each tensor counts the elements. Throws when they differ in it.
template <class... Tensors>
  requires(std::is_convertible_v<Tensors, Tensor> && ...)
Dataset<sizeof...(Tensors)> from_tensors(const Tensors&... tensors) {
  return Dataset<sizeof...(Tensors)>(TensorSource({Tensor(tensors)...}));
}

// begin, begin + step, ... as 0-d tensors of i64, without `end`.
inline Dataset<1> range(int64_t begin, int64_t end, int64_t step = 1) {
  return Dataset<1>(RangeSource(begin, end, step));
}
inline Dataset<1> range(int64_t end) { return range(0, end); }

// `start` is called at the beginning of each pass. What it returns is called
// for one element after another until it has none: it returns a
// std::optional<std::array<Tensor, N>>.
template <size_t N, class Start>
Dataset<N> from_generator(Start start) {
  return Dataset<N>(
      GeneratorSource([start = std::move(start)]() mutable -> ElementSource {
        return [next = start()](Element* element) mutable {
          std::optional<std::array<Tensor, N>> value = next();
          if (!value) return false;
          element->assign(value->begin(), value->end());
          return true;
        };
      }));
}

}  // namespace sluice::data
