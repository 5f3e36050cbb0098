#include "sluice/front/vmap_axes.h"

#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/trace/region_draft.h"

namespace sluice::front_internal {

namespace {

// As the user gave it.
int AxisOf(const std::vector<int>& axes, std::string_view kind, size_t i,
           size_t count, const VmapOptions& options,
           std::source_location where) {
  if (axes.empty()) return 0;
  if (axes.size() != 1 && axes.size() != count) {
    bool in = kind == "in_axes";
    Refuse(options.name,
           StrCat(kind, " has ", axes.size(), " axes for ", count,
                  in ? " arguments" : " results",
                  "; wanted none, one for all, or one each"),
           where);
  }
  return axes[axes.size() == 1 ? 0 : i];
}

std::string Text(const Tensor& t) { return TypeText(t.dtype(), t.shape()); }

void CheckSizes(const std::vector<Tensor>& args, const std::vector<int>& axes,
                const VmapOptions& options, std::source_location where) {
  size_t first = args.size();
  for (size_t i = 0; i < args.size(); ++i) {
    if (axes[i] == unbatched || args[i].dim(axes[i]) < 0) continue;
    if (first == args.size()) first = i;
    if (args[i].dim(axes[i]) == args[first].dim(axes[first])) continue;
    auto text = [&](size_t k) {
      return StrCat("argument ", k, " (", Text(args[k]), ", axis ", axes[k],
                    ") has ", args[k].dim(axes[k]), " lanes");
    };
    Refuse(options.name, StrCat(text(first), ", ", text(i), "; wanted as many"),
           where);
  }
}

// Sizes nobody knows while building must turn out to be equal.
void CheckLater(Emitter& emit, std::vector<Lanes>& args) {
  auto batched = [](const Lanes& arg) { return arg.batched; };
  if (std::count_if(args.begin(), args.end(), batched) < 2) return;
  Value wanted;
  for (Lanes& arg : args) {
    if (!arg.batched || !emit.ok()) continue;
    Value rows = emit.Rows(arg.value);
    if (!wanted) {
      wanted = rows;
      continue;
    }
    if (ConstantValue(wanted) && ConstantValue(rows)) continue;
    Node* check = emit.Add(
        "Assert",
        std::vector<Value>{emit.Call("Equal", {wanted, rows}), wanted, rows},
        {{"message", "vmap: arguments have different numbers of lanes"}});
    if (!check) return;
    emit.state().controls = {check};
    arg.value = emit.Call("Identity", {arg.value});
    emit.state().controls.clear();
  }
}

}  // namespace

int OutAxis(size_t i, size_t count, const VmapOptions& options,
            std::source_location where) {
  return AxisOf(options.out_axes, "out_axes", i, count, options, where);
}

std::vector<int> LaneAxes(const std::vector<Tensor>& args,
                          const VmapOptions& options,
                          std::source_location where) {
  std::vector<int> found;
  bool any = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const Tensor& arg = args[i];
    if (!arg.defined()) {
      Refuse(options.name, StrCat("argument ", i, " holds nothing"), where);
    }
    int axis =
        AxisOf(options.in_axes, "in_axes", i, args.size(), options, where);
    found.push_back(axis);
    if (axis == unbatched) continue;
    any = true;
    int rank = arg.rank();
    if (rank < 0) {
      Refuse(options.name,
             StrCat("argument ", i,
                    " has an unknown number of axes; wanted "
                    "it known, to take lanes along one"),
             where);
    }
    if (axis < -rank || axis >= rank) {
      Refuse(options.name,
             StrCat("argument ", i, " is ", Text(arg), "; wanted an axis ",
                    axis, " of lanes, or unbatched in in_axes"),
             where);
    }
    found.back() = axis < 0 ? axis + rank : axis;
  }
  if (!any) {
    Refuse(options.name,
           "no argument has lanes; wanted at least one whose axis in in_axes "
           "is not unbatched",
           where);
  }
  CheckSizes(args, found, options, where);
  return found;
}

std::vector<Lanes> LanesFirst(Emitter& emit, const std::vector<Value>& args,
                              const std::vector<int>& axes) {
  std::vector<Lanes> lanes;
  for (size_t i = 0; i < args.size(); ++i) {
    Value v = args[i];
    bool batched = axes[i] != unbatched;
    if (batched) v = emit.MoveAxis(v, v.shape().rank(), axes[i], 0);
    lanes.push_back({v, batched});
  }
  CheckLater(emit, lanes);
  if (!emit.ok()) throw Error(emit.status());
  return lanes;
}

std::vector<Value> PlaceLanes(Emitter& emit, const std::vector<Lanes>& results,
                              const std::vector<Lanes>& args,
                              const VmapOptions& options,
                              std::source_location where) {
  Value count;
  for (const Lanes& arg : args) {
    if (arg.batched && !count) count = emit.Rows(arg.value);
  }
  std::vector<Value> placed;
  for (size_t i = 0; i < results.size(); ++i) {
    Value value = results[i].value;
    bool batched = results[i].batched;
    int axis = OutAxis(i, results.size(), options, where);
    if (value.dtype() == DType::kList) {
      Refuse(options.name,
             StrCat("result ", i,
                    " is a list; wanted a tensor, such as its "
                    "stack()"),
             where);
    }
    if (axis == unbatched) {
      if (batched) {
        Refuse(options.name,
               StrCat("result ", i,
                      " differs from lane to lane; wanted an "
                      "axis for it in out_axes, which says unbatched"),
               where);
      }
      placed.push_back(value);
      continue;
    }
    if (!batched) {
      value = emit.Call("BroadcastTo",
                        {value, emit.Join({count, emit.Sizes(value)})});
    }
    if (axis != 0 && emit.ok()) {
      int rank = value.shape().rank();
      if (rank < 0 || axis < -rank || axis >= rank) {
        Refuse(
            options.name,
            StrCat("result ", i, " is ", TypeText(value.dtype(), value.shape()),
                   " with its lanes; out_axes wants them at axis ", axis),
            where);
      }
      value = emit.MoveAxis(value, rank, 0, axis < 0 ? axis + rank : axis);
    }
    if (!emit.ok()) throw Error(emit.status());
    placed.push_back(value);
  }
  return placed;
}

}  // namespace sluice::front_internal
