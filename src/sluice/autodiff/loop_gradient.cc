// The gradient of a loop is a loop with the same number of iterations, run
// backwards. The forward loop additionally counts its iterations and stores, in
// lists it carries, the residuals of its body's gradient. The backward loop
// reads them by index, carries the gradients of carried values, and accumulates
// those of captures. Both are ordinary loops, so they are differentiable too.
#include <algorithm>

#include "sluice/autodiff/flow_back.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/list_sums.h"
#include "sluice/autodiff/loop_carries.h"
#include "sluice/autodiff/loop_checkpoints.h"
#include "sluice/autodiff/loop_extension.h"
#include "sluice/autodiff/loop_residuals.h"
#include "sluice/autodiff/loop_sums.h"
#include "sluice/autodiff/save_choice.h"
#include "sluice/autodiff/save_on_host.h"
#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"

namespace sluice {

namespace {

class Backwards {
 public:
  explicit Backwards(const RegionGradient& at)
      : at_(at),
        graph_(at.graph),
        loop_(at.node),
        body_(*at.node.regions()[1]),
        hoist_(at.flow.hoist() && !SavesOnHost(at.node)) {}

  Status Run() {
    active_ = ActiveCarries(body_, at_.dy);
    std::vector<Value> xs;
    for (int i : active_) xs.push_back(body_.arg(i));
    captures_ = WantedCaptures(loop_, at_.wanted);
    SL_ASSIGN_OR_RETURN(
        InnerGradient inner,
        InnerGradient::Compute(graph_, body_, active_, xs, captures_, hoist_));
    bool wanted = false;
    for (const auto& parts : inner.parts()) wanted = wanted || !parts.empty();
    for (int i : active_) wanted = wanted || at_.wanted.count(loop_.input(i));
    Status status = wanted ? AddBackwards(inner) : OkStatus();
    inner.Drop();
    return status;
  }

 private:
  Status AddBackwards(InnerGradient& inner) {
    for (size_t i = 0; i < active_.size(); ++i) {
      if (!inner.gradients()[i]) SL_RETURN_IF_ERROR(inner.UseZeros(i));
    }
    LoopSums sums(graph_, loop_, inner, captures_, hoist_);
    SL_RETURN_IF_ERROR(sums.Plan());
    inner.Want(sums.Wanted());
    LoopResiduals residuals(graph_, loop_, at_.region);
    SL_RETURN_IF_ERROR(residuals.Keep(inner, sums.collected()));
    return AddLoop(inner, sums, residuals);
  }

  Result<Node*> Add(Region& region, std::string_view op,
                    std::vector<Value> inputs, const Attrs& attrs = {}) {
    return AddBeside(graph_, region, loop_, op, inputs, attrs);
  }

  Result<Value> Number(Region& region, int64_t n) {
    SL_ASSIGN_OR_RETURN(
        Node * node,
        Add(region, "Const", {}, {{"value", Array::Scalar<int64_t>(n)}}));
    return node->output();
  }

  // The values collected for sums during the backward loop; the forward loop
  // has stored the others.
  static std::vector<Value> Listed(const InnerGradient& inner,
                                   const LoopSums& sums) {
    std::vector<Value> listed;
    for (const Value& v : sums.collected()) {
      if (!inner.Inside(v)) listed.push_back(v);
    }
    return listed;
  }

  // The initial values of the backward loop: the number of iterations, the
  // gradients of the final values, and zeros for captures.
  Result<std::vector<Value>> Starts(const LoopSums& sums,
                                    const std::vector<Value>& listed,
                                    Value trips) {
    std::vector<Value> starts = {trips};
    for (int i : active_) {
      Value dy = at_.dy[static_cast<size_t>(i)];
      if (!dy) {
        SL_ASSIGN_OR_RETURN(dy, ZerosOf(graph_, at_.region, loop_.output(i)));
      }
      starts.push_back(dy);
    }
    for (const LoopSums::Carried& sum : sums.carried()) {
      const Value& like = sum.to ? sum.to : sum.parts[0].dense;
      SL_ASSIGN_OR_RETURN(Value zeros, ZerosOf(graph_, at_.region, like));
      starts.push_back(zeros);
    }
    for (const Value& v : listed) {
      SL_ASSIGN_OR_RETURN(Node * list,
                          Add(at_.region, "ListNew", {trips},
                              {{"dtype", v.dtype()}, {"shape", v.shape()}}));
      starts.push_back(list->output());
    }
    return starts;
  }

