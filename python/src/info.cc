// This build, this machine, and the op records as Python values, for python -m
// sluice.info, the stubs and the API pages.
#include <sys/utsname.h>
#include <unistd.h>

#include <thread>

#include "attr_value.h"
#include "bindings.h"
#include "sluice/base/cpu_features.h"
#include "sluice/base/default_threads.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/device/devices.h"
#include "sluice/front/version.h"
#include "sluice/kernels/cpu/lapack.h"
#include "sluice/op/op_function.h"
#include "sluice/op/registry.h"

namespace sluice::py {

namespace {

std::string Compiler() {
#if defined(__clang__)
  return StrCat("clang ", __clang_major__, ".", __clang_minor__, ".",
                __clang_patchlevel__);
#else
  return StrCat("g++ ", __VERSION__);
#endif
}

nb::dict BuildInfo() {
  nb::dict info;
  info["version"] = version();
  info["compiler"] = Compiler();
#ifdef NDEBUG
  info["checks"] = "release";
#else
  info["checks"] = "debug";
#endif
#ifdef SLUICE_CUDA
  info["cuda"] = true;
#else
  info["cuda"] = false;
#endif
  utsname system{};
  bool known = uname(&system) == 0;
  info["machine"] = known ? system.machine : "unknown";
  info["system"] =
      known ? StrCat(system.sysname, " ", system.release) : "unknown";
  info["cores"] = std::thread::hardware_concurrency();
  info["cpu"] = Cpu().ToString();
  info["memory"] =
      int64_t{sysconf(_SC_PHYS_PAGES)} * int64_t{sysconf(_SC_PAGESIZE)};
  info["threads"] = WorkerPool::Default().parallelism();
  const Lapack* lapack = FindLapack();
  info["lapack"] = lapack ? nb::cast(lapack->library) : nb::none();
  nb::list devices;
  for (Device* device : Devices::All()) devices.append(device->name_text());
  info["devices"] = devices;
  info["ops"] = AllOps().size();
  return info;
}

nb::dict Argument(const ArgSpec& spec) {
  nb::dict argument;
  argument["name"] = spec.name;
  argument["type"] = spec.type;
  argument["list"] = spec.list;
  return argument;
}

nb::dict Attribute(const AttrSpec& spec) {
  nb::dict attribute;
  attribute["name"] = spec.name;
  attribute["kind"] = AttrKindName(spec.kind);
  attribute["required"] = spec.default_value.kind() == AttrKind::kNone;
  attribute["default"] = AttrToPython(spec.default_value);
  attribute["doc"] = spec.doc;
  attribute["choices"] = nb::cast(spec.choices);
  return attribute;
}

nb::dict Record(const OpRecord& op) {
  nb::dict record;
  record["op"] = op.name;
  record["function"] = FunctionName(op);
  record["doc"] = op.doc;
  record["signature"] = op.Signature();
  record["topic"] = TopicOf(op);
  nb::list inputs, outputs, attrs;
  for (const ArgSpec& in : op.inputs) {
    // As in op_function.cc: callers do not pass the iteration of a random op.
    if (op.random && in.list && &in == &op.inputs.back()) continue;
    inputs.append(Argument(in));
  }
  for (const ArgSpec& out : op.outputs) outputs.append(Argument(out));
  for (bool required : {true, false}) {
    for (const AttrSpec& attr : op.attrs) {
      bool has_default = attr.default_value.kind() != AttrKind::kNone;
      if (has_default != required) attrs.append(Attribute(attr));
    }
  }
  record["inputs"] = inputs;
  record["outputs"] = outputs;
  record["attrs"] = attrs;
  nb::dict types;
  for (const TypeVar& type : op.types) {
    types[type.name.c_str()] = StrCat(type.allowed);
  }
  record["types"] = types;
  return record;
}

nb::list OpRecords() {
  nb::list records;
  for (const OpRecord* op : AllOps()) {
    if (HasFunction(*op)) records.append(Record(*op));
  }
  return records;
}

}  // namespace

void BindInfo(nb::module_& m) {
  m.attr("version") = version();
  m.def("set_threads", &SetDefaultThreads, "count"_a);
  m.def("build_info", &BuildInfo,
        "What this build is and what it found on this machine.");
  m.def("op_records", &OpRecords,
        "The record of every op that has a function, as dicts, by name.");
}

}  // namespace sluice::py
