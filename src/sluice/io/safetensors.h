// Safetensors files: named tensors, as other systems write and read them, too.
//
//   sl::io::save_safetensors("net.safetensors", net.state_dict());
//   net.load_state_dict(sl::io::load_safetensors("net.safetensors"));
//
//   sl::io::SafetensorsReader file("large.safetensors");   // nothing read yet
//   for (auto& info : file.tensors()) std::cout << info.name << "\n";
//   sl::Tensor w = file.read("fc1.weight");
//
// A path that ends in ".index.json" names a model in several files.
//
// Everything throws sluice::Error, which names the file, the tensor and what is
// wrong. Saving writes beside, syncs and renames: a file that was there is
// replaced whole or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/front/state_dict.h"

namespace sluice::io {

// Text that belongs to the file: {{"format", "pt"}}.
using Metadata = std::vector<std::pair<std::string, std::string>>;

void save_safetensors(const std::string& path, const StateDict& state,
                      const Metadata& metadata = {});
// In the order they were saved in.
StateDict load_safetensors(const std::string& path);

// In files of at most `max_bytes` (but one tensor at least), and an index of
// them: "model.safetensors.index.json" has "model-00001-of-00002.safetensors".
void save_sharded_safetensors(const std::string& index_path,
                              const StateDict& state, int64_t max_bytes,
                              const Metadata& metadata = {});

struct TensorInfo {
  std::string name;
  std::string type;               // as the file calls it: "F32", "F8_E4M3"
  DType dtype = DType::kInvalid;  // kInvalid: a type that cannot be read here
  std::vector<int64_t> shape;
  int64_t bytes = 0;
};

// Thread safe; holds its files open.
class SafetensorsReader {
 public:
  explicit SafetensorsReader(const std::string& path);
  ~SafetensorsReader();
  SafetensorsReader(SafetensorsReader&&) noexcept;
  SafetensorsReader& operator=(SafetensorsReader&&) noexcept;

  const std::vector<TensorInfo>& tensors() const;
  const Metadata& metadata() const;
  bool contains(std::string_view name) const;
  // Throws when there is none of that name; the message lists names like it.
  Tensor read(std::string_view name) const;
  StateDict read_all() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::io
