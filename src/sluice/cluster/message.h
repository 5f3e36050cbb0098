// Messages between the processes of a cluster. Each is a plain struct that
// lists its fields once; reading and writing are derived from the list. On the
// wire they are protobuf messages (see cluster.proto), so other programs can
// talk to a server.
//
//   struct Forget {
//     uint64_t session = 0;
//     template <class V> void Fields(V& v) { v(1, session); }
//   };
//   std::string bytes = Encode(forget);
//   Result<Forget> back = Decode<Forget>(bytes);
//
// The bytes are untrusted. Plain functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/cluster/payload.h"
#include "sluice/formats/protobuf_reader.h"
#include "sluice/formats/protobuf_writer.h"

namespace sluice::cluster {

namespace message_internal {

template <class T>
concept IsNumber = std::is_integral_v<T> || std::is_enum_v<T>;

// Writes the fields that differ from zero, like protobuf.
struct Putter {
  ProtoWriter out;

  template <class T>
  void operator()(int number, const T& value) {
    if constexpr (IsNumber<T>) {
      if (value != T{}) out.Int(number, static_cast<int64_t>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!value.empty()) out.Bytes(number, value);
    } else {
      Put(number, value);
    }
  }
  template <class M>
  void Put(int number, const std::vector<M>& values) {
    for (const M& value : values) {
      if constexpr (std::is_same_v<M, std::string>) {
        out.Bytes(number, value);
      } else {
        Put(number, value);
      }
    }
  }
  template <class M>
  void Put(int number, const M& message) {
    Putter inner;
    const_cast<M&>(message).Fields(inner);
    out.Message(number, inner.out);
  }
};

// Stores one field that was read.
struct Taker {
  const WireReader::Field& field;
  Status status;

  template <class T>
  void operator()(int number, T& value) {
    if (number != static_cast<int>(field.number) || !status.ok()) return;
    if constexpr (IsNumber<T>) {
      if (field.type == WireReader::Type::kBytes) return Wrong();
      value = static_cast<T>(field.value);
    } else {
      if (field.type != WireReader::Type::kBytes) return Wrong();
      Take(value);
    }
  }
  void Take(std::string& value) { value = field.bytes; }
  template <class M>
  void Take(std::vector<M>& values) {
    Take(values.emplace_back());
  }
  template <class M>
  void Take(M& message);
  void Wrong();
};

template <class M>
Status ReadInto(M& message, std::string_view bytes, size_t offset) {
  WireReader reader(bytes, offset);
  while (!reader.done()) {
    SL_ASSIGN_OR_RETURN(WireReader::Field field, reader.Next());
    Taker taker{field, {}};
    message.Fields(taker);
    SL_RETURN_IF_ERROR(taker.status);
  }
  return OkStatus();
}

template <class M>
void Taker::Take(M& message) {
  status = ReadInto(message, field.bytes, field.position);
}

}  // namespace message_internal

template <class M>
std::string Encode(const M& message) {
  message_internal::Putter putter;
  const_cast<M&>(message).Fields(putter);
  return putter.out.bytes();
}

// Unknown fields are ignored. Error: DataLoss.
template <class M>
Result<M> Decode(std::string_view bytes) {
  M message;
  SL_RETURN_IF_ERROR(message_internal::ReadInto(message, bytes, 0));
  return message;
}

// A call or its answer: a message, followed by arrays or plain bytes.
//
//   u32 size of head | head | u32 size of arrays' descriptions | descriptions |
//   u32 checksum of head, descriptions and contents | contents
struct Parcel {
  std::string head;
  std::vector<Array> arrays;
};
// Error: an array that cannot be sent.
Result<Payload> Wrap(std::string head, std::span<const Array> arrays = {});
Payload WrapBytes(std::string head, Payload contents = {},
                  std::string_view types = {});
Result<Parcel> Unwrap(const Payload& payload);

// The same with the contents still in the payload, which it references.
struct OpenParcel {
  std::string head, types;
  PayloadReader contents;
};
Result<OpenParcel> OpenBytes(const Payload& payload);

// The message alone.
template <class M>
Result<M> DecodeParcel(const Payload& payload) {
  SL_ASSIGN_OR_RETURN(OpenParcel open, OpenBytes(payload));
  return Decode<M>(open.head);
}

}  // namespace sluice::cluster
