// OpRecord: everything Sluice knows about an op, stated once, in the op's file:
//
//   SL_OP(Softplus)
//       .doc("softplus(x) = log(1 + exp(x)), elementwise.")
//       .input("x: T").output("y: T").types("T", kFloats)
//       .elementwise(unary_block<SoftplusFn>)
//       .samples({{.in = {{4}}}, {.in = {{2, 3}}, .lo = -30, .hi = 30}})
//       .rejects({{.in = {}, .message = "[Softplus] takes 1 input, got 0"}});
//
// Graph building, text and binary forms, passes, planning, fusion, tests,
// benchmarks, docs and bindings are derived from the record. Records are made
// before main() and never change afterwards.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/source_line.h"
#include "sluice/op/attr.h"
#include "sluice/op/block.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/op_traits.h"
#include "sluice/op/sample.h"
#include "sluice/op/shape_context.h"

namespace sluice {

class GradContext;  // op/grad_context.h
using GradFn = void (*)(GradContext&);
class BatchContext;  // op/batch_context.h
using BatchFn = bool (*)(BatchContext&);
class SimplifyContext;  // op/simplify_context.h
using SimplifyFn = bool (*)(SimplifyContext&);
class DecomposeContext;  // op/decompose_context.h
using DecomposeFn = void (*)(DecomposeContext&);

// One declared input or output. Written "name: type", where type is
//   a dtype name ("bool"), a type variable of .types() ("T"),
//   a dtype attribute ("dtype"), or "any";
// and with a star for lists:
//   "xs: T*"        any number, all of type T         (inputs)
//   "xs: any*"      any number, each of its own type  (inputs)
//   "ys: T * num"   as many as the int attribute says (outputs)
//   "ys: dtypes*"   one per entry of a list(dtype) attribute
struct ArgSpec {
  std::string name;
  std::string type;
  bool list = false;
  std::string count_attr;
};

struct AttrSpec {
  std::string name;
  AttrKind kind = AttrKind::kNone;
  AttrValue default_value;  // kind kNone: the attribute is required
  std::string doc;
  // If set, ints (and every int of a list) must lie in [min, max].
  bool bounded = false;
  int64_t min = 0, max = 0;
  std::vector<std::string> choices;  // for strings
};

struct TypeVar {
  std::string name;
  DTypeSet allowed;
};

// Bytes of scratch space that a launch needs. All shapes are known.
using WorkspaceFn = int64_t (*)(const ShapeContext&);

// How one op runs on one kind of device, and what planners may assume about it.
// Exactly one of the two launches is set.
struct Kernel {
  KernelFn launch = nullptr;
  AsyncKernelFn launch_async = nullptr;
  WorkspaceFn workspace = nullptr;
  bool strided_inputs = false;  // handles strides itself
  bool in_place = false;        // output 0 may overwrite input 0
  bool fuse_input = false;      // reads input 0 only through Load
  bool fuse_output = false;     // calls Finish for every element of output 0
  bool capturable = true;    // may be part of a recorded sequence of launches
  uint32_t host_inputs = 0;  // bit i: input i is read by the host
  DTypeSet dtypes = kAnything;  // of inputs and outputs
  bool defined() const { return launch || launch_async; }
};

// Makes output 0 a view of input 0 and returns true, or returns false if the
// strides do not allow that (the kernel then copies).
using ViewFn = bool (*)(const KernelContext&, Array* view);

// How a view affects the order of elements: it keeps contiguous memory
// contiguous, may change that, or requires contiguous memory.
enum class ViewOrder : uint8_t { kKeeps, kChanges, kNeeds };
using ViewOrderFn = ViewOrder (*)(const Attrs&);

// A rough count of arithmetic operations, for scheduling. Default: elements.
using CostFn = double (*)(const ShapeContext&);

// One algebraic identity: its text, and the rule that applies it.
struct Simplification {
  std::string says;  // "x + 0 = x"
  SimplifyFn apply = nullptr;
};

struct OpRecord {
  std::string name;
  std::string doc;
  SourceLine line;  // where the record is defined
  std::vector<ArgSpec> inputs, outputs;
  std::vector<AttrSpec> attrs;
  std::vector<TypeVar> types;
  // Labels, for ops that own regions. The last may end in a star: one or more
  // regions; "branch*" is labelled "branch0", "branch1", ...
  std::vector<std::string> regions;

