#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "sluice/base/caught.h"
#include "sluice/base/strings.h"
#include "sluice/formats/json.h"
#include "sluice/formats/safetensors.h"
#include "sluice/formats/utf8.h"

namespace sluice {

namespace {

struct TypeName {
  DType dtype;
  std::string_view name;
};
constexpr TypeName kTypeNames[] = {
    {DType::kF64, "F64"},   {DType::kF32, "F32"}, {DType::kF16, "F16"},
    {DType::kBF16, "BF16"}, {DType::kI64, "I64"}, {DType::kI32, "I32"},
    {DType::kI16, "I16"},   {DType::kI8, "I8"},   {DType::kU64, "U64"},
    {DType::kU32, "U32"},   {DType::kU16, "U16"}, {DType::kU8, "U8"},
    {DType::kBool, "BOOL"}, {DType::kC64, "C64"}};

constexpr std::string_view kMetadata = "__metadata__";

Status CheckNames(std::span<const NamedArray> arrays) {
  std::unordered_set<std::string_view> names;
  for (const NamedArray& a : arrays) {
    if (!IsUtf8(a.name) || a.name == kMetadata) {
      return InvalidArgument(
          StrCat("the name of a tensor is \"", EscapeString(a.name),
                 "\"; wanted UTF-8 and not \"", kMetadata, "\""));
    }
    if (!names.insert(a.name).second) {
      return InvalidArgument(
          StrCat("two tensors have the name \"", EscapeString(a.name), "\""));
    }
    if (!a.array || SafetensorsType(a.array.dtype()).empty()) {
      return InvalidArgument(StrCat(
          "tensor \"", EscapeString(a.name), "\" is ",
          a.array ? a.array.TypeText() : std::string("nothing"),
          "; wanted numbers or truth values, as safetensors files hold"));
    }
  }
  return OkStatus();
}

}  // namespace

std::string_view SafetensorsType(DType dtype) {
  for (const TypeName& t : kTypeNames) {
    if (t.dtype == dtype) return t.name;
  }
  return "";
}

DType DTypeOfSafetensors(std::string_view type) {
  for (const TypeName& t : kTypeNames) {
    if (t.name == type) return t.dtype;
  }
  return DType::kInvalid;
}

Result<WrittenFile> WriteSafetensors(FileSystem& files, const std::string& path,
                                     std::span<const NamedArray> arrays,
                                     const TextPairs& metadata) {
  SL_RETURN_IF_ERROR(CheckNames(arrays));
  std::vector<size_t> order(arrays.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  auto key = [&](size_t i) {
    return std::pair(-DTypeSize(arrays[i].array.dtype()), i);
  };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return key(a) < key(b); });
  std::vector<std::pair<int64_t, int64_t>> places(arrays.size());
  int64_t end = 0;
  for (size_t i : order) {
    places[i] = {end, end + arrays[i].array.bytes()};
    end = places[i].second;
  }

  Json header = Json::object();
  if (!metadata.empty()) {
    Json texts = Json::object();
    for (const auto& [name, text] : metadata) {
      if (!IsUtf8(name) || !IsUtf8(text) || texts.find(name)) {
        return InvalidArgument(StrCat("metadata \"", EscapeString(name),
                                      "\" is \"", EscapeString(text),
                                      "\"; wanted UTF-8, and each name once"));
      }
      texts.append_member(name, text);
    }
    header.append_member(std::string(kMetadata), std::move(texts));
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Array& a = arrays[i].array;
    Json shape = Json::array();
    for (int64_t d : a.shape().dims()) shape.push_back(d);
    Json entry = Json::object();
    entry.append_member("dtype", SafetensorsType(a.dtype()));
    entry.append_member("shape", std::move(shape));
    entry.append_member("data_offsets",
                        Json::array({places[i].first, places[i].second}));
    header.append_member(arrays[i].name, std::move(entry));
  }
  std::string text = header.dump();
  // Spaces, so that the elements begin at a multiple of eight.
  text.append((8 - text.size() % 8) % 8, ' ');
  uint64_t length = text.size();
  char prefix[8];
  std::memcpy(prefix, &length, 8);
  text.insert(0, prefix, 8);

  SL_ASSIGN_OR_RETURN(std::unique_ptr<SyncedFile> file,
                      SyncedFile::Create(files, path));
  SL_RETURN_IF_ERROR(file->Write(text));
  for (size_t i : order) {
    SL_ASSIGN_OR_RETURN(Array row, arrays[i].array.AsContiguous());
    SL_RETURN_IF_ERROR(file->Write({static_cast<const char*>(row.raw()),
                                    static_cast<size_t>(row.bytes())}));
  }
  SL_RETURN_IF_ERROR(file->Finish());
  return WrittenFile{file->size(), file->crc32c()};
}

Result<WrittenFile> SaveSafetensors(FileSystem& files, const std::string& path,
                                    std::span<const NamedArray> arrays,
                                    const TextPairs& metadata) {
  SL_RETURN_IF_ERROR(CheckReplaceable(path));
  std::string beside = BesideName(path);
  Result<WrittenFile> written = Guarded(
      [&] { return WriteSafetensors(files, beside, arrays, metadata); });
  if (!written.ok()) {
    // There is nothing to remove if nothing was written.
    (void)files.RemoveFile(beside);
    return written;
  }
  SL_RETURN_IF_ERROR(PutInPlace(files, beside, path));
  return written;
}

}  // namespace sluice
