#include "sluice/op/steady_inputs.h"

#include <unordered_map>

#include "sluice/op/registry.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

constexpr DTypeSet kPlaceTypes = kIndices | DTypeSet{DType::kBool};

bool DeclaredAsPlaces(const OpRecord& op, const ArgSpec& arg) {
  if (DType fixed = DTypeFromName(arg.type); fixed != DType::kInvalid) {
    return kPlaceTypes.contains(fixed);
  }
  const TypeVar* var = op.FindType(arg.type);
  return var && !var->allowed.empty() &&
         (var->allowed | kPlaceTypes) == kPlaceTypes;
}

// Bit k: declared input k.
uint32_t PlaceArgs(const OpRecord& op) {
  if (op.block || op.shape_only) return 0;
  uint32_t bits = 0;
  for (size_t k = 0; k < op.inputs.size() && k < 32; ++k) {
    if (DeclaredAsPlaces(op, op.inputs[k])) bits |= 1u << k;
  }
  return bits;
}

uint32_t KnownPlaceArgs(const OpRecord& op) {
  // Records never change after main() begins; names are compared only once.
  static const auto& all = *[] {
    auto* map = new std::unordered_map<const OpRecord*, uint32_t>;
    for (const OpRecord* record : AllOps()) (*map)[record] = PlaceArgs(*record);
    return map;
  }();
  auto it = all.find(&op);
  return it != all.end() ? it->second : PlaceArgs(op);
}

bool HasBit(const OpRecord& op, uint32_t bits, size_t i, size_t count) {
  if (!bits) return false;
  size_t next = 0;
  for (size_t k = 0; k < op.inputs.size() && k < 32; ++k) {
    // A list takes all inputs that the declared inputs after it do not need.
    size_t after = op.inputs.size() - k - 1;
    next += op.inputs[k].list ? count - next - after : 1;
    if (i < next) return bits >> k & 1;
  }
  return false;
}

}  // namespace

bool ReadsAsPlaces(const OpRecord& op, size_t i, size_t count) {
  return HasBit(op, KnownPlaceArgs(op), i, count);
}

Status CopyPlaces(const OpRecord& op, std::span<Array> inputs,
                  WorkerPool* pool) {
  bool some = false;
  for (const Array& in : inputs) {
    some = some || (in && kPlaceTypes.contains(in.dtype()));
  }
  if (!some || op.block) return OkStatus();
  uint32_t bits = KnownPlaceArgs(op);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Array& in = inputs[i];
    if (!in || !kPlaceTypes.contains(in.dtype()) || in.unique() ||
        !HasBit(op, bits, i, inputs.size()) || (i == 0 && op.cpu().in_place)) {
      continue;
    }
    SL_ASSIGN_OR_RETURN(Array copy, Array::Make(in.dtype(), in.shape()));
    CopyStrided(in, copy, pool);
    in = std::move(copy);
  }
  return OkStatus();
}

}  // namespace sluice
