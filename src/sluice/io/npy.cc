#include "sluice/io/npy.h"

#include <charconv>
#include <cstring>

#include "sluice/base/error.h"
#include "sluice/base/file.h"
#include "sluice/base/file_system.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/formats/npy_header.h"
#include "sluice/formats/raw_bytes.h"
#include "sluice/formats/zip.h"
#include "sluice/tensor/empty_shape.h"

namespace sluice::io {

namespace {

struct NpyType {
  std::string_view name;  // without byte order
  DType dtype;
};
constexpr NpyType kTypes[] = {
    {"f4", DType::kF32}, {"f8", DType::kF64}, {"f2", DType::kF16},
    {"i1", DType::kI8},  {"i2", DType::kI16}, {"i4", DType::kI32},
    {"i8", DType::kI64}, {"u1", DType::kU8},  {"u2", DType::kU16},
    {"u4", DType::kU32}, {"u8", DType::kU64}, {"b1", DType::kBool},
    {"c8", DType::kC64}};

// The type of the elements in the file.
struct Layout {
  DType dtype = DType::kInvalid;
  char text = 0;      // 'S' bytes, 'U' code points of 4 bytes
  int64_t bytes = 0;  // of an element
  bool little = true;
};

bool LayoutOf(std::string_view descr, Layout* layout) {
  if (descr.size() < 3) return false;
  char order = descr[0];
  if (order != '<' && order != '>' && order != '|' && order != '=') {
    return false;
  }
  layout->little =
      order == '=' ? std::endian::native == std::endian::little : order != '>';
  descr.remove_prefix(1);
  for (const NpyType& type : kTypes) {
    if (type.name != descr) continue;
    layout->dtype = type.dtype;
    layout->bytes = DTypeSize(type.dtype);
    return true;
  }
  if (descr[0] != 'S' && descr[0] != 'U') return false;
  int64_t length;
  auto [end, error] =
      std::from_chars(descr.data() + 1, descr.data() + descr.size(), length);
  if (error != std::errc() || end != descr.data() + descr.size() ||
      length < 0 || length > (int64_t{1} << 31)) {
    return false;
  }
  layout->dtype = DType::kString;
  layout->text = descr[0];
  layout->bytes = descr[0] == 'U' ? 4 * length : length;
  return true;
}

void AppendUtf8(std::string* to, uint32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  auto byte = [&](uint32_t b) { to->push_back(static_cast<char>(b)); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      byte(0xe0 | c >> 12);
    } else {
      byte(0xf0 | c >> 18);
      byte(0x80 | (c >> 12 & 0x3f));
    }
    byte(0x80 | (c >> 6 & 0x3f));
  }
  byte(0x80 | (c & 0x3f));
}

// Zeros at the end are no part of a text.
std::string TextOf(std::string_view bytes, const Layout& layout) {
  std::string text;
  if (layout.text == 'S') {
    size_t end = bytes.find_last_not_of('\0');
    return std::string(bytes.substr(0, end == bytes.npos ? 0 : end + 1));
  }
  std::vector<uint32_t> points;
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    uint32_t c = 0;
    for (size_t k = 0; k < 4; ++k) {
      size_t from = layout.little ? i + 3 - k : i + k;
      c = c << 8 | static_cast<unsigned char>(bytes[from]);
    }
    points.push_back(c);
  }
  while (!points.empty() && points.back() == 0) points.pop_back();
  for (uint32_t c : points) AppendUtf8(&text, c);
  return text;
}

// Bytes of the file into elements of an array of the same order.
void Fill(std::string_view bytes, const Layout& layout, const Array& out) {
  int64_t n = out.num_elements();
  if (layout.text) {
    auto size = static_cast<size_t>(layout.bytes);
    for (int64_t i = 0; i < n; ++i) {
      out.mutable_data<std::string>()[i] =
          TextOf(bytes.substr(static_cast<size_t>(i) * size, size), layout);
    }
    return;
  }
  if (n == 0) return;
  auto* to = static_cast<char*>(out.mutable_raw());
  std::memcpy(to, bytes.data(), bytes.size());
  if (layout.dtype == DType::kBool) {
    // Any byte may be there, but a bool is 0 or 1.
    for (int64_t i = 0; i < n; ++i) to[i] = to[i] != 0;
  } else if (layout.dtype == DType::kC64) {
    OrderBytes(to, 2 * n, layout.bytes / 2, layout.little);
  } else {
    OrderBytes(to, n, layout.bytes, layout.little);
  }
}

// Axes in the other order, row-major again.
Result<Array> FromFortran(const Array& columns, const Shape& shape) {
  Strides strides{};
  int64_t step = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    strides[static_cast<size_t>(axis)] = step;
    step *= shape.dim(axis);
  }
  return Array::View(columns, 0, shape, strides).AsContiguous();
}

std::string Quoted(const std::string& path) {
  return StrCat("\"", EscapeString(path), "\"");
}

}  // namespace

