// Arguments: the words after a command. Options may come in any order; each is
// asked for once, and finish() refuses what nobody asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::app {

// A mistake in the command line: shown with the command's usage.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Arguments {
 public:
  Arguments(int count, char** words) : words_(words, words + count) {}

  // True when `--name` is there.
  bool flag(std::string_view name);
  // The number after `--name`, or `otherwise`. Throws when it is no whole
  // number in [min, max].
  int64_t number(std::string_view name, int64_t otherwise, int64_t min,
                 int64_t max);
  // The same for real numbers.
  double real(std::string_view name, double otherwise, double min, double max);
  // The word after `--name`, or `otherwise`. Throws when there is none.
  std::string text(std::string_view name, std::string otherwise);
  // The next word that is no option, if there is one; call after the options.
  std::optional<std::string> word();
  // All that is left, in order: another program's words.
  std::vector<std::string> rest() { return std::exchange(words_, {}); }
  // Throws when something is left.
  void finish();

 private:
  // The word after `name`, taken out, or nothing; `wanted` when it is missing.
  std::optional<std::string> Value(std::string_view name,
                                   const std::string& wanted);

  std::vector<std::string> words_;
};

}  // namespace sluice::app