  Status AddLoop(InnerGradient& inner, LoopSums& sums,
                 LoopResiduals& residuals) {
    Value trips = residuals.trips();
    std::vector<Value> listed = Listed(inner, sums);
    SL_ASSIGN_OR_RETURN(std::vector<Value> starts, Starts(sums, listed, trips));
    std::vector<ValueType> types = {trips.type()};
    for (int i : active_) types.push_back(body_.arg(i).type());
    for (const auto& sum : sums.carried()) types.push_back(sum.type());
    for (size_t k = types.size(); k < starts.size(); ++k) {
      types.push_back(starts[k].type());
    }
    std::vector<DType> dtypes;
    for (const ValueType& type : types) dtypes.push_back(type.dtype);
    SL_ASSIGN_OR_RETURN(
        Node * back,
        Add(at_.region, loop_.op().name, starts,
            {{"dtypes", dtypes},
             {"parallel", loop_.attrs().get<int64_t>("parallel")}}));
    std::vector<Region*> regions;
    for (const char* label : {"cond", "body"}) {
      SL_ASSIGN_OR_RETURN(Region * region, graph_.AddRegion(*back, label));
      regions.push_back(region);
      for (size_t i = 0; i < types.size(); ++i) {
        std::string name = i == 0 ? "left" : StrCat("d", i);
        SL_RETURN_IF_ERROR(graph_.AddArg(*region, name, types[i]).status());
      }
    }
    SL_ASSIGN_OR_RETURN(Value zero, Number(*regions[0], 0));
    SL_ASSIGN_OR_RETURN(
        Node * more, Add(*regions[0], "Greater", {regions[0]->arg(0), zero}));
    graph_.SetResults(*regions[0], {more->output()});
    SL_RETURN_IF_ERROR(FillBody(*regions[1], inner, sums, listed, residuals));
    graph_.SetOutputs(*back, std::move(types));

    int next = 1;
    for (int i : active_) {
      Value init = loop_.input(i), gradient = back->output(next++);
      if (at_.wanted.count(init)) at_.flow.Add(init, gradient);
    }
    LoopSums::Results results;
    results.trips = trips;
    for (size_t k = 0; k < sums.carried().size(); ++k) {
      results.carried.push_back(back->output(next++));
    }
    for (const Value& v : sums.collected()) {
      results.lists.push_back(inner.Inside(v) ? residuals.list(v)
                                              : back->output(next++));
    }
    return sums.Flow(results, at_.region, at_.flow);
  }

  Status FillBody(Region& body, InnerGradient& inner, const LoopSums& sums,
                  const std::vector<Value>& listed, LoopResiduals& residuals) {
    SL_ASSIGN_OR_RETURN(Value one, Number(body, 1));
    SL_ASSIGN_OR_RETURN(Node * at, Add(body, "Sub", {body.arg(0), one}));
    Graph::ValueMap map;
    for (size_t k = 0; k < active_.size(); ++k) {
      map[inner.stand_ins()[k]] = body.arg(static_cast<int>(1 + k));
    }
    SL_RETURN_IF_ERROR(
        residuals.Read(body, at->output(), /*next=*/body.arg(0), map));
    inner.CopyTo(body, map);
    auto here = [&](const Value& v) {
      auto it = map.find(v);
      return it == map.end() ? v : it->second;
    };
    std::vector<Value> results = {at->output()};
    for (const Value& g : inner.gradients()) results.push_back(here(g));
    for (const LoopSums::Carried& sum : sums.carried()) {
      Value total = body.arg(static_cast<int>(results.size()));
      for (const GradPart& part : sum.parts) {
        SL_ASSIGN_OR_RETURN(
            total,
            PlusPart(body, total,
                     part.rows()
                         ? GradPart{{}, here(part.indices), here(part.values)}
                         : GradPart{here(part.dense), {}, {}}));
      }
      results.push_back(total);
    }
    for (const Value& v : listed) {
      SL_ASSIGN_OR_RETURN(Node * list,
                          Add(body, "ListSet",
                              {body.arg(static_cast<int>(results.size())),
                               at->output(), here(v)}));
      results.push_back(list->output());
    }
    graph_.SetResults(body, std::move(results));
    return OkStatus();
  }

  // Rows are added in place: the rest of the sum is not accessed.
  Result<Value> PlusPart(Region& body, Value total, const GradPart& part) {
    if (total.dtype() == DType::kList) {
      return AddListGradient(graph_, body, total, part.dense);
    }
    std::vector<Value> in = {total, part.dense};
    std::string_view op = "Add";
    if (part.rows()) {
      op = "IndexAdd";
      in = {total, part.indices, part.values};
    }
    SL_ASSIGN_OR_RETURN(Node * sum, Add(body, op, in));
    return sum->output();
  }

  const RegionGradient& at_;
  Graph& graph_;
  Node& loop_;
  Region& body_;
  // Sums after the loop would copy all residuals back at once.
  const bool hoist_;
  std::vector<int> active_;
  std::vector<Value> captures_;
};

}  // namespace

Status LoopGradient(const RegionGradient& at) {
  SL_RETURN_IF_ERROR(ChooseSave(at));
  if (KeepsCheckpoints(at.node)) return CheckpointedGradient(at);
  return Backwards(at).Run();
}

}  // namespace sluice