  ShapeFn shape = nullptr;
  GradFn grad = nullptr;
  std::string no_grad;          // why an op on floats has no gradient rule, for
                                // messages
  BlockSelect block = nullptr;  // elementwise ops
  ViewFn view = nullptr;
  // For views that users see as views: writing to one writes to the viewed
  // tensor.
  ViewOrderFn view_order = nullptr;
  // The value of x after a write to its view, composed of ops: in(0) is x, dy()
  // the new part, dx(0) the result. Null: the view cannot be written.
  GradFn write_back = nullptr;
  // The batching rule. Null: derived from traits, or one lane at a time.
  BatchFn batch = nullptr;
  // The batching rule if each example has its own list.
  BatchFn batch_lists = nullptr;
  std::vector<Simplification> simplifications;
  // Composed of other ops, for a device without a kernel for this op.
  DecomposeFn decompose = nullptr;
  CostFn cost = nullptr;
  CostFn flops = nullptr;  // if `cost` also counts more than multiplications
                           // and additions
  std::array<Kernel, kNumDeviceKinds> kernels;

  // Traits. Passes and planners ask for these, never for a name.
  bool commutative = false;
  bool associative = false;
  bool stateful = false;        // has state or changes it: never merged
  bool random = false;          // draws random numbers: never merged or folded
  bool handle = false;          // makes a resource handle (resolved in plans)
  bool dynamic_output = false;  // sizes depend on values: kernel allocates
  bool shape_only = false;      // reads its inputs' shapes, never elements
  bool any_memory = false;      // passes elements on without reading them
  bool structural = false;      // graph structure: Placeholder, Arg, ...
  Flow flow = Flow::kNone;      // structural: its role in control flow
  Role role = Role::kNone;
  Linear linear = Linear::kNo;
  Recompute recompute = Recompute::kByTraits;
  bool fails_for_sizes_only = false;  // values of inputs never make it fail
  bool internal = false;  // created by gradients and passes; not for users
  std::string function;   // its user-level name if not derived from `name`:
                          // "matmul"
  Effect effect = Effect::kNone;
  std::string global_effect;  // "stdout": ordered although no handle is passed

  double max_ulp = 0;    // declared error bound of the f32 kernel, 0: exact
  double tolerance = 0;  // relative, for sums in a different order
  RefFn reference;
  std::vector<Sample> samples;
  std::vector<Reject> rejects;

  const Kernel& kernel(DeviceKind kind) const {
    return kernels[static_cast<size_t>(kind)];
  }
  const Kernel& cpu() const { return kernel(DeviceKind::kCpu); }
  bool elementwise() const { return block != nullptr; }
  bool async() const { return cpu().launch_async != nullptr; }
  // Pure: equal inputs give equal outputs, and there are no side effects.
  bool pure() const {
    return !stateful && !random && !handle && !structural &&
           effect == Effect::kNone && global_effect.empty() && !async();
  }
  const AttrSpec* FindAttr(std::string_view attr_name) const;
  const TypeVar* FindType(std::string_view type_name) const;
  // The required label of region i; empty if there is no region i.
  std::string RegionLabel(size_t i) const;
  bool RegionCountOk(size_t count) const;
  // The declared name of input i, with an index for lists: "xs[2]".
  std::string InputName(int i) const;
  // "Add(a: T, b: T) -> (y: T)": for docs and messages.
  std::string Signature() const;
};

// Builds a record; OpRegistration puts it into the registry.
class OpDefinition {
 public:
  OpDefinition(std::string_view name,
               std::source_location where = std::source_location::current());

