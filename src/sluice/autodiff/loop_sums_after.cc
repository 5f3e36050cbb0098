// The nodes that LoopSums adds after the backward loop.
#include <algorithm>

#include "sluice/autodiff/loop_sums.h"
#include "sluice/graph/role_of.h"

namespace sluice {

namespace {

// x[t]: a slice per iteration. Those of a sequence are all of it, so the sum is
// no smaller as rows; what is looked up by many indices at once, as in a table,
// stays rows.
bool OneByOne(const GradPart& part) {
  const Node& node = *part.indices.node;
  return RoleOf(node) == Role::kReshape && node.input(0).shape().rank() == 0;
}

Result<Value> DenseRows(Graph& graph, Region& region, const Value& to,
                        const Value& indices, const Value& rows) {
  SL_ASSIGN_OR_RETURN(Node * shape,
                      AddBeside(graph, region, *to.node, "Shape", {&to, 1}));
  Value in[] = {rows, indices, shape->output()};
  SL_ASSIGN_OR_RETURN(Node * dense,
                      AddBeside(graph, region, *to.node, "GatherGrad", in));
  return dense->output();
}

}  // namespace

// Whether the rows of no iterations have a known size, too.
bool LoopSums::SizesKnown(const Left& left) const {
  for (const Value& v : left.reads) {
    PartialShape shape = v.shape();
    if (!shape.rank_known() || shape.rank() == 0) return false;
    shape.set_dim(0, 0);
    if (!shape.fully_known()) return false;
  }
  return true;
}

// Whether it reads nothing of the body's own that an iteration alone is sure to
// have: the fourth element of a weight that has three, say, where none ran. Nor
// may it need sizes that fit only where one did.
bool LoopSums::OnlySurelyThere(const Left& left) const {
  ValueSet met(left.reads.begin(), left.reads.end());
  for (const Carried& c : carried_) {
    if (!c.to) met.insert(c.parts[0].dense);
  }
  std::vector<Value> open;
  auto visit = [&](const Value& v) {
    if (v && v.node->region() == &body_ && met.insert(v).second) {
      open.push_back(v);
    }
  };
  for (const Value& v :
       {left.part.dense, left.part.indices, left.part.values}) {
    visit(v);
  }
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    bool looks = inner_.Inside(v) && v.node->op().view;
    for (const Value& in : v.node->inputs()) {
      if (looks && !in.shape().fully_known()) return false;
      bool sizes = !in.node->is_args() && in.node->op().shape_only;
      if (sizes && !v.shape().fully_known()) return false;
      visit(in);
    }
  }
  return true;
}

Result<std::vector<Value>> LoopSums::Compute(const std::vector<Left>& left,
                                             const Results& results,
                                             Region& region) {
  Graph::ValueMap map;
  Graph::NodeMap nodes;
  for (size_t k = 0; k < carried_.size(); ++k) {
    if (!carried_[k].to) map[carried_[k].parts[0].dense] = results.carried[k];
  }
  for (const Left& l : left) {
    for (const Value& v : l.reads) {
      if (map.count(v)) continue;
      auto at = std::find(collected_.begin(), collected_.end(), v);
      Value list = results.lists[static_cast<size_t>(at - collected_.begin())];
      SL_ASSIGN_OR_RETURN(
          Node * all, AddBeside(graph_, region, loop_, "ListConcat", {&list, 1},
                                {{"dtype", v.dtype()}, {"shape", v.shape()}}));
      map[v] = all->output();
    }
  }
  auto outside = [&](auto& self, Value v) -> Value {
    if (auto it = rewritten_.find(v); it != rewritten_.end()) v = it->second;
    if (auto it = map.find(v); it != map.end()) return it->second;
    if (v.node->region() != &body_) return v;
    for (const Value& in : v.node->inputs()) map[in] = self(self, in);
    graph_.CopyNode(*v.node, region, map, nodes);
    return map.at(v);
  };
  std::vector<Value> values;
  for (const Left& l : left) {
    for (const Value& v : {l.part.dense, l.part.indices, l.part.values}) {
      if (v) values.push_back(outside(outside, v));
    }
  }
  return values;
}

