#include "sluice/io/load_into.h"

#include <unordered_map>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/operand.h"
#include "sluice/io/named_arrays.h"

namespace sluice::io {

StateDict renamed(const StateDict& from, const LoadOptions& options) {
  std::unordered_map<std::string_view, std::string_view> exact;
  for (const auto& [old_name, new_name] : options.rename) {
    exact[old_name] = new_name;
  }
  StateDict made;
  for (const auto& [name, tensor] : from) {
    std::string now = name;
    auto at = exact.find(name);
    if (at != exact.end()) {
      now = at->second;
    } else {
      for (const auto& [begins, instead] : options.prefixes) {
        if (!name.starts_with(begins)) continue;
        now = StrCat(instead, std::string_view(name).substr(begins.size()));
        break;
      }
    }
    if (made.contains(now)) {
      throw Error(InvalidArgument(
          StrCat("two tensors would have the name \"", EscapeString(now),
                 "\"; one of them is \"", EscapeString(name), "\"")));
    }
    made.set(now, tensor);
  }
  return made;
}

KeyReport load_into(const StateDict& targets, const StateDict& from,
                    const LoadOptions& options) {
  StateDict source = renamed(from, options);
  KeyReport report = compare_keys(targets, source);
  if (options.strict && !report.clean()) {
    throw Error(InvalidArgument(report.table()));
  }
  // Errors are detected before anything is read or written.
  ArraysOf(targets);
  ArraysOf(source);
  NoGrad off;
  for (const auto& [name, target] : targets) {
    const Tensor* found = source.find(name);
    if (!found || found->dtype() != target.dtype() ||
        !(found->shape() == target.shape())) {
      continue;
    }
    target.copy_(*found);
  }
  return report;
}

}  // namespace sluice::io