Result<Array> ParseNpy(std::string_view bytes, const std::string& what) {
  SL_ASSIGN_OR_RETURN(NpyHeader header, NpyHeader::Parse(bytes, what));
  auto wrong = [&](size_t at, std::string_view message) {
    return DataLoss(StrCat(what, " at byte ", at, ": ", message));
  };
  Layout layout;
  if (!LayoutOf(header.descr, &layout)) {
    return wrong(0, StrCat("elements are '", EscapeString(header.descr),
                           "'; wanted numbers (up to 8 bytes) or strings"));
  }
  Result<Shape> shape = Shape::Make(header.shape);
  if (!shape.ok()) return wrong(0, shape.status().message());
  std::string_view body = bytes.substr(header.bytes);
  int64_t n = shape->num_elements();
  // Held against what is there before memory is taken.
  bool fits = layout.bytes == 0 || n <= INT64_MAX / layout.bytes;
  if (!fits || static_cast<int64_t>(body.size()) != n * layout.bytes) {
    return wrong(header.bytes,
                 StrCat(body.size(), " bytes after the header; wanted ",
                        header.descr, " ", *shape));
  }
  if (ClaimsMuchOfNothing(*shape)) {
    return wrong(0, StrCat("shape ", *shape, " of nothing; wanted at most ",
                           kMostEmptyRows, " empty rows"));
  }
  // Strings of no bytes: their number alone would say how much memory.
  if (layout.bytes == 0 && n > (int64_t{1} << 24)) {
    return wrong(0, StrCat(n, " empty strings; wanted 2^24 at most"));
  }
  bool turned = header.fortran_order && shape->rank() > 1;
  SL_ASSIGN_OR_RETURN(Array out, Array::Make(layout.dtype, *shape));
  Fill(body, layout, out);
  return turned ? FromFortran(out, *shape) : out;
}

Result<std::string> NpyBytes(const Array& array) {
  NpyHeader header;
  Dims dims = array.shape().dims();
  header.shape.assign(dims.begin(), dims.end());
  constexpr bool kLittle = std::endian::native == std::endian::little;
  for (const NpyType& type : kTypes) {
    if (type.dtype != array.dtype()) continue;
    char order = DTypeSize(type.dtype) == 1 ? '|' : kLittle ? '<' : '>';
    header.descr = StrCat(order, type.name);
  }
  SL_ASSIGN_OR_RETURN(Array rows, array.AsContiguous());
  std::string body;
  if (array.dtype() == DType::kString) {
    size_t longest = 1;
    const std::string* texts = rows.data<std::string>();
    for (int64_t i = 0; i < rows.num_elements(); ++i) {
      longest = std::max(longest, texts[i].size());
    }
    header.descr = StrCat("|S", longest);
    for (int64_t i = 0; i < rows.num_elements(); ++i) {
      body += texts[i];
      body.append(longest - texts[i].size(), '\0');
    }
  } else if (header.descr.empty()) {
    return InvalidArgument(
        StrCat("[npy] ", array.TypeText(), " has no type in .npy files"));
  } else if (rows.num_elements() > 0) {
    body.assign(static_cast<const char*>(rows.raw()),
                static_cast<size_t>(rows.bytes()));
  }
  return header.ToBytes() + body;
}

Tensor read_npy(const std::string& path) {
  std::string bytes = ValueOrThrow(ReadFileBytes(path));
  Array array = ValueOrThrow(ParseNpy(bytes, Quoted(path)));
  return Tensor(MakeRef<EagerValue>(std::move(array)));
}

namespace {

// The old file or the new one is there, whatever happens.
void Replace(const std::string& path, std::string_view bytes) {
  ThrowIfError(WriteFileSafely(FileSystem::Current(), path, bytes));
}

}  // namespace

void write_npy(const std::string& path, const Tensor& tensor) {
  Replace(path, ValueOrThrow(NpyBytes(ValueOrThrow(OnHost(tensor.array())))));
}

StateDict read_npz(const std::string& path) {
  std::string bytes = ValueOrThrow(ReadFileBytes(path));
  StateDict tensors;
  for (ZipMember& member : ValueOrThrow(ReadZip(bytes, Quoted(path)))) {
    std::string what =
        StrCat(Quoted(path), " member \"", EscapeString(member.name), "\"");
    Array array = ValueOrThrow(ParseNpy(member.bytes, what));
    std::string_view name = member.name;
    if (name.ends_with(".npy")) name.remove_suffix(4);
    tensors.set(name, Tensor(MakeRef<EagerValue>(std::move(array))));
  }
  return tensors;
}

void write_npz(const std::string& path, const StateDict& tensors) {
  std::vector<ZipMember> members;
  for (const auto& [name, tensor] : tensors) {
    members.push_back(
        {name + ".npy",
         ValueOrThrow(NpyBytes(ValueOrThrow(OnHost(tensor.array()))))});
  }
  Replace(path, ValueOrThrow(ZipBytes(members)));
}

}  // namespace sluice::io
