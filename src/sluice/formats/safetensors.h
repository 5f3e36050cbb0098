// The safetensors format: named arrays in one file. Eight bytes with the length
// of a header, the header (JSON: type, shape and place of each array), then the
// elements. Nothing in it can be executed, and everything is checked before it
// is used.
//
// The public interface is io/safetensors.h; ops save and restore through this.
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

// Texts stored with the arrays, by name.
using TextPairs = std::vector<std::pair<std::string, std::string>>;

// "F32", "BF16": the format's name of a type, and the reverse. It does not
// support strings ("" for those), and has some types that Sluice lacks
// (kInvalid).
std::string_view SafetensorsType(DType dtype);
DType DTypeOfSafetensors(std::string_view type);

struct WrittenFile {
  int64_t size = 0;
  uint32_t crc32c = 0;
};

// Creates `path` and syncs it. Elements are sorted by the size of their type,
// largest first, so that each array is aligned; the header keeps the given
// order. Errors: InvalidArgument for duplicate or non-UTF-8 names, and for
// strings.
Result<WrittenFile> WriteSafetensors(FileSystem& files, const std::string& path,
                                     std::span<const NamedArray> arrays,
                                     const TextPairs& metadata);
// The same with a temporary file that then replaces `path`: it is always either
// the old or the new file.
Result<WrittenFile> SaveSafetensors(FileSystem& files, const std::string& path,
                                    std::span<const NamedArray> arrays,
                                    const TextPairs& metadata);

// A file open for reading: its index is read on opening, elements on demand.
// Thread safe.
class SafetensorsFile {
 public:
  struct Entry {
    std::string name;
    std::string type;               // the name in the file: "F32"
    DType dtype = DType::kInvalid;  // kInvalid: a type that Sluice lacks
    std::vector<int64_t> dims;
    int64_t begin = 0, bytes = 0;  // in the file
    std::string ToString() const;  // "F32[2,3]"
  };

  // Reads and checks the header. DataLoss if it is invalid or does not match
  // the file.
  static Result<std::shared_ptr<SafetensorsFile>> Open(const std::string& path);

  const std::string& path() const { return file_->path(); }
  const std::vector<Entry>& entries() const { return entries_; }
  const TextPairs& metadata() const { return metadata_; }
  const Entry* Find(std::string_view name) const;  // null: none
  // NotFound lists similar names.
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
  std::string header_;  // including the length before it
  TextPairs metadata_;
  std::vector<Entry> entries_;
  std::vector<size_t> by_place_;
  std::unordered_map<std::string_view, size_t> by_name_;
};

}  // namespace sluice
