#include <algorithm>
#include <cstring>

#include "sluice/base/checked_math.h"
#include "sluice/base/crc32c.h"
#include "sluice/base/strings.h"
#include "sluice/formats/json.h"
#include "sluice/formats/safetensors.h"
#include "sluice/tensor/empty_shape.h"

namespace sluice {

namespace {

// The limit of the format's own library: a longer header is an attack.
constexpr int64_t kMostHeader = 100'000'000;

std::string_view BytesOf(const Array& a) {
  return {static_cast<const char*>(a.raw()), static_cast<size_t>(a.bytes())};
}

}  // namespace

std::string SafetensorsFile::Entry::ToString() const {
  return StrCat(dtype == DType::kInvalid ? type : DTypeName(dtype), "[",
                Join(dims, ","), "]");
}

Status SafetensorsFile::Bad(std::string_view what) const {
  return DataLoss(
      StrCat("\"", EscapeString(path()),
             "\" is no safetensors file, or a damaged one: ", what));
}

Result<std::shared_ptr<SafetensorsFile>> SafetensorsFile::Open(
    const std::string& path) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<PositionedFile> file,
                      PositionedFile::Open(path));
  std::shared_ptr<SafetensorsFile> made(new SafetensorsFile(std::move(file)));
  SL_RETURN_IF_ERROR(made->ReadHeader());
  return made;
}

Status SafetensorsFile::ReadHeader() {
  int64_t size = file_->size();
  if (size < 8) return Bad(StrCat("it has ", size, " bytes; wanted 8 or more"));
  uint64_t length = 0;
  SL_RETURN_IF_ERROR(file_->ReadAt(0, 8, &length));
  if (length > static_cast<uint64_t>(std::min(size - 8, kMostHeader))) {
    return Bad(StrCat("its header should have ", length,
                      " bytes; the file has ", size));
  }
  header_.resize(8 + length);
  SL_RETURN_IF_ERROR(
      file_->ReadAt(0, static_cast<int64_t>(header_.size()), header_.data()));
  Result<Json> header = Json::Parse(std::string_view(header_).substr(8));
  if (!header.ok()) {
    return Bad(StrCat("in its header, ", header.status().message()));
  }
  if (!header->is_object()) return Bad("its header is no object");
  for (const auto& [name, value] : header->members()) {
    if (name != "__metadata__") {
      SL_RETURN_IF_ERROR(ReadEntry(name, value));
      continue;
    }
    if (!value.is_object()) return Bad("its metadata is no object");
    for (const auto& [key, text] : value.members()) {
      if (!text.is_string()) return Bad("its metadata is no text");
      metadata_.emplace_back(key, text.as_string());
    }
  }
  return CheckPlaces();
}

Status SafetensorsFile::ReadEntry(const std::string& name, const Json& value) {
  auto bad = [&](std::string_view what) {
    return Bad(StrCat("tensor \"", EscapeString(name), "\": ", what));
  };
  const Json *type = value.find("dtype"), *shape = value.find("shape"),
             *place = value.find("data_offsets");
  if (value.size() != 3 || !type || !shape || !place || !type->is_string() ||
      !shape->is_array() || !place->is_array() || place->size() != 2) {
    return bad("wanted dtype, shape and data_offsets");
  }
  Entry e;
  e.name = name;
  e.type = type->as_string();
  e.dtype = DTypeOfSafetensors(e.type);
  int64_t elements = 1;
  bool fits = true;
  for (const Json& d : shape->items()) {
    if (!d.is_int() || d.as_int() < 0) return bad("a size is no size");
    e.dims.push_back(d.as_int());
    fits = fits && CheckedMul(elements, d.as_int(), &elements);
  }
  const Json &from = place->items()[0], &to = place->items()[1];
  if (!from.is_int() || !to.is_int() || from.as_int() < 0 ||
      to.as_int() < from.as_int()) {
    return bad("data_offsets are no places");
  }
  int64_t first = static_cast<int64_t>(header_.size());
  if (to.as_int() > file_->size() - first) {
    return bad(StrCat("its elements end at byte ", to.as_int(), "; there are ",
                      file_->size() - first));
  }
  e.begin = first + from.as_int();
  e.bytes = to.as_int() - from.as_int();
  if (e.dtype != DType::kInvalid) {
    int64_t wanted = 0;
    fits = fits && CheckedMul(elements, DTypeSize(e.dtype), &wanted);
    if (!fits || wanted != e.bytes) {
      return bad(StrCat(e.ToString(), " does not take ", e.bytes, " bytes"));
    }
  }
  entries_.push_back(std::move(e));
  return OkStatus();
}

