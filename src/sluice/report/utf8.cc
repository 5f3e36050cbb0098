#include "sluice/report/utf8.h"

#include <cstdint>

namespace sluice::report {

namespace {

bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Bytes of the character at the beginning; 0 when it is none.
size_t CharacterBytes(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  size_t bytes = first >= 0xf0 && first < 0xf5   ? 4
                 : first >= 0xe0 && first < 0xf0 ? 3
                 : first >= 0xc2 && first < 0xe0 ? 2
                                                 : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    if (!Continues(text[i])) return 0;
  }
  // Longer than needed, half of a pair of UTF-16, beyond the last character.
  auto second = static_cast<unsigned char>(text[1]);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) {
    return 0;
  }
  return bytes;
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t bytes = CharacterBytes(text);
    if (bytes == 0) {
      out += "\xef\xbf\xbd";
      bytes = 1;
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

size_t Utf8Length(std::string_view text) {
  size_t count = 0;
  for (char c : text) count += !Continues(c);
  return count;
}

std::string_view Utf8Prefix(std::string_view text, size_t bytes) {
  if (bytes >= text.size()) return text;
  while (bytes > 0 && Continues(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

}  // namespace sluice::report
