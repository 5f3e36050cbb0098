#include "benchmarks/op_case.h"

#include <algorithm>
#include <set>

#include "benchmarks/graph_call.h"
#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"

namespace sluice::bench {

namespace {

using Ints = std::vector<int64_t>;

// The declared input that input i of n belongs to: a list takes what the
// others leave.
const ArgSpec& SpecOf(const OpRecord& op, size_t i, size_t n) {
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    if (!op.inputs[k].list) {
      if (k == i) return op.inputs[k];
      continue;
    }
    size_t after = op.inputs.size() - k - 1;
    return i + after < n ? op.inputs[k] : op.inputs[op.inputs.size() - (n - i)];
  }
  return op.inputs.back();
}

// The dtype measured: f32 where it is allowed, else the first that is.
DType Choose(DTypeSet allowed) {
  if (allowed.contains(DType::kF32)) return DType::kF32;
  for (int i = 1; i < kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    if (allowed.contains(dtype)) return dtype;
  }
  return DType::kInvalid;
}

DType TypeOfInput(const OpRecord& op, const Sample& sample, size_t i) {
  const std::string& type = SpecOf(op, i, sample.in.size()).type;
  DType dtype = DTypeFromName(type);
  if (dtype != DType::kInvalid) return dtype;
  const TypeVar* var = op.FindType(type);
  if (!var) return DType::kF32;  // "any"
  DTypeSet allowed = var->allowed;
  if (var->name == "T" && !sample.only.empty()) allowed = allowed & sample.only;
  for (size_t k = 0; k < sample.in.size(); ++k) {
    if (sample.in[k].value && SpecOf(op, k, sample.in.size()).type == type) {
      return sample.in[k].value.dtype();
    }
  }
  return Choose(allowed);
}

// Sizes of a sample, and how much each has been multiplied by.
struct Scale {
  std::vector<std::pair<int64_t, int64_t>> factors;  // (size, factor)
  int64_t Of(int64_t size) const {
    for (const auto& [s, f] : factors) {
      if (s == size) return size * f;
    }
    return size;
  }
};

// An attribute that holds the size of what the op makes from nothing.
bool IsSizeAttr(const OpRecord& op, std::string_view name) {
  return op.inputs.empty() && name == "shape";
}

// Sizes may also come as values: short lists of integers.
bool IsSizeValue(const Array& value) {
  return value && value.rank() <= 1 && value.num_elements() <= kMaxRank &&
         (value.dtype() == DType::kI64 || value.dtype() == DType::kI32);
}

Array ScaledValue(const Array& value, const Scale& scale) {
  Array out = *value.Clone();
  for (int64_t i = 0; i < out.num_elements(); ++i) {
    if (out.dtype() == DType::kI64) {
      int64_t& v = out.mutable_data<int64_t>()[i];
      v = scale.Of(v);
    } else {
      int32_t& v = out.mutable_data<int32_t>()[i];
      v = static_cast<int32_t>(std::min<int64_t>(scale.Of(v), INT32_MAX));
    }
  }
  return out;
}

Ints ValuesOf(const Array& value) {
  Ints out;
  for (int64_t i = 0; i < value.num_elements(); ++i) {
    out.push_back(value.dtype() == DType::kI64 ? value.data<int64_t>()[i]
                                               : value.data<int32_t>()[i]);
  }
  return out;
}

Shape Scaled(const Shape& shape, const Scale& scale) {
  Ints dims(shape.dims().begin(), shape.dims().end());
  for (int64_t& d : dims) d = scale.Of(d);
  Result<Shape> made = Shape::Make(dims);
  return made.ok() ? *made : shape;
}

OpCase Build(const OpRecord& op, const Sample& sample, const Scale& scale) {
  OpCase c;
  c.attrs = sample.attrs;
  for (const auto& [name, value] : sample.attrs) {
    if (!IsSizeAttr(op, name)) continue;
    if (value.kind() == AttrKind::kInts) {
      Ints dims = value.get<Ints>();
      for (int64_t& d : dims) d = scale.Of(d);
      c.attrs.set(name, dims);
    } else if (value.kind() == AttrKind::kShape &&
               value.get<PartialShape>().fully_known()) {
      c.attrs.set(name, Scaled(value.get<PartialShape>().ToShape(), scale));
    }
  }
  for (size_t i = 0; i < sample.in.size(); ++i) {
    const SampleInput& in = sample.in[i];
    c.given.push_back(static_cast<bool>(in.value));
    if (in.value) {
      c.inputs.push_back(IsSizeValue(in.value) ? ScaledValue(in.value, scale)
                                               : in.value);
      continue;
    }
    DType dtype = TypeOfInput(op, sample, i);
    bool whole = !IsFloating(dtype) && dtype != DType::kC64;
    bool unsigned_type = dtype >= DType::kU8 && dtype <= DType::kU64;
    double lo = unsigned_type ? std::max(sample.lo, 0.0) : sample.lo;
    c.inputs.push_back(RandomInput(dtype, Scaled(in.shape, scale), lo,
                                   std::max(sample.hi, lo) + (whole ? 1 : 0),
                                   i + 1));
  }
  return c;
}

// Asks the shape function; fills in bytes and flops. False: refused.
bool Accepts(const OpRecord& op, OpCase& c) {
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  std::vector<const Array*> values;
  c.bytes = c.held = 0;
  for (const Array& in : c.inputs) {
    dtypes.push_back(in.dtype());
    shapes.push_back(in.shape());
    values.push_back(&in);
    c.held += in.bytes();
    if (!op.shape_only) c.bytes += in.bytes();
  }
  auto call = ResolveCall(op, c.attrs, dtypes);
  if (!call.ok()) return false;
  auto out =
      InferShapes(op, call->attrs, dtypes, shapes, values, call->out_dtypes);
  if (!out.ok()) return false;
  for (size_t i = 0; i < out->size(); ++i) {
    if (!(*out)[i].fully_known()) continue;  // values decide: counted as 0
    int64_t bytes =
        (*out)[i].ToShape().num_elements() * DTypeSize(call->out_dtypes[i]);
    c.bytes += bytes;
    c.held += bytes;
  }
  if (op.cost) {
    ShapeContext context(op, call->attrs, dtypes, shapes, values,
                         call->out_dtypes, *out);
    c.flops = op.cost(context);
  }
  return true;
}

// Seconds of one call; negative when it fails.
double RunOnce(const OpRecord& op, OpCase& c) {
  StepContext step;
  step.pool = &WorkerPool::Default();
  int64_t start = NowNanos();
  auto out = RunOp(op, c.attrs, c.inputs, &step);
  int64_t end = NowNanos();
  if (!out.ok()) return -1;
  c.view = false;
  for (const Array& in : c.inputs) {
    const auto* first = static_cast<const char*>(in.raw());
    for (const Array& o : *out) {
      const auto* at = static_cast<const char*>(o.raw());
      bool inside = at >= first && at < first + in.bytes();
      c.view = c.view || inside;
    }
  }
  return static_cast<double>(end - start) * 1e-9;
}

// The sizes above 1 of a sample, each once.
Scale SizesOf(const OpRecord& op, const Sample& sample) {
  std::set<int64_t> seen;
  Scale scale;
  auto add = [&](Dims dims) {
    for (int64_t d : dims) {
      if (d > 1 && seen.insert(d).second) scale.factors.emplace_back(d, 1);
    }
  };
  for (const SampleInput& in : sample.in) {
    if (!in.value) add(in.shape.dims());
    if (IsSizeValue(in.value)) add(ValuesOf(in.value));
  }
  for (const auto& [name, value] : sample.attrs) {
    if (!IsSizeAttr(op, name)) continue;
    if (value.kind() == AttrKind::kInts) add(value.get<Ints>());
    if (value.kind() == AttrKind::kShape) {
      add(value.get<PartialShape>().dims());
    }
  }
  return scale;
}

Result<OpCase> Grow(const OpRecord& op, const Sample& sample,
                    const OpCaseOptions& options) {
  Scale scale = SizesOf(op, sample);
  OpCase best = Build(op, sample, scale);
  if (!Accepts(op, best) || RunOnce(op, best) < 0) {
    return InvalidArgument("the sample does not run");
  }
  // A size that was refused once may be taken when others have grown.
  int refused = 0;
  size_t n = scale.factors.size();
  for (size_t k = 0; n > 0 && refused < static_cast<int>(n); k = (k + 1) % n) {
    if (best.held >= options.target_bytes) break;
    // A number that only looks like a size grows without making anything
    // larger.
    constexpr int64_t kLargest = int64_t{1} << 40;
    if (scale.Of(scale.factors[k].first) > kLargest / 2) {
      ++refused;
      continue;
    }
    scale.factors[k].second *= 2;
    OpCase next = Build(op, sample, scale);
    double seconds = -1;
    if (Accepts(op, next) && next.held <= 2 * options.target_bytes &&
        next.flops <= options.max_flops) {
      seconds = RunOnce(op, next);
    }
    if (seconds < 0 || seconds > options.max_seconds) {
      scale.factors[k].second /= 2;
      ++refused;
      continue;
    }
    refused = 0;
    best = std::move(next);
  }
  return best;
}

}  // namespace

