#include "sluice/cluster/message.h"

#include <cstring>

#include "sluice/base/crc32c.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/array_wire.h"

namespace sluice::cluster {

void message_internal::Taker::Wrong() {
  status = DataLoss(StrCat("message byte ", field.position, ": field ",
                           field.number, " is of another type"));
}

namespace {

void PutU32(std::string* out, size_t value) {
  for (int i = 0; i < 4; ++i) {
    out->push_back(static_cast<char>(value >> (8 * i)));
  }
}

bool TakeU32(PayloadReader& reader, uint32_t* value) {
  unsigned char bytes[4];
  if (!reader.Read(bytes, 4)) return false;
  *value = 0;
  for (int i = 0; i < 4; ++i) *value |= uint32_t{bytes[i]} << (8 * i);
  return true;
}

Status CutShort() { return DataLoss("a message is cut short"); }

}  // namespace

Payload WrapBytes(std::string head, Payload contents, std::string_view types) {
  std::string front;
  front.reserve(head.size() + types.size() + 12);
  PutU32(&front, head.size());
  front += head;
  PutU32(&front, types.size());
  front += types;
  const uint32_t crc = Crc32c(types, Crc32c(head));
  PutU32(&front, PayloadReader(contents).Crc(contents.size(), crc));
  Payload all(std::move(front));
  all.Append(std::move(contents));
  return all;
}

Result<Payload> Wrap(std::string head, std::span<const Array> arrays) {
  std::string types;
  Payload contents;
  for (const Array& array : arrays) {
    SL_RETURN_IF_ERROR(WriteArray(array, &types, &contents));
  }
  return WrapBytes(std::move(head), std::move(contents), types);
}

Result<OpenParcel> OpenBytes(const Payload& payload) {
  OpenParcel open{{}, {}, PayloadReader(payload)};
  uint32_t size = 0, crc = 0;
  PayloadReader& reader = open.contents;
  if (!TakeU32(reader, &size) || !reader.ReadString(&open.head, size) ||
      !TakeU32(reader, &size) || !reader.ReadString(&open.types, size) ||
      !TakeU32(reader, &crc)) {
    return CutShort();
  }
  const uint32_t front = Crc32c(open.types, Crc32c(open.head));
  if (reader.Crc(reader.left(), front) != crc) {
    return DataLoss("the checksum of a message does not fit");
  }
  return open;
}

Result<Parcel> Unwrap(const Payload& payload) {
  SL_ASSIGN_OR_RETURN(OpenParcel open, OpenBytes(payload));
  Parcel parcel;
  parcel.head = std::move(open.head);
  std::string_view left = open.types;
  while (!left.empty()) {
    SL_ASSIGN_OR_RETURN(Array array, ReadArray(&left, &open.contents));
    parcel.arrays.push_back(std::move(array));
  }
  if (open.contents.left() != 0) {
    return DataLoss(StrCat(open.contents.left(), " bytes are left over"));
  }
  return parcel;
}

}  // namespace sluice::cluster
