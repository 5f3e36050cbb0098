// Snapshot: everything a run needs to continue as if it had never stopped.
//
//   sl::io::Snapshot now;
//   now.set("model", net.state_dict());
//   now.set("optimizer", optimizer.state_dict());
//   now.data = loader.state();
//   now.metrics = {{"loss", 0.25}};
//
// A plain value; the tensors in it are handles, not copies, until it is saved.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/eager/manual_seed.h"
#include "sluice/front/state_dict.h"
#include "sluice/io/json.h"

namespace sluice::io {

struct Snapshot {
  int64_t step = 0;
  // The state of the random generator; initially the current one.
  RandomState random = random_state();
  std::string data{};  // the position in the data, as UTF-8
  Json extra{};        // schedules, counters and other small values
  std::vector<std::pair<std::string, double>> metrics{};

  // Tensors by section: "model", "optimizer", ... Each becomes a file of that
  // name, so it must consist of letters, digits, "_" and "-".
  void set(std::string_view section, StateDict state);
  // Throws if there is none; the message lists the sections.
  const StateDict& at(std::string_view section) const;
  const StateDict* find(std::string_view section) const;  // null: none
  const std::vector<std::pair<std::string, StateDict>>& sections() const {
    return sections_;
  }
  // NaN if there is no metric of that name.
  double metric(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, StateDict>> sections_;
};

}  // namespace sluice::io