Status SafetensorsFile::CheckPlaces() {
  by_place_.resize(entries_.size());
  for (size_t i = 0; i < by_place_.size(); ++i) {
    by_place_[i] = i;
    by_name_[entries_[i].name] = i;
  }
  std::sort(by_place_.begin(), by_place_.end(), [&](size_t a, size_t b) {
    const Entry &x = entries_[a], &y = entries_[b];
    return std::pair(x.begin, x.bytes) < std::pair(y.begin, y.bytes);
  });
  auto next = static_cast<int64_t>(header_.size());
  for (size_t i : by_place_) {
    const Entry& e = entries_[i];
    if (e.begin != next) {
      return Bad(StrCat("tensor \"", EscapeString(e.name), "\" begins at byte ",
                        e.begin, "; wanted ", next,
                        ", where the one before it ends"));
    }
    next = e.begin + e.bytes;
  }
  if (next != file_->size()) {
    return Bad(StrCat("it has ", file_->size(), " bytes; wanted ", next));
  }
  return OkStatus();
}

const SafetensorsFile::Entry* SafetensorsFile::Find(
    std::string_view name) const {
  auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : &entries_[at->second];
}

Result<Array> SafetensorsFile::Read(std::string_view name) const {
  if (const Entry* entry = Find(name)) return Read(*entry);
  std::vector<std::string> near;
  std::string_view last = name.substr(name.find_last_of("./") + 1);
  for (const Entry& e : entries_) {
    if (near.size() < 5 && e.name.ends_with(last)) near.push_back(e.name);
  }
  return NotFound(
      StrCat("\"", EscapeString(path()), "\" has no tensor \"",
             EscapeString(name), "\" among its ", entries_.size(),
             near.empty() ? "" : StrCat("; there is ", Join(near, ", "))));
}

Result<Array> SafetensorsFile::MakeFor(const Entry& e) const {
  if (e.dtype == DType::kInvalid) {
    return Unimplemented(StrCat("tensor \"", EscapeString(e.name), "\" of \"",
                                EscapeString(path()), "\" is of type ",
                                EscapeString(e.type), ", which is unknown"));
  }
  Result<Shape> shape = Shape::Make(e.dims);
  if (!shape.ok()) {
    return InvalidArgument(StrCat("tensor \"", EscapeString(e.name), "\" of \"",
                                  EscapeString(path()),
                                  "\": ", shape.status().message()));
  }
  if (ClaimsMuchOfNothing(*shape)) {
    return InvalidArgument(StrCat("tensor \"", EscapeString(e.name), "\" of \"",
                                  EscapeString(path()), "\" is of shape ",
                                  *shape, "; wanted at most ", kMostEmptyRows,
                                  " empty rows"));
  }
  return Array::Make(e.dtype, *shape);
}

// A bool that is neither 0 nor 1 would later be both true and false.
Status SafetensorsFile::CheckElements(const Entry& e,
                                      const Array& array) const {
  if (e.dtype != DType::kBool) return OkStatus();
  for (char byte : BytesOf(array)) {
    if (byte == 0 || byte == 1) continue;
    return Bad(StrCat("tensor \"", EscapeString(e.name),
                      "\" has a truth value that is ",
                      static_cast<int>(static_cast<unsigned char>(byte))));
  }
  return OkStatus();
}

Result<Array> SafetensorsFile::Read(const Entry& e) const {
  SL_ASSIGN_OR_RETURN(Array made, MakeFor(e));
  SL_RETURN_IF_ERROR(file_->ReadAt(e.begin, e.bytes, made.mutable_raw()));
  SL_RETURN_IF_ERROR(CheckElements(e, made));
  return made;
}

Result<std::vector<NamedArray>> SafetensorsFile::ReadAll(
    WrittenFile* whole) const {
  std::vector<NamedArray> all(entries_.size());
  uint32_t crc = Crc32c(header_);
  for (size_t i : by_place_) {
    SL_ASSIGN_OR_RETURN(all[i].array, Read(entries_[i]));
    all[i].name = entries_[i].name;
    if (whole) crc = Crc32c(BytesOf(all[i].array), crc);
  }
  if (whole) *whole = {file_->size(), crc};
  return all;
}

}  // namespace sluice
