#include "sluice/op/record.h"

#include "sluice/base/strings.h"
#include "sluice/op/registry_internal.h"

namespace sluice {

const AttrSpec* OpRecord::FindAttr(std::string_view attr_name) const {
  for (const AttrSpec& a : attrs) {
    if (a.name == attr_name) return &a;
  }
  return nullptr;
}

const TypeVar* OpRecord::FindType(std::string_view type_name) const {
  for (const TypeVar& t : types) {
    if (t.name == type_name) return &t;
  }
  return nullptr;
}

std::string OpRecord::RegionLabel(size_t i) const {
  if (!regions.empty() && regions.back().back() == '*') {
    size_t first = regions.size() - 1;
    if (i >= first) {
      const std::string& star = regions.back();
      return StrCat(std::string_view(star).substr(0, star.size() - 1),
                    i - first);
    }
  }
  return i < regions.size() ? regions[i] : "";
}

bool OpRecord::RegionCountOk(size_t count) const {
  bool any = !regions.empty() && regions.back().back() == '*';
  return any ? count >= regions.size() : count == regions.size();
}

std::string OpRecord::InputName(int i) const {
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].list) {
      return StrCat(inputs[k].name, "[", i - static_cast<int>(k), "]");
    }
    if (static_cast<int>(k) == i) return inputs[k].name;
  }
  return StrCat("input ", i);
}

std::string OpRecord::Signature() const {
  auto list = [](const std::vector<ArgSpec>& args) {
    std::string out = "(";
    for (size_t i = 0; i < args.size(); ++i) {
      if (i) out += ", ";
      StrAppend(out, args[i].name, ": ", args[i].type);
      if (args[i].list) out += "*";
      out += args[i].count_attr;
    }
    return out + ")";
  };
  return StrCat(name, list(inputs), " -> ", list(outputs));
}

namespace {

std::string_view Trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

ArgSpec ParseArg(std::string_view spec) {
  ArgSpec arg;
  size_t colon = spec.find(':');
  SL_CHECK(colon != spec.npos);  // a mistake in the record's own source
  arg.name = Trim(spec.substr(0, colon));
  std::string_view type = Trim(spec.substr(colon + 1));
  if (size_t star = type.find('*'); star != type.npos) {
    arg.list = true;
    arg.count_attr = Trim(type.substr(star + 1));
    type = Trim(type.substr(0, star));
  }
  arg.type = type;
  return arg;
}

// The reference of an elementwise op, from a function on doubles.
template <class F>
RefFn BroadcastReference(F fn) {
  return [fn](const std::vector<RefArray>& in, const Attrs&) {
    Shape shape = in[0].shape;
    for (const RefArray& a : in) shape = *BroadcastShapes(shape, a.shape);
    RefArray out{shape, {}};
    auto at = [&](const RefArray& a, int64_t flat) {
      int64_t index = 0, step = 1;
      for (int k = shape.rank() - 1; k >= 0; --k) {
        int64_t i = flat % shape.dim(k);
        flat /= shape.dim(k);
        int own = k - (shape.rank() - a.shape.rank());
        if (own < 0) continue;
        if (a.shape.dim(own) != 1) index += i * step;
        step *= a.shape.dim(own);
      }
      return a.v[static_cast<size_t>(index)];
    };
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      if constexpr (std::is_invocable_v<F, double, double>) {
        out.v.push_back(fn(at(in[0], i), at(in[1], i)));
      } else {
        out.v.push_back(fn(at(in[0], i)));
      }
    }
    return std::vector<RefArray>{out};
  };
}

}  // namespace

OpDefinition::OpDefinition(std::string_view name, std::source_location where) {
  record_.name = name;
  record_.line = SourceLine::From(where);
}

OpDefinition& OpDefinition::doc(std::string_view text) {
  record_.doc = text;
  return *this;
}
OpDefinition& OpDefinition::input(std::string_view spec) {
  record_.inputs.push_back(ParseArg(spec));
  return *this;
}
OpDefinition& OpDefinition::output(std::string_view spec) {
  record_.outputs.push_back(ParseArg(spec));
  return *this;
}
OpDefinition& OpDefinition::types(std::string_view name, DTypeSet allowed) {
  record_.types.push_back({std::string(name), allowed});
  return *this;
}
OpDefinition& OpDefinition::attr(std::string_view name, AttrKind kind,
                                 std::string_view doc) {
  AttrSpec spec;
  spec.name = name;
  spec.kind = kind;
  spec.doc = doc;
  record_.attrs.push_back(std::move(spec));
  return *this;
}
OpDefinition& OpDefinition::attr(std::string_view name, AttrValue default_value,
                                 std::string_view doc) {
  AttrSpec spec;
  spec.name = name;
  spec.kind = default_value.kind();
  spec.default_value = std::move(default_value);
  spec.doc = doc;
  record_.attrs.push_back(std::move(spec));
  return *this;
}
OpDefinition& OpDefinition::between(int64_t min, int64_t max) {
  AttrSpec& spec = record_.attrs.back();
  spec.bounded = true;
  spec.min = min;
  spec.max = max;
  return *this;
}
OpDefinition& OpDefinition::one_of(std::vector<std::string> choices) {
  record_.attrs.back().choices = std::move(choices);
  return *this;
}
OpDefinition& OpDefinition::region(std::string_view label) {
  record_.regions.emplace_back(label);
  return *this;
}

