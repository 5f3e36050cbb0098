#include "sluice/data/mnist.h"

#include "sluice/base/strings.h"
#include "sluice/data/array_table.h"
#include "sluice/data/find_file.h"
#include "sluice/data/idx.h"

namespace sluice::data {

namespace {

constexpr int64_t kSide = 28;

// Finds the file, with or without .gz.
std::string Find(const std::string& name, const std::string& dir) {
  return find_file("mnist", {name + ".gz", name}, dir);
}

Array Labels(const Array& bytes, const std::string& path) {
  if (bytes.dtype() != DType::kU8 || bytes.rank() != 1) {
    throw Error(DataLoss(StrCat("[mnist] \"", EscapeString(path), "\" holds ",
                                bytes.TypeText(), "; wanted u8[?]")));
  }
  Array labels = ValueOrThrow(Array::Make(DType::kI64, bytes.shape()));
  std::copy_n(bytes.data<uint8_t>(), bytes.num_elements(),
              labels.mutable_data<int64_t>());
  return labels;
}

}  // namespace

Dataset<2> mnist(const std::string& split, const MnistOptions& options) {
  if (split != "train" && split != "test") {
    throw Error(
        InvalidArgument(StrCat("[mnist] split is \"", EscapeString(split),
                               "\"; wanted \"train\" or \"test\"")));
  }
  std::string prefix = split == "train" ? "train" : "t10k";
  std::string image_path = Find(prefix + "-images-idx3-ubyte", options.dir);
  std::string label_path = Find(prefix + "-labels-idx1-ubyte", options.dir);
  Array images = read_idx(image_path).array();
  Array labels = Labels(read_idx(label_path).array(), label_path);
  if (images.dtype() != DType::kU8 || images.rank() != 3 ||
      images.dim(1) != kSide || images.dim(2) != kSide) {
    throw Error(
        DataLoss(StrCat("[mnist] \"", EscapeString(image_path), "\" holds ",
                        images.TypeText(), "; wanted u8[?,28,28]")));
  }
  int64_t n = images.dim(0);
  images = images.WithShape(options.flat ? Shape{n, kSide * kSide}
                                         : Shape{n, 1, kSide, kSide});
  auto table = ArrayTable::Make(
      {{.values = images, .scaled = true, .factor = 1 / 255.0f},
       {.values = labels}});
  if (!table.ok()) {
    throw Error(DataLoss(StrCat("[mnist] \"", EscapeString(image_path),
                                "\" and \"", EscapeString(label_path),
                                "\": ", table.status().message())));
  }
  return Dataset<2>(
      TableSource(*table, n, StrCat("mnist ", split, "(", n, ")")));
}

}  // namespace sluice::data