// The same when there was no iteration.
Result<std::vector<Value>> LoopSums::Nothing(const std::vector<Left>& left,
                                             Region& region) {
  std::vector<Value> values;
  for (const Left& l : left) {
    Value to = captures_[l.capture];
    if (!l.part.rows()) {
      SL_ASSIGN_OR_RETURN(Value zeros, ZerosOf(graph_, region, to));
      values.push_back(zeros);
      continue;
    }
    SL_ASSIGN_OR_RETURN(
        Node * none,
        AddBeside(graph_, region, loop_, "Const", {},
                  {{"value", Array::Zeros(l.part.indices.dtype(), {0})}}));
    std::vector<int64_t> zero = {0}, one = {1};
    SL_ASSIGN_OR_RETURN(
        Node * rows,
        AddBeside(graph_, region, loop_, "StridedSlice", {&to, 1},
                  {{"begin", zero}, {"end", zero}, {"strides", one}}));
    values.push_back(none->output());
    values.push_back(rows->output());
  }
  return values;
}

// What has unknown sizes is computed only where there was an iteration to tell
// them.
Result<std::vector<Value>> LoopSums::WhereItRan(const std::vector<Left>& left,
                                                const Results& results,
                                                Region& region) {
  SL_ASSIGN_OR_RETURN(Node * zero,
                      AddBeside(graph_, region, loop_, "Const", {},
                                {{"value", Array::Scalar<int64_t>(0)}}));
  Value in[] = {results.trips, zero->output()};
  SL_ASSIGN_OR_RETURN(Node * ran,
                      AddBeside(graph_, region, loop_, "Greater", in));
  std::vector<ValueType> types;
  std::vector<DType> dtypes;
  for (const Left& l : left) {
    const ValueType& to = captures_[l.capture].type();
    if (l.part.rows()) {
      PartialShape rows = to.shape;
      if (rows.rank_known()) rows.set_dim(0, kUnknownDim);
      types.push_back({l.part.indices.dtype(), PartialShape::OfRank(1)});
      types.push_back({to.dtype, rows});
    } else {
      types.push_back(to);
    }
  }
  for (const ValueType& type : types) dtypes.push_back(type.dtype);
  Value pred = ran->output();
  SL_ASSIGN_OR_RETURN(Node * node, AddBeside(graph_, region, loop_, "If",
                                             {&pred, 1}, {{"dtypes", dtypes}}));
  SL_ASSIGN_OR_RETURN(Region * then, graph_.AddRegion(*node, "then"));
  SL_ASSIGN_OR_RETURN(std::vector<Value> some, Compute(left, results, *then));
  graph_.SetResults(*then, std::move(some));
  SL_ASSIGN_OR_RETURN(Region * otherwise, graph_.AddRegion(*node, "else"));
  SL_ASSIGN_OR_RETURN(std::vector<Value> none, Nothing(left, *otherwise));
  graph_.SetResults(*otherwise, std::move(none));
  auto count = static_cast<int>(types.size());
  graph_.SetOutputs(*node, std::move(types));
  std::vector<Value> values;
  for (int i = 0; i < count; ++i) values.push_back(node->output(i));
  return values;
}

Status LoopSums::Flow(const Results& results, Region& region, GradFlow& flow) {
  for (size_t k = 0; k < carried_.size(); ++k) {
    if (carried_[k].to) flow.Add(carried_[k].to, results.carried[k]);
  }
  std::vector<Left> sure, unsure;
  for (const Left& l : left_) {
    (SizesKnown(l) && OnlySurelyThere(l) ? sure : unsure).push_back(l);
  }
  SL_ASSIGN_OR_RETURN(std::vector<Value> values,
                      Compute(sure, results, region));
  if (!unsure.empty()) {
    SL_ASSIGN_OR_RETURN(std::vector<Value> more,
                        WhereItRan(unsure, results, region));
    values.insert(values.end(), more.begin(), more.end());
    sure.insert(sure.end(), unsure.begin(), unsure.end());
  }
  size_t next = 0;
  for (const Left& l : sure) {
    const Value& to = captures_[l.capture];
    if (l.part.rows()) {
      Value indices = values[next], rows = values[next + 1];
      next += 2;
      if (!OneByOne(l.part)) {
        flow.AddRows(to, indices, rows);
        continue;
      }
      SL_ASSIGN_OR_RETURN(Value dense,
                          DenseRows(graph_, region, to, indices, rows));
      flow.Add(to, dense);
    } else {
      flow.Add(to, values[next++]);
    }
  }
  return OkStatus();
}

}  // namespace sluice
