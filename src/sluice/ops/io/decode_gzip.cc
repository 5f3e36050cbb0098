#include "sluice/base/strings.h"
#include "sluice/formats/inflate.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const std::string* from = ctx.in(0).data<std::string>();
  std::string* to = ctx.out(0).mutable_data<std::string>();
  for (int64_t i = 0; i < ctx.in(0).num_elements(); ++i) {
    Result<std::string> bytes = Gunzip(from[i], ctx.attr<int64_t>("max_bytes"));
    if (!bytes.ok()) {
      return ctx.Error(bytes.status().code(),
                       StrCat("x[", i, "]: ", bytes.status().message()));
    }
    to[i] = std::move(*bytes);
  }
  return OkStatus();
}

// "42", packed.
std::string Packed() {
  return std::string(
      "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x33\x31\x02\0\x88\xb0\x24\x32\x02\0\0\0",
      22);
}
std::string Altered(size_t at) {
  std::string bytes = Packed();
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}
Array Text(std::string bytes) { return Array::Scalar(std::move(bytes)); }

}  // namespace

SL_OP(DecodeGzip)
    .doc("The bytes that were packed as gzip data.")
    .input("x: string")
    .output("y: string")
    .attr("max_bytes", int64_t{1} << 32,
          "The most bytes a string may unpack to.")
    .between(0, int64_t{1} << 40)
    .shape(shapes::same_as_first)
    .cpu(Launch)
    // Every string of the samples unpacks to 42.
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      RefArray y = in[0];
      y.v.assign(y.v.size(), 42);
      return std::vector<RefArray>{y};
    })
    .samples({{.in = {Text(Packed())}},
              {.in = {Array::Vector<std::string>({Packed(), Packed()})},
               .attrs = {{"max_bytes", 2}}},
              {.in = {{0}}}})
    .rejects({{.in = {Text("plain text")},
               .message = "[DecodeGzip] x[0]: gzip data at byte 0: no gzip "
                          "header"},
              {.in = {Text("")},
               .message = "[DecodeGzip] x[0]: gzip data at byte 0: no gzip "
                          "header"},
              {.in = {Text(Altered(14))},
               .message = "[DecodeGzip] x[0]: gzip data at byte 14: the "
                          "checksum is wrong"},
              {.in = {Text(Packed().substr(0, 12))},
               .message = "[DecodeGzip] x[0]: gzip data at byte"},
              {.in = {Text(Packed())},
               .attrs = {{"max_bytes", 1}},
               .message = "[DecodeGzip] x[0]: gzip data unpack to more than 1 "
                          "bytes"}});

}  // namespace sluice