  OpDefinition& doc(std::string_view text);
  OpDefinition& input(std::string_view spec);
  OpDefinition& output(std::string_view spec);
  OpDefinition& types(std::string_view name, DTypeSet allowed);
  // A required attribute, and one with a default.
  OpDefinition& attr(std::string_view name, AttrKind kind,
                     std::string_view doc = "");
  OpDefinition& attr(std::string_view name, AttrValue default_value,
                     std::string_view doc = "");
  // Bounds for the last named attribute.
  OpDefinition& between(int64_t min, int64_t max);
  OpDefinition& one_of(std::vector<std::string> choices);
  OpDefinition& region(std::string_view label);

  OpDefinition& shape(ShapeFn fn);
  OpDefinition& grad(GradFn fn);
  // Why there is no rule, completing "... has no gradient: ", such as "it
  // rounds".
  OpDefinition& no_grad(std::string_view reason);
  // Elementwise with broadcasting: sets the shape function, the CPU kernel and
  // the trait. An elementwise op needs nothing else to run, be fused and be
  // tested.
  OpDefinition& elementwise(BlockSelect select);
  OpDefinition& view(ViewFn fn);
  // Users see this view as a view. With the first form it contains every
  // element exactly once, so that its gradient rule writes back; otherwise pass
  // a rule, or null if the view cannot be written.
  OpDefinition& shares(ViewOrderFn order);
  OpDefinition& shares(ViewOrderFn order, GradFn write_back);
  // A batching rule (op/batch_context.h).
  OpDefinition& batch(BatchFn fn);
  OpDefinition& batch_lists(BatchFn fn);
  // An identity that simplifies calls of this op (op/simplify_context.h).
  OpDefinition& simplify(std::string_view says, SimplifyFn fn);
  // The op composed of others (op/decompose_context.h).
  OpDefinition& decompose(DecomposeFn fn);
  OpDefinition& cost(CostFn fn);
  OpDefinition& flops(CostFn fn);
  OpDefinition& cpu(KernelFn fn);
  OpDefinition& cpu_async(AsyncKernelFn fn);
  OpDefinition& cpu_workspace(WorkspaceFn fn);

  OpDefinition& commutative();
  OpDefinition& associative();
  OpDefinition& stateful();
  OpDefinition& random();
  OpDefinition& handle();
  OpDefinition& dynamic_output();
  OpDefinition& strided_inputs();
  OpDefinition& in_place();
  OpDefinition& fuse_input();
  OpDefinition& fuse_output();
  OpDefinition& shape_only();
  OpDefinition& any_memory();
  OpDefinition& structural();
  OpDefinition& flow(Flow flow);  // structural, too
  OpDefinition& role(Role role);
  OpDefinition& linear(Linear linear);
  OpDefinition& recompute(Recompute recompute);
  OpDefinition& fails_for_sizes_only();
  OpDefinition& internal();
  OpDefinition& function(std::string_view name);
  OpDefinition& reads();  // the resource of input 0
  OpDefinition& writes();
  OpDefinition& global_effect(std::string_view name);

  OpDefinition& max_ulp(double ulp);
  OpDefinition& tolerance(double relative);
  OpDefinition& reference(double (*fn)(double));
  OpDefinition& reference(double (*fn)(double, double));
  OpDefinition& reference(RefFn fn);
  OpDefinition& samples(std::vector<Sample> samples);
  OpDefinition& rejects(std::vector<Reject> rejects);

 private:
  friend struct OpRegistration;
  OpRecord record_;
};

struct OpRegistration {
  OpRegistration(OpDefinition& definition);
  OpRegistration(OpDefinition&& definition) : OpRegistration(definition) {}
};

// Adds a kernel for another device to an op by name. Files may be initialized
// in any order.
struct KernelRegistration {
  KernelRegistration(std::string_view op, DeviceKind device, Kernel kernel);
};

}  // namespace sluice

#define SL_OP(Name)                                                     \
  [[maybe_unused]] static const ::sluice::OpRegistration sl_op_##Name = \
      ::sluice::OpDefinition(#Name)
#define SL_KERNEL(Name, device, ...)                                   \
  [[maybe_unused]] static const ::sluice::KernelRegistration           \
      sl_kernel_##Name##_##device(#Name, ::sluice::DeviceKind::device, \
                                  __VA_ARGS__)
