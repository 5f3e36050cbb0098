#include "sluice/data/mnist.h"

#include <cstdlib>
#include <filesystem>

#include "sluice/base/strings.h"
#include "sluice/data/array_table.h"
#include "sluice/data/idx.h"

namespace sluice::data {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kSide = 28;

std::vector<fs::path> Folders(const std::string& dir) {
  if (!dir.empty()) return {dir};
  std::vector<fs::path> folders;
  if (const char* env = std::getenv("SLUICE_DATA"); env && *env) {
    folders = {fs::path(env), fs::path(env) / "mnist"};
  }
  std::error_code ignored;
  for (fs::path at = fs::current_path(ignored); !at.empty();
       at = at.parent_path()) {
    folders.push_back(at / "data" / "mnist");
    if (at == at.root_path()) break;
  }
#ifdef SLUICE_SOURCE_DATA
  folders.push_back(fs::path(SLUICE_SOURCE_DATA) / "mnist");
#endif
  return folders;
}

// The first folder that has the file, packed or not.
std::string Find(const std::string& name, const std::string& dir) {
  std::vector<fs::path> folders = Folders(dir);
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    for (const char* ending : {".gz", ""}) {
      fs::path path = folder / (name + ending);
      if (fs::is_regular_file(path, ignored)) return path.string();
    }
  }
  std::string looked;
  for (const fs::path& folder : folders) {
    StrAppend(looked, looked.empty() ? "" : ", ", folder.string());
  }
  throw Error(NotFound(StrCat(
      "[mnist] no file ", name, " or ", name, ".gz in ", looked,
      "; wanted the files of MNIST there, or $SLUICE_DATA to say where")));
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
  return Dataset<2>(TableSource(*table, n, StrCat("mnist ", split)));
}

}  // namespace sluice::data
