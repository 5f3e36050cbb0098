#include "sluice/formats/npy_header.h"

#include <charconv>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kAlignment = 64;

// Parses the dict: strings, True and False, tuples of integers.
class DictReader {
 public:
  DictReader(std::string_view text, size_t offset)
      : text_(text), offset_(offset) {}

  bool Take(std::string_view token) {
    Spaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool String(std::string* out) {
    Spaces();
    if (at_ == text_.size()) return false;
    char quote = text_[at_];
    if (quote != '\'' && quote != '"') return false;
    size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) return false;
    out->assign(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return true;
  }
  bool Number(int64_t* out) {
    Spaces();
    const char* begin = text_.data() + at_;
    auto [end, error] =
        std::from_chars(begin, text_.data() + text_.size(), *out);
    if (error != std::errc() || end == begin) return false;
    at_ += static_cast<size_t>(end - begin);
    Take("L");  // as Python 2 wrote long numbers
    return true;
  }
  bool Tuple(std::vector<int64_t>* out) {
    if (!Take("(")) return false;
    while (!Take(")")) {
      int64_t value;
      if (!Number(&value)) return false;
      out->push_back(value);
      if (!Take(",")) return Take(")");
    }
    return true;
  }
  bool AtEnd() {
    Spaces();
    return at_ == text_.size();
  }
  size_t position() const { return offset_ + at_; }

 private:
  void Spaces() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  std::string_view text_;
  size_t offset_, at_ = 0;
};

bool ParseDict(DictReader& in, NpyHeader* header) {
  unsigned seen = 0;
  if (!in.Take("{")) return false;
  while (!in.Take("}")) {
    std::string key;
    if (!in.String(&key) || !in.Take(":")) return false;
    if (key == "descr") {
      if (!in.String(&header->descr)) return false;
      seen |= 1;
    } else if (key == "fortran_order") {
      header->fortran_order = in.Take("True");
      if (!header->fortran_order && !in.Take("False")) return false;
      seen |= 2;
    } else if (key == "shape") {
      header->shape.clear();
      if (!in.Tuple(&header->shape)) return false;
      seen |= 4;
    } else {
      return false;
    }
    if (!in.Take(",")) {
      if (!in.Take("}")) return false;
      break;
    }
  }
  return in.AtEnd() && seen == 7;
}

}  // namespace

Result<NpyHeader> NpyHeader::Parse(std::string_view bytes,
                                   const std::string& what) {
  auto wrong = [&](size_t at, std::string_view message) {
    return DataLoss(StrCat(what, " at byte ", at, ": ", message));
  };
  auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (!bytes.starts_with(kMagic)) {
    return wrong(0, "no .npy data; wanted \\x93NUMPY");
  }
  if (bytes.size() < 8)
    return wrong(bytes.size(), "the data end in the header");
  size_t version = at(6), length_bytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3) {
    return wrong(6, StrCat("version ", version, "; wanted 1, 2 or 3"));
  }
  size_t begin = 8 + length_bytes, length = 0;
  if (bytes.size() < begin) {
    return wrong(bytes.size(), "the data end in the header");
  }
  for (size_t i = 0; i < length_bytes; ++i)
    length |= size_t{at(8 + i)} << 8 * i;
  if (length > bytes.size() - begin) {
    return wrong(8, StrCat("a header of ", length, " bytes, of which ",
                           bytes.size() - begin, " are there"));
  }
  NpyHeader header;
  header.bytes = begin + length;
  DictReader in(bytes.substr(begin, length), begin);
  if (!ParseDict(in, &header)) {
    return wrong(in.position(),
                 "the header goes wrong; wanted {'descr': ..., "
                 "'fortran_order': ..., 'shape': (...)}");
  }
  return header;
}

std::string NpyHeader::ToBytes() const {
  std::string dict = StrCat(
      "{'descr': '", descr,
      "', 'fortran_order': ", fortran_order ? "True" : "False", ", 'shape': (",
      Join(shape, ", "), shape.size() == 1 ? "," : "", "), }");
  size_t all = 10 + dict.size() + 1;
  dict.append((kAlignment - all % kAlignment) % kAlignment, ' ');
  dict += '\n';
  std::string out(kMagic);
  out += '\1';
  out += '\0';
  out += static_cast<char>(dict.size() & 0xff);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

}  // namespace sluice
