#include "apps/sluice/arguments.h"

#include <algorithm>
#include <charconv>

namespace sluice::app {

bool Arguments::flag(std::string_view name) {
  auto it = std::find(words_.begin(), words_.end(), name);
  if (it == words_.end()) return false;
  words_.erase(it);
  return true;
}

int64_t Arguments::number(std::string_view name, int64_t otherwise, int64_t min,
                          int64_t max) {
  auto it = std::find(words_.begin(), words_.end(), name);
  if (it == words_.end()) return otherwise;
  std::string wanted = std::string(name) + " wants a number from " +
                       std::to_string(min) + " to " + std::to_string(max);
  if (it + 1 == words_.end()) throw UsageError(wanted);
  const std::string text = *(it + 1);
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < min ||
      value > max) {
    throw UsageError(wanted + ", got \"" + text + "\"");
  }
  words_.erase(it, it + 2);
  return value;
}

std::optional<std::string> Arguments::word() {
  auto it = std::find_if(words_.begin(), words_.end(), [](const auto& w) {
    return w == "-" || !w.starts_with('-');
  });
  if (it == words_.end()) return std::nullopt;
  std::string found = *it;
  words_.erase(it);
  return found;
}

void Arguments::finish() {
  if (words_.empty()) return;
  throw UsageError("unexpected argument \"" + words_[0] + "\"");
}

}  // namespace sluice::app