std::string OpCase::ToString() const {
  std::string text;
  for (const Array& in : inputs) {
    StrAppend(text, text.empty() ? "" : " ", in.TypeText());
  }
  return text;
}

std::string WhyNotMeasured(const OpRecord& op) {
  if (op.structural) return "graph structure";
  if (!op.regions.empty()) return "runs regions";
  if (op.handle || op.effect != Effect::kNone) return "works on state";
  if (!op.global_effect.empty()) return "acts outside: " + op.global_effect;
  if (op.async()) return "waits";
  if (op.samples.empty()) return "no samples";
  return "";
}

Result<OpCase> MakeOpCase(const OpRecord& op, const OpCaseOptions& options) {
  // Samples of rank 2 and more look most like what ops are used for; the first
  // one that grows to the target and is no view is taken.
  std::vector<const Sample*> order;
  for (int rank : {2, 1, 0}) {
    for (const Sample& s : op.samples) {
      if (!s.in.empty() && s.in[0].shape.num_elements() == 0) continue;
      int own = s.in.empty() ? 0 : std::min(s.in[0].shape.rank(), 2);
      if (own == rank) order.push_back(&s);
    }
  }
  constexpr size_t kTries = 4;
  Result<OpCase> best = InvalidArgument("no sample runs");
  for (size_t i = 0; i < std::min(order.size(), kTries); ++i) {
    Result<OpCase> grown = Grow(op, *order[i], options);
    if (!grown.ok()) continue;
    if (!best.ok() || best->view > grown->view ||
        (best->view == grown->view && grown->held > best->held)) {
      best = std::move(grown);
    }
    if (best->held >= options.target_bytes / 2 && !best->view) break;
  }
  return best;
}

}  // namespace sluice::bench
