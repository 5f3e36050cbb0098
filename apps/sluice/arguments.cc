#include "apps/sluice/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace sluice::app {

bool Arguments::flag(std::string_view name) {
  auto it = std::find(words_.begin(), words_.end(), name);
  if (it == words_.end()) return false;
  words_.erase(it);
  return true;
}

std::optional<std::string> Arguments::Value(std::string_view name,
                                            const std::string& wanted) {
  auto it = std::find(words_.begin(), words_.end(), name);
  if (it == words_.end()) return std::nullopt;
  if (it + 1 == words_.end()) throw UsageError(wanted);
  std::string value = *(it + 1);
  words_.erase(it, it + 2);
  return value;
}

namespace {

// `text` as a number from min to max.
template <class T>
T Parse(const std::string& text, T min, T max, const std::string& wanted) {
  T value = 0;
  const char* last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, value);
  if (error == std::errc() && end == last && value >= min && value <= max) {
    return value;
  }
  throw UsageError(wanted + ", got \"" + text + "\"");
}

}  // namespace

int64_t Arguments::number(std::string_view name, int64_t otherwise, int64_t min,
                          int64_t max) {
  std::string wanted = std::string(name) + " wants a number from " +
                       std::to_string(min) + " to " + std::to_string(max);
  auto value = Value(name, wanted);
  return value ? Parse(*value, min, max, wanted) : otherwise;
}

double Arguments::real(std::string_view name, double otherwise, double min,
                       double max) {
  char limits[80];
  std::snprintf(limits, sizeof limits, " wants a number from %g to %g", min,
                max);
  std::string wanted = std::string(name) + limits;
  auto value = Value(name, wanted);
  return value ? Parse(*value, min, max, wanted) : otherwise;
}

std::string Arguments::text(std::string_view name, std::string otherwise) {
  auto value = Value(name, std::string(name) + " wants a word behind it");
  return value ? *value : otherwise;
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
