#include "sluice/cluster/payload.h"

#include <algorithm>
#include <cstring>

#include "sluice/base/crc32c.h"

namespace sluice::cluster {

void Payload::Append(std::string bytes) {
  if (bytes.empty()) return;
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  Append(Slice{owner->data(), owner->size(), owner});
}

void Payload::Append(Slice slice) {
  size_ += slice.size;
  slices_.push_back(std::move(slice));
}

void Payload::Append(Payload other) {
  for (Slice& slice : other.slices_) Append(std::move(slice));
}

void Payload::AppendElements(const Array& array) {
  auto size = static_cast<size_t>(array.bytes());
  if (size == 0) return;
  auto owner = std::make_shared<const Array>(array);
  Append(Slice{static_cast<const char*>(array.raw()), size, owner});
}

std::string Payload::ToString() const {
  std::string all;
  all.reserve(size_);
  for (const Slice& slice : slices_) all.append(slice.data, slice.size);
  return all;
}

Payload Payload::Part(size_t offset, size_t size) const {
  Payload part;
  for (const Slice& slice : slices_) {
    if (size == 0) break;
    if (offset >= slice.size) {
      offset -= slice.size;
      continue;
    }
    const size_t n = std::min(size, slice.size - offset);
    part.Append(Slice{slice.data + offset, n, slice.owner});
    size -= n;
    offset = 0;
  }
  return part;
}

// Calls visit(data, size) for the slices of the next `size` bytes.
template <class F>
void PayloadReader::Walk(size_t size, const F& visit) const {
  size_t offset = offset_;
  for (const Slice& slice : slices_) {
    if (size == 0) break;
    size_t n = std::min(size, slice.size - offset);
    if (n > 0) visit(slice.data + offset, n);
    size -= n;
    offset = 0;
  }
}

bool PayloadReader::Read(void* to, size_t size) {
  if (size > left_) return false;
  char* at = static_cast<char*>(to);
  Walk(size, [&](const char* data, size_t n) {
    std::memcpy(at, data, n);
    at += n;
  });
  left_ -= size;
  offset_ += size;
  while (!slices_.empty() && offset_ >= slices_[0].size) {
    offset_ -= slices_[0].size;
    slices_ = slices_.subspan(1);
  }
  return true;
}

bool PayloadReader::ReadString(std::string* to, size_t size) {
  if (size > left_) return false;
  to->resize(size);
  return Read(to->data(), size);
}

uint32_t PayloadReader::Crc(size_t size, uint32_t before) const {
  uint32_t crc = before;
  Walk(size, [&](const char* data, size_t n) { crc = Crc32c({data, n}, crc); });
  return crc;
}

}  // namespace sluice::cluster
