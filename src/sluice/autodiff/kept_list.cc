#include "sluice/autodiff/kept_list.h"

#include <map>

#include "sluice/autodiff/inner_gradient.h"

namespace sluice {

namespace {

// The position of each value in the list: a list is stored directly, others in
// lists by type, which come first.
struct KeptPlaces {
  std::map<DType, int> by_type;
  struct Place {
    int list = -1;  // -1: in the outer list
    int at = 0;
  };
  std::vector<Place> places;

  explicit KeptPlaces(const std::vector<Value>& values) {
    std::map<DType, int> counts;
    for (const Value& v : values) {
      if (v.dtype() != DType::kList) by_type.emplace(v.dtype(), 0);
    }
    int next = 0;
    for (auto& entry : by_type) entry.second = next++;
    for (const Value& v : values) {
      if (v.dtype() == DType::kList) {
        places.push_back({-1, next++});
      } else {
        places.push_back({by_type.at(v.dtype()), counts[v.dtype()]++});
      }
    }
  }
};

// Adds nodes of list ops to a region.
struct ListWriter {
  Graph& graph;
  Region& region;
  const Node& beside;

  Result<Value> Add(std::string_view op, std::vector<Value> inputs,
                    const Attrs& attrs = {}) {
    SL_ASSIGN_OR_RETURN(Node * node,
                        AddBeside(graph, region, beside, op, inputs, attrs));
    return node->output();
  }
  Result<Value> Number(int64_t n) {
    return Add("Const", {}, {{"value", Array::Scalar<int64_t>(n)}});
  }
  Result<Value> New(DType dtype) {
    SL_ASSIGN_OR_RETURN(Value zero, Number(0));
    return Add("ListNew", {zero}, {{"dtype", dtype}});
  }
  Result<Value> Get(Value list, int at, const ValueType& type) {
    SL_ASSIGN_OR_RETURN(Value index, Number(at));
    return Add("ListGet", {list, index},
               {{"dtype", type.dtype}, {"shape", type.shape}});
  }
};

}  // namespace

Result<Value> KeepInList(Graph& graph, Region& region, const Node& beside,
                         const std::vector<Value>& values) {
  ListWriter writer{graph, region, beside};
  KeptPlaces layout(values);
  std::vector<Value> lists;
  for (const auto& entry : layout.by_type) {
    SL_ASSIGN_OR_RETURN(Value list, writer.New(entry.first));
    for (const Value& v : values) {
      if (v.dtype() != entry.first) continue;
      SL_ASSIGN_OR_RETURN(list, writer.Add("ListAppend", {list, v}));
    }
    lists.push_back(list);
  }
  for (const Value& v : values) {
    if (v.dtype() == DType::kList) lists.push_back(v);
  }
  SL_ASSIGN_OR_RETURN(Value kept, writer.New(DType::kList));
  for (const Value& list : lists) {
    SL_ASSIGN_OR_RETURN(kept, writer.Add("ListAppend", {kept, list}));
  }
  return kept;
}

Result<std::vector<Value>> ReadKept(Graph& graph, Region& region,
                                    const Node& beside, Value list,
                                    const std::vector<Value>& values) {
  ListWriter writer{graph, region, beside};
  KeptPlaces layout(values);
  std::vector<Value> lists, read;
  for (const auto& entry : layout.by_type) {
    SL_ASSIGN_OR_RETURN(
        Value of_type, writer.Get(list, entry.second, {DType::kList, Shape()}));
    lists.push_back(of_type);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const KeptPlaces::Place& place = layout.places[i];
    Value from = place.list < 0 ? list : lists[static_cast<size_t>(place.list)];
    SL_ASSIGN_OR_RETURN(Value v, writer.Get(from, place.at, values[i].type()));
    read.push_back(v);
  }
  return read;
}

}  // namespace sluice
