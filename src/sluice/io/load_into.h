// load_into: tensors from a file into tensors that are there.
//
//   sl::io::load_into(net.state_dict(), sl::io::load_safetensors(path));
//   auto report = sl::io::load_into(net.state_dict(), file,
//       {.rename = {{"classifier.weight", "head.weight"}},
//        .prefixes = {{"module.", ""}}, .strict = false});
//   std::cout << report.table();
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sluice/io/key_report.h"

namespace sluice::io {

struct LoadOptions {
  // From a name in the file to one of ours.
  std::vector<std::pair<std::string, std::string>> rename{};
  // The same for beginnings of names, where `rename` has none; the first that
  // fits is taken. {"", "net."} puts something before every name.
  std::vector<std::pair<std::string, std::string>> prefixes{};
  // Names missing, left over or of another type or shape are an error. Else
  // what fits is loaded, and the report tells the rest.
  bool strict = true;
};

// The names as the options make them. Throws when two become one.
StateDict renamed(const StateDict& from, const LoadOptions& options);

// Copies elements into the targets, which stay the tensors they are: whoever
// holds them sees the new elements, and no gradient is recorded. When it throws
// nothing has been copied; the message is the report's table.
KeyReport load_into(const StateDict& targets, const StateDict& from,
                    const LoadOptions& options = {});

}  // namespace sluice::io
