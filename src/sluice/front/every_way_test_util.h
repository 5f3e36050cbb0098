// EveryWay: runs a function of tensors in every way there is: at once; in a
// graph by the reference interpreter and by each executor, with one and several
// threads and parallel iterations; and as a captured function. All must agree
// bit by bit.
#pragma once

#include <functional>
#include <vector>

#include "sluice/front/front_test_util.h"

namespace sluice {

using Fn = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// What it gives; adds a test failure where two ways differ.
std::vector<Array> EveryWay(const Fn& f, const std::vector<Array>& args);
// The same without running it at once, for what only graphs can hold.
std::vector<Array> EveryGraphWay(const Fn& f, const std::vector<Array>& args);

// The text of the error each way throws; adds a failure when one does not
// throw or when `part` is not in it. Several parts are looked for each.
void EveryWayFails(const Fn& f, const std::vector<Array>& args,
                   const std::vector<std::string>& parts);

}  // namespace sluice
