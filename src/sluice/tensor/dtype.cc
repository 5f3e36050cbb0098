#include "sluice/tensor/dtype.h"

namespace sluice {

namespace {
struct Row {
  std::string_view name;
  int64_t size;
};
constexpr Row kRows[kNumDTypes] = {
    {"invalid", 0},
    {"f32", 4},
    {"f64", 8},
    {"f16", 2},
    {"bf16", 2},
    {"i8", 1},
    {"i16", 2},
    {"i32", 4},
    {"i64", 8},
    {"u8", 1},
    {"u16", 2},
    {"u32", 4},
    {"u64", 8},
    {"bool", 1},
    {"complex64", 8},
    {"string", sizeof(std::string)},
    {"resource", sizeof(void*)},
    {"list", sizeof(void*)},
};
}  // namespace

std::string_view DTypeName(DType dtype) {
  auto i = static_cast<size_t>(dtype);
  return i < kNumDTypes ? kRows[i].name : kRows[0].name;
}

DType DTypeFromName(std::string_view name) {
  for (int i = 1; i < kNumDTypes; ++i) {
    if (kRows[i].name == name) return static_cast<DType>(i);
  }
  return DType::kInvalid;
}

int64_t DTypeSize(DType dtype) {
  auto i = static_cast<size_t>(dtype);
  return i < kNumDTypes ? kRows[i].size : 0;
}

std::string DTypeSet::ToString() const {
  std::string out;
  for (int i = 1; i < kNumDTypes; ++i) {
    if (!contains(static_cast<DType>(i))) continue;
    if (!out.empty()) out += ' ';
    out += kRows[i].name;
  }
  return out;
}

}  // namespace sluice
