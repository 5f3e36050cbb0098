#include "sluice/io/safetensors.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/io/json.h"
#include "sluice/io/named_arrays.h"

namespace sluice::io {

namespace {

constexpr std::string_view kIndex = ".index.json";
constexpr std::string_view kSuffix = ".safetensors";

}  // namespace

void save_safetensors(const std::string& path, const StateDict& state,
                      const Metadata& metadata) {
  std::vector<NamedArray> arrays = ArraysOf(state);
  ValueOrThrow(SaveSafetensors(FileSystem::Current(), path, arrays, metadata));
}

StateDict load_safetensors(const std::string& path) {
  return SafetensorsReader(path).read_all();
}

void save_sharded_safetensors(const std::string& index_path,
                              const StateDict& state, int64_t max_bytes,
                              const Metadata& metadata) {
  std::string stem = index_path;
  for (std::string_view end : {kIndex, kSuffix}) {
    if (!stem.ends_with(end)) {
      throw Error(InvalidArgument(
          StrCat("the index is to be \"", EscapeString(index_path),
                 "\"; wanted a name that ends in ", kSuffix, kIndex)));
    }
    stem.resize(stem.size() - end.size());
  }
  std::vector<std::vector<NamedArray>> parts(1);
  int64_t bytes = 0, total = 0;
  for (NamedArray& a : ArraysOf(state)) {
    int64_t more = a.array.bytes();
    if (!parts.back().empty() && bytes + more > max_bytes) {
      parts.emplace_back();
      bytes = 0;
    }
    bytes += more;
    total += more;
    parts.back().push_back(std::move(a));
  }
  Json places = Json::object();
  for (size_t i = 0; i < parts.size(); ++i) {
    char numbers[40];
    std::snprintf(numbers, sizeof numbers, "-%05zu-of-%05zu", i + 1,
                  parts.size());
    std::string path = StrCat(stem, numbers, kSuffix);
    ValueOrThrow(
        SaveSafetensors(FileSystem::Current(), path, parts[i], metadata));
    std::string name = path.substr(path.find_last_of('/') + 1);
    for (const NamedArray& a : parts[i]) places.append_member(a.name, name);
  }
  write_json(index_path,
             Json::object({{"metadata", Json::object({{"total_size", total}})},
                           {"weight_map", std::move(places)}}));
}

struct SafetensorsReader::State {
  struct Place {
    const SafetensorsFile* file;
    const SafetensorsFile::Entry* entry;
  };
  std::string path;
  std::vector<std::shared_ptr<SafetensorsFile>> files;
  std::vector<TensorInfo> tensors;
  std::vector<Place> places;  // of each tensor
  std::unordered_map<std::string_view, size_t> by_name;
  Metadata metadata;

  void Add(const SafetensorsFile& file, const SafetensorsFile::Entry& e) {
    tensors.push_back({e.name, e.type, e.dtype, e.dims, e.bytes});
    places.push_back({&file, &e});
  }
  void OpenIndex();
};

// The names in an index must be those of files in the same folder.
void SafetensorsReader::State::OpenIndex() {
  Json index = read_json(path);
  auto bad = [&](std::string_view what) {
    return Error(
        DataLoss(StrCat("\"", EscapeString(path), "\" is no index: ", what)));
  };
  const Json* map = index.find("weight_map");
  if (!map || !map->is_object()) throw bad("wanted an object weight_map");
  std::unordered_map<std::string, SafetensorsFile*> open;
  for (const auto& [name, value] : map->members()) {
    if (!value.is_string() || value.as_string().empty() ||
        value.as_string().find('/') != std::string::npos ||
        value.as_string().starts_with('.')) {
      throw bad(StrCat("tensor \"", EscapeString(name), "\" is in ",
                       value.dump(), "; wanted the name of a file beside it"));
    }
    auto [at, fresh] = open.try_emplace(value.as_string(), nullptr);
    if (fresh) {
      files.push_back(ValueOrThrow(SafetensorsFile::Open(
          StrCat(FolderOf(path), "/", value.as_string()))));
      at->second = files.back().get();
    }
    const SafetensorsFile::Entry* entry = at->second->Find(name);
    if (!entry) {
      throw bad(StrCat("tensor \"", EscapeString(name), "\" is not in \"",
                       EscapeString(value.as_string()), "\""));
    }
    Add(*at->second, *entry);
  }
}

SafetensorsReader::SafetensorsReader(const std::string& path)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.path = path;
  if (path.ends_with(kIndex)) {
    s.OpenIndex();
  } else {
    s.files.push_back(ValueOrThrow(SafetensorsFile::Open(path)));
    for (const auto& e : s.files[0]->entries()) s.Add(*s.files[0], e);
  }
  if (!s.files.empty()) s.metadata = s.files[0]->metadata();
  for (size_t i = 0; i < s.tensors.size(); ++i) {
    s.by_name[s.tensors[i].name] = i;
  }
}

SafetensorsReader::~SafetensorsReader() = default;
SafetensorsReader::SafetensorsReader(SafetensorsReader&&) noexcept = default;
SafetensorsReader& SafetensorsReader::operator=(SafetensorsReader&&) noexcept =
    default;

const std::vector<TensorInfo>& SafetensorsReader::tensors() const {
  return state_->tensors;
}
const Metadata& SafetensorsReader::metadata() const { return state_->metadata; }
bool SafetensorsReader::contains(std::string_view name) const {
  return state_->by_name.contains(name);
}

Tensor SafetensorsReader::read(std::string_view name) const {
  auto at = state_->by_name.find(name);
  if (at == state_->by_name.end()) {
    if (state_->files.size() == 1) {
      ValueOrThrow(state_->files[0]->Read(name));  // says what there is
    }
    throw Error(
        NotFound(StrCat("\"", EscapeString(state_->path), "\" has no tensor \"",
                        EscapeString(name), "\"")));
  }
  const State::Place& place = state_->places[at->second];
  return Tensor(
      MakeRef<EagerValue>(ValueOrThrow(place.file->Read(*place.entry))));
}

StateDict SafetensorsReader::read_all() const {
  StateDict state;
  for (const TensorInfo& t : state_->tensors) state.set(t.name, read(t.name));
  return state;
}

}  // namespace sluice::io
