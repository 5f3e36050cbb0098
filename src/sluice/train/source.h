// Source: where a training loop takes its batches from, and where it stands in
// them. Made from a data::Loader, or from functions of one's own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sluice/data/loader.h"

namespace sluice::train {

struct Source {
  // Nothing at the end of a pass; the next call begins the next one.
  std::function<std::optional<std::vector<Tensor>>()> next;
  // The pass the next batch belongs to.
  std::function<uint64_t()> epoch;
  std::function<std::string()> state;
  std::function<void(const std::string&)> restore;
  std::optional<int64_t> size;  // batches of a pass, where that is known
};

// The loader must outlive it.
template <size_t N>
Source source_of(data::Loader<N>& loader) {
  return {.next = [&loader]() -> std::optional<std::vector<Tensor>> {
            auto value = loader.next();
            if (!value) return std::nullopt;
            return std::vector<Tensor>(value->begin(), value->end());
          },
          .epoch = [&loader] { return loader.epoch(); },
          .state = [&loader] { return loader.state(); },
          .restore = [&loader](const std::string& s) { loader.restore(s); },
          .size = loader.size()};
}

}  // namespace sluice::train
