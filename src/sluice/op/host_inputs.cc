#include "sluice/op/host_inputs.h"

#include <unordered_map>

#include "sluice/base/thread_owned.h"
#include "sluice/op/registry.h"
#include "sluice/op/signature.h"
#include "sluice/op/steady_inputs.h"

namespace sluice {

namespace {

// The declared input for input i of `count`: a list takes all inputs that the
// declared inputs after it do not need.
size_t DeclaredInput(const OpRecord& op, size_t i, size_t count) {
  size_t next = 0;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    size_t after = op.inputs.size() - k - 1;
    next += op.inputs[k].list ? count - next - after : 1;
    if (i < next) return k;
  }
  return op.inputs.size();
}

// A type that an input without values may have.
DType SomeType(const OpRecord& op, const ArgSpec& arg) {
  if (DType fixed = DTypeFromName(arg.type); fixed != DType::kInvalid) {
    return fixed;
  }
  const TypeVar* var = op.FindType(arg.type);
  if (!var) return DType::kF32;
  for (DType dtype : {DType::kF32, DType::kI64, DType::kBool, DType::kC64}) {
    if (var->allowed.contains(dtype)) return dtype;
  }
  return DType::kF32;
}

// Asks the shape function about one sample with no value known.
uint64_t AskedFor(const OpRecord& op, const Sample& sample) {
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  for (size_t i = 0; i < sample.in.size(); ++i) {
    size_t k = DeclaredInput(op, i, sample.in.size());
    if (k == op.inputs.size()) return 0;
    const SampleInput& in = sample.in[i];
    dtypes.push_back(in.value ? in.value.dtype() : SomeType(op, op.inputs[k]));
    shapes.push_back(PartialShape(in.value ? in.value.shape() : in.shape));
  }
  Result<ResolvedCall> call = ResolveCall(op, sample.attrs, dtypes);
  if (!call.ok()) return 0;
  std::vector<const Array*> values(dtypes.size(), nullptr);
  std::vector<PartialShape> out(call->out_dtypes.size());
  ShapeContext context(op, call->attrs, dtypes, shapes, values,
                       call->out_dtypes, out);
  (void)op.shape(context);
  uint64_t asked = 0;
  for (size_t i = 0; i < dtypes.size() && i < 64; ++i) {
    if (context.asked() >> i & 1) {
      asked |= uint64_t{1} << DeclaredInput(op, i, dtypes.size());
    }
  }
  return asked;
}

uint64_t ShapeInputs(const OpRecord& op) {
  uint64_t bits = 0;
  if (!op.shape || op.structural) return 0;
  for (const Sample& sample : op.samples) bits |= AskedFor(op, sample);
  return bits;
}

uint64_t KnownShapeInputs(const OpRecord& op) {
  // Records never change after main() begins.
  static const auto& all = *[] {
    auto* map = new std::unordered_map<const OpRecord*, uint64_t>;
    for (const OpRecord* record : AllOps()) {
      (*map)[record] = ShapeInputs(*record);
    }
    return map;
  }();
  auto it = all.find(&op);
  return it != all.end() ? it->second : ShapeInputs(op);
}

// The same with a cache: launches ask several times each, and a lookup in the
// table may take longer than a small kernel's launch.
struct RecentOps {
  static constexpr size_t kPlaces = 64;
  struct Place {
    const OpRecord* op = nullptr;
    uint64_t bits = 0;
  };
  Place places[kPlaces];

  Place& of(const OpRecord& op) {
    return places[reinterpret_cast<uintptr_t>(&op) / 64 % kPlaces];
  }
};

uint64_t QuickShapeInputs(const OpRecord& op) {
  RecentOps* recent = ThreadOwned<RecentOps>::Find();
  if (!recent) return KnownShapeInputs(op);
  RecentOps::Place& place = recent->of(op);
  if (place.op != &op) place = {&op, KnownShapeInputs(op)};
  return place.bits;
}

}  // namespace

bool GivesSizes(const OpRecord& op) {
  switch (op.role) {
    case Role::kShape:
    case Role::kSize:
    case Role::kRank:
    case Role::kListSize:
      return true;
    default:
      return false;
  }
}

bool MakesOfNumbers(const OpRecord& op, size_t count) {
  if (op.dynamic_output) return true;
  for (size_t i = 0; i < count; ++i) {
    if (HostReads(op, i, count)) return true;
  }
  return false;
}

bool TellsPlace(const OpRecord& op, size_t i) {
  return op.random && !op.inputs.empty() && op.inputs.back().list &&
         i + 1 >= op.inputs.size();
}

bool HostReads(const OpRecord& op, DeviceKind kind, size_t i, size_t count) {
  // An op that never touches elements still reads its indices.
  if (op.any_memory && ReadsAsPlaces(op, i, count)) return true;
  uint64_t bits = QuickShapeInputs(op) | op.kernel(kind).host_inputs;
  return bits && (bits >> DeclaredInput(op, i, count) & 1);
}

bool HostReads(const OpRecord& op, size_t i, size_t count) {
  return HostReads(op, DeviceKind::kCpu, i, count);
}

}  // namespace sluice
