// tf.train.Example: named lists of bytes, floats or whole numbers, as TFRecord
// files commonly hold them, and how they become tensors.
//
//   auto train = data::examples<2>("train-*.tfrecord",
//                                  {{"image", sl::f32, {28, 28}},
//                                   {"label", sl::i64, {}}});
//
// The bytes are read within bounds whatever is in them; what is no Example is
// an error with the byte.
#pragma once

#include "sluice/data/record_files.h"

namespace sluice::data {

// One feature as a tensor: f32, i64 or string. A size may be sl::any when all
// others are known: it is what the number of values makes it.
struct Feature {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape{};  // none: a scalar
  // A feature that is not there, or has no values, is this value everywhere
  // (of shape with any = 0) instead of an error.
  std::optional<double> missing{};
};

// Tensors for the features, in order. Throws sluice::Error.
std::vector<Tensor> parse_example(std::string_view bytes,
                                  const std::vector<Feature>& features);

// The bytes of an Example with these tensors, flattened: f32, i64 and strings.
std::string make_example(
    const std::vector<std::pair<std::string, Tensor>>& features);

namespace data_internal {
// Throws when there are not as many features as components.
void WantFeatures(size_t features, size_t components);
}  // namespace data_internal

// The Examples of TFRecord files, one component for each feature.
template <size_t N>
Dataset<N> examples(const Files& files, const std::vector<Feature>& features,
                    MapOptions options = {}) {
  data_internal::WantFeatures(features.size(), N);
  if (options.name.empty()) options.name = "example";
  return Dataset<N>(MapStage(
      tfrecord(files).stage(),
      [features](const Element& record, Random&) {
        return parse_example(record[0].array().template data<std::string>()[0],
                             features);
      },
      false, std::move(options)));
}

}  // namespace sluice::data
