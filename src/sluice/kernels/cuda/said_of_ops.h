// SaidOfOps<How>: properties that GPU kernels declare in their files, by op, in
// addition to those of op/record.h for kernels of every device.
//
// Declared during static initialization; read by any thread afterwards.
#pragma once

#include <string_view>
#include <unordered_map>

#include "sluice/op/record.h"

namespace sluice {

template <class How>
class SaidOfOps {
 public:
  SaidOfOps(const char* op, const How& how) { Table().emplace(op, how); }

  // Null: nothing was declared.
  static const How* Find(const OpRecord& op) {
    auto it = Table().find(op.name);
    return it == Table().end() ? nullptr : &it->second;
  }

 private:
  static std::unordered_map<std::string_view, How>& Table() {
    static auto& table = *new std::unordered_map<std::string_view, How>;
    return table;
  }
};

}  // namespace sluice
