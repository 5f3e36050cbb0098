// The safetensors format: named arrays in one file. Eight bytes with the length
// of a header, the header (JSON: type, shape and place of each array), then the
// elements. Nothing in it can run, and everything is checked before it is used.
//
// The public face is io/safetensors.h; ops save and restore through this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/base/file_system.h"
#include "sluice/base/positioned_file.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct NamedArray {
  std::string name;
  Array array;
};

// Text beside the arrays, by name.
using TextPairs = std::vector<std::pair<std::string, std::string>>;

// "F32", "BF16": how the format calls a type, and back. It knows no strings
// ("" for those), and some types we do not (kInvalid).
std::string_view SafetensorsType(DType dtype);
DType DTypeOfSafetensors(std::string_view type);

struct WrittenFile {
  int64_t size = 0;
  uint32_t crc32c = 0;
};

// Makes `path` and syncs it. Elements lie by the size of their type, largest
// first, so that each array is aligned; the header keeps the order given.
// Errors: InvalidArgument for names twice or no UTF-8, and for strings.
Result<WrittenFile> WriteSafetensors(FileSystem& files, const std::string& path,
                                     std::span<const NamedArray> arrays,
                                     const TextPairs& metadata);
// The same beside `path`, which then is replaced: it is the old file or the
// new one, whatever happens.
Result<WrittenFile> SaveSafetensors(FileSystem& files, const std::string& path,
                                    std::span<const NamedArray> arrays,
                                    const TextPairs& metadata);

// A file open for reading: what is in it is known at once, elements are read
// when they are asked for. Thread safe.
class SafetensorsFile {
 public:
  struct Entry {
    std::string name;
    std::string type;               // as the file has it: "F32"
    DType dtype = DType::kInvalid;  // kInvalid: a type we do not have
    std::vector<int64_t> dims;
    int64_t begin = 0, bytes = 0;  // in the file
    std::string ToString() const;  // "F32[2,3]"
  };

  // Reads and checks the header. DataLoss when it is none, or does not agree
  // with the file.
  static Result<std::shared_ptr<SafetensorsFile>> Open(const std::string& path);

  const std::string& path() const { return file_->path(); }
  const std::vector<Entry>& entries() const { return entries_; }
  const TextPairs& metadata() const { return metadata_; }
  const Entry* Find(std::string_view name) const;  // null: none
  // NotFound lists names like it.
  Result<Array> Read(std::string_view name) const;
  Result<Array> Read(const Entry& entry) const;
  // All of them, in the header's order, and the size and checksum of the file,
  // which is read once.
  Result<std::vector<NamedArray>> ReadAll(WrittenFile* whole = nullptr) const;

 private:
  explicit SafetensorsFile(std::unique_ptr<PositionedFile> file)
      : file_(std::move(file)) {}
  Status ReadHeader();
  Status ReadEntry(const std::string& name, const class Json& value);
  Status CheckPlaces();
  Status Bad(std::string_view what) const;
  Result<Array> MakeFor(const Entry& entry) const;
  Status CheckElements(const Entry& entry, const Array& array) const;

  std::unique_ptr<PositionedFile> file_;
  std::string header_;  // with its length before it
  TextPairs metadata_;
  std::vector<Entry> entries_;
  std::vector<size_t> by_place_;
  std::unordered_map<std::string_view, size_t> by_name_;
};

}  // namespace sluice
