#include "sluice/report/png.h"

#include <array>

#include "sluice/base/error.h"
#include "sluice/base/file.h"
#include "sluice/base/strings.h"
#include "sluice/formats/deflate.h"
#include "sluice/formats/inflate.h"
#include "sluice/report/png_filter.h"

namespace sluice::report {

namespace {

void AppendBig32(std::string* to, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    to->push_back(static_cast<char>(value >> shift));
  }
}

void AppendChunk(std::string* to, std::string_view type,
                 std::string_view body) {
  AppendBig32(to, static_cast<uint32_t>(body.size()));
  to->append(type);
  to->append(body);
  AppendBig32(to, Crc32(body, Crc32(type)));
}

}  // namespace

std::string encode_png(int64_t width, int64_t height, int channels,
                       std::string_view bytes) {
  // PNG's own limit; the products below then stay within 64 bits.
  constexpr int64_t kMost = 0x7fffffff;
  if (width < 1 || height < 1 || width > kMost || height > kMost ||
      channels < 1 || channels > 4) {
    throw Error(InvalidArgument(
        StrCat("[encode_png] a picture of ", width, " x ", height,
               " pixels of ", channels,
               " channels; wanted 1 to 2^31-1 pixels a side, 1 to 4 "
               "channels")));
  }
  int64_t row_bytes = width * channels;
  auto have = static_cast<int64_t>(bytes.size());
  if (have / row_bytes != height || have % row_bytes != 0) {
    throw Error(InvalidArgument(StrCat("[encode_png] got ", have, " bytes for ",
                                       width, " x ", height, " pixels of ",
                                       channels, " channels")));
  }
  constexpr std::array<char, 5> kColourType = {0, 0, 4, 2, 6};
  std::string head;
  AppendBig32(&head, static_cast<uint32_t>(width));
  AppendBig32(&head, static_cast<uint32_t>(height));
  head += '\x08';  // bits a sample
  head += kColourType[static_cast<size_t>(channels)];
  head.append(3, '\0');  // deflate, the five filters, rows in order

  std::string packed = ZlibPack(FilterPngRows(
      static_cast<size_t>(row_bytes), static_cast<size_t>(channels), bytes));
  std::string png = "\x89PNG\r\n\x1a\n";
  AppendChunk(&png, "IHDR", head);
  // A chunk's length has 31 bits.
  for (std::string_view rest = packed; !rest.empty();) {
    std::string_view part = rest.substr(0, size_t{1} << 30);
    AppendChunk(&png, "IDAT", part);
    rest.remove_prefix(part.size());
  }
  AppendChunk(&png, "IEND", "");
  return png;
}

void write_png(const std::string& path, int64_t width, int64_t height,
               int channels, std::string_view bytes) {
  ThrowIfError(WriteFileBytes(path, encode_png(width, height, channels, bytes),
                              /*append=*/false));
}

}  // namespace sluice::report