OpDefinition& OpDefinition::shape(ShapeFn fn) {
  record_.shape = fn;
  return *this;
}
OpDefinition& OpDefinition::grad(GradFn fn) {
  record_.grad = fn;
  return *this;
}
OpDefinition& OpDefinition::no_grad(std::string_view reason) {
  record_.no_grad = reason;
  return *this;
}
OpDefinition& OpDefinition::elementwise(BlockSelect select) {
  record_.block = select;
  record_.kernels[0].strided_inputs = true;
  if (!record_.shape) record_.shape = shapes::broadcast;
  return *this;
}
OpDefinition& OpDefinition::view(ViewFn fn) {
  record_.view = fn;
  return *this;
}
OpDefinition& OpDefinition::shares(ViewOrderFn order) {
  return shares(order, record_.grad);
}
OpDefinition& OpDefinition::shares(ViewOrderFn order, GradFn write_back) {
  record_.view_order = order;
  record_.write_back = write_back;
  return *this;
}
OpDefinition& OpDefinition::batch(BatchFn fn) {
  record_.batch = fn;
  return *this;
}
OpDefinition& OpDefinition::batch_lists(BatchFn fn) {
  record_.batch_lists = fn;
  return *this;
}
OpDefinition& OpDefinition::simplify(std::string_view says, SimplifyFn fn) {
  record_.simplifications.push_back({std::string(says), fn});
  return *this;
}
OpDefinition& OpDefinition::decompose(DecomposeFn fn) {
  record_.decompose = fn;
  return *this;
}
OpDefinition& OpDefinition::cost(CostFn fn) {
  record_.cost = fn;
  return *this;
}
OpDefinition& OpDefinition::flops(CostFn fn) {
  record_.flops = fn;
  return *this;
}
OpDefinition& OpDefinition::cpu(KernelFn fn) {
  record_.kernels[0].launch = fn;
  return *this;
}
OpDefinition& OpDefinition::cpu_async(AsyncKernelFn fn) {
  record_.kernels[0].launch_async = fn;
  return *this;
}
OpDefinition& OpDefinition::cpu_workspace(WorkspaceFn fn) {
  record_.kernels[0].workspace = fn;
  return *this;
}

#define SL_TRAIT(trait)                 \
  OpDefinition& OpDefinition::trait() { \
    record_.trait = true;               \
    return *this;                       \
  }
SL_TRAIT(commutative)
SL_TRAIT(associative)
SL_TRAIT(stateful)
SL_TRAIT(random)
SL_TRAIT(handle)
SL_TRAIT(dynamic_output)
SL_TRAIT(shape_only)
SL_TRAIT(any_memory)
SL_TRAIT(structural)
SL_TRAIT(fails_for_sizes_only)
SL_TRAIT(internal)
OpDefinition& OpDefinition::flow(Flow flow) {
  record_.flow = flow;
  return structural();
}
#undef SL_TRAIT

#define SL_CPU_TRAIT(trait)             \
  OpDefinition& OpDefinition::trait() { \
    record_.kernels[0].trait = true;    \
    return *this;                       \
  }
SL_CPU_TRAIT(strided_inputs)
SL_CPU_TRAIT(in_place)
SL_CPU_TRAIT(fuse_input)
SL_CPU_TRAIT(fuse_output)
#undef SL_CPU_TRAIT

OpDefinition& OpDefinition::role(Role role) {
  record_.role = role;
  return *this;
}
OpDefinition& OpDefinition::linear(Linear linear) {
  record_.linear = linear;
  return *this;
}
OpDefinition& OpDefinition::recompute(Recompute recompute) {
  record_.recompute = recompute;
  return *this;
}
OpDefinition& OpDefinition::function(std::string_view name) {
  record_.function = name;
  return *this;
}

OpDefinition& OpDefinition::reads() {
  record_.effect = Effect::kRead;
  return *this;
}
OpDefinition& OpDefinition::writes() {
  record_.effect = Effect::kWrite;
  return *this;
}
OpDefinition& OpDefinition::global_effect(std::string_view name) {
  record_.global_effect = name;
  return *this;
}
OpDefinition& OpDefinition::max_ulp(double ulp) {
  record_.max_ulp = ulp;
  return *this;
}
OpDefinition& OpDefinition::tolerance(double relative) {
  record_.tolerance = relative;
  return *this;
}
OpDefinition& OpDefinition::reference(double (*fn)(double)) {
  record_.reference = BroadcastReference(fn);
  return *this;
}
OpDefinition& OpDefinition::reference(double (*fn)(double, double)) {
  record_.reference = BroadcastReference(fn);
  return *this;
}
OpDefinition& OpDefinition::reference(RefFn fn) {
  record_.reference = std::move(fn);
  return *this;
}
OpDefinition& OpDefinition::samples(std::vector<Sample> samples) {
  record_.samples = std::move(samples);
  return *this;
}
OpDefinition& OpDefinition::rejects(std::vector<Reject> rejects) {
  record_.rejects = std::move(rejects);
  return *this;
}

OpRegistration::OpRegistration(OpDefinition& definition) {
  registry_internal::AddOp(std::move(definition.record_));
}

KernelRegistration::KernelRegistration(std::string_view op, DeviceKind device,
                                       Kernel kernel) {
  registry_internal::AddKernel(op, device, kernel);
}

}  // namespace sluice
