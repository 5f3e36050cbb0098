#include "sluice/graph/region_checks.h"

#include <span>
#include <vector>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

std::string DTypesText(std::span<const DType> dtypes) {
  std::string text = "(";
  for (size_t i = 0; i < dtypes.size(); ++i) {
    StrAppend(text, i ? ", " : "", DTypeName(dtypes[i]));
  }
  return text + ")";
}

std::vector<DType> DTypesOf(std::span<const Value> values) {
  std::vector<DType> dtypes;
  for (const Value& v : values) dtypes.push_back(v.dtype());
  return dtypes;
}

std::vector<DType> ArgDTypes(const Region& region) {
  std::vector<DType> dtypes;
  for (int i = 0; i < region.num_args(); ++i) {
    dtypes.push_back(region.arg(i).dtype());
  }
  return dtypes;
}

std::vector<DType> OutputDTypes(const Node& node) {
  std::vector<DType> dtypes;
  for (int i = 0; i < node.num_outputs(); ++i) {
    dtypes.push_back(node.output_type(i).dtype);
  }
  return dtypes;
}

Status Expect(const Node& node, std::string_view what,
              const std::vector<DType>& got, const std::vector<DType>& wanted) {
  if (got == wanted) return OkStatus();
  return InvalidArgument(StrCat("[", node.op().name, "] ", what,
                                DTypesText(got), "; wanted ",
                                DTypesText(wanted)))
      .WithLine(NodeLine(node));
}

Status CheckLoop(const Node& loop) {
  std::vector<DType> carried = OutputDTypes(loop);
  SL_RETURN_IF_ERROR(
      Expect(loop, "starts from ", DTypesOf(loop.inputs()), carried));
  for (const auto& region : loop.regions()) {
    SL_RETURN_IF_ERROR(Expect(loop,
                              StrCat("region \"", region->label(), "\" takes "),
                              ArgDTypes(*region), carried));
  }
  SL_RETURN_IF_ERROR(Expect(loop, "region \"cond\" gives ",
                            DTypesOf(loop.regions()[0]->results()),
                            {DType::kBool}));
  return Expect(loop, "region \"body\" gives ",
                DTypesOf(loop.regions()[1]->results()), carried);
}

Status CheckCall(const Node& call) {
  const Node& function = *call.input(0).node;
  if (function.op().flow != Flow::kFunction || function.regions().empty()) {
    return InvalidArgument(StrCat("[", call.op().name, "] f is \"",
                                  call.input(0).ToString(), "\" of ",
                                  function.op().name,
                                  "; wanted the output of a Function"))
        .WithLine(NodeLine(call));
  }
  const Region& body = *function.regions()[0];
  SL_RETURN_IF_ERROR(Expect(call, "passes ", DTypesOf(call.inputs().subspan(1)),
                            ArgDTypes(body)));
  return Expect(call, "expects ", OutputDTypes(call), DTypesOf(body.results()));
}

}  // namespace

Status CheckRegions(const Node& node) {
  if (!node.op().RegionCountOk(node.regions().size())) {
    return InvalidArgument(StrCat("[", node.op().name, "] has ",
                                  node.regions().size(), " regions; wanted ",
                                  node.op().regions.size()))
        .WithLine(NodeLine(node));
  }
  switch (node.op().flow) {
    case Flow::kBranch:
      for (const auto& region : node.regions()) {
        std::string label = StrCat("region \"", region->label(), "\" ");
        SL_RETURN_IF_ERROR(
            Expect(node, label + "takes ", ArgDTypes(*region), {}));
        SL_RETURN_IF_ERROR(Expect(node, label + "gives ",
                                  DTypesOf(region->results()),
                                  OutputDTypes(node)));
      }
      return OkStatus();
    case Flow::kLoop:
      return CheckLoop(node);
    case Flow::kCall:
      return CheckCall(node);
    default:
      return OkStatus();
  }
}

Status CheckAllRegions(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (node->op().flow == Flow::kNone) continue;
    SL_RETURN_IF_ERROR(CheckRegions(*node));
    for (const auto& inner : node->regions()) {
      SL_RETURN_IF_ERROR(CheckAllRegions(*inner));
    }
  }
  return OkStatus();
}

}  // namespace sluice
