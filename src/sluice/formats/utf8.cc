#include "sluice/formats/utf8.h"

namespace sluice {

namespace {

bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

size_t Utf8CharacterBytes(std::string_view text) {
  if (text.empty()) return 0;
  auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  auto follows = [&](size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return follows(1) ? 2 : 0;
  if (first < 0xf0) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) >= 0xa0) return 0;
    return 3;
  }
  if (first > 0xf4 || !follows(1) || !follows(2) || !follows(3)) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) >= 0x90) return 0;
  return 4;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    size_t length = Utf8CharacterBytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t bytes = Utf8CharacterBytes(text);
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

size_t Utf8Columns(std::string_view text) {
  size_t count = 0;
  for (char c : text) count += !Continues(c);
  return count;
}

std::string_view Utf8Prefix(std::string_view text, size_t bytes) {
  if (bytes >= text.size()) return text;
  while (bytes > 0 && Continues(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

}  // namespace sluice
