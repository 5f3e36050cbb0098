// OpsMarkdown: the text of docs/ops.md, written from the op records.
#pragma once

#include <span>
#include <string>

#include "sluice/op/record.h"

namespace sluice {

std::string OpsMarkdown(std::span<const OpRecord* const> ops);

}  // namespace sluice
