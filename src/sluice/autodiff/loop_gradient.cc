// The gradient of a loop is a loop that runs as often, backwards. The forward
// loop comes to count its iterations and to keep, in lists it carries, what the
// gradient of its body reads; the backward loop reads them by number, carries
// the gradients of what is carried, and adds up those of what is read from
// around the loop. Both are ordinary loops, so they have gradients themselves.
#include <algorithm>

#include "sluice/autodiff/flow_back.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/list_sums.h"
#include "sluice/autodiff/loop_checkpoints.h"
#include "sluice/autodiff/loop_extension.h"
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
        body_(*at.node.regions()[1]) {}

  Status Run() {
    FindActive();
    std::vector<Value> xs;
    for (int i : active_) xs.push_back(body_.arg(i));
    FindCaptures();
    xs.insert(xs.end(), captures_.begin(), captures_.end());
    SL_ASSIGN_OR_RETURN(InnerGradient inner,
                        InnerGradient::Compute(graph_, body_, active_, xs));
    size_t n = active_.size();
    // What is read around the loop and has a gradient.
    std::vector<size_t> flowing;
    for (size_t i = 0; i < captures_.size(); ++i) {
      if (inner.gradients()[n + i]) flowing.push_back(i);
    }
    bool wanted = !flowing.empty();
    for (int i : active_) wanted = wanted || at_.wanted.count(loop_.input(i));
    if (!wanted) {
      inner.Drop();
      return OkStatus();
    }
    for (size_t i = 0; i < n; ++i) {
      if (!inner.gradients()[i]) SL_RETURN_IF_ERROR(inner.UseZeros(i));
    }
    std::vector<Value> residuals = inner.Residuals();
    LoopExtension extension(graph_, loop_);
    SL_ASSIGN_OR_RETURN(int trips, extension.CountTrips());
    std::vector<int> kept;
    for (const Value& v : residuals) {
      SL_ASSIGN_OR_RETURN(int list, extension.Keep(v));
      kept.push_back(list);
    }
    return AddLoop(inner, flowing, residuals, kept, loop_.output(trips));
  }

 private:
  // Carried values that something flows into, at the end or on the way.
  void FindActive() {
    std::unordered_set<int> active;
    for (size_t i = 0; i < at_.dy.size(); ++i) {
      if (at_.dy[i]) active.insert(static_cast<int>(i));
    }
    for (size_t before = 0; before != active.size();) {
      before = active.size();
      std::vector<Value> open;
      std::unordered_set<Value, ValueHash> seen;
      auto reach = [&](const Value& v) {
        if (CarriesGradient(v) && body_.Encloses(v.node->region()) &&
            seen.insert(v).second) {
          open.push_back(v);
        }
      };
      for (int i : active) reach(body_.results()[static_cast<size_t>(i)]);
      while (!open.empty()) {
        Value v = open.back();
        open.pop_back();
        if (v.node == body_.args_node()) {
          active.insert(v.index);
          continue;
        }
        for (const Value& in : InputsWithCaptures(*v.node)) reach(in);
      }
    }
    active_.assign(active.begin(), active.end());
    std::sort(active_.begin(), active_.end());
  }

  void FindCaptures() {
    std::vector<Value> reads = InputsWithCaptures(loop_);
    for (size_t i = static_cast<size_t>(loop_.num_inputs()); i < reads.size();
         ++i) {
      bool known = std::find(captures_.begin(), captures_.end(), reads[i]) !=
                   captures_.end();
      if (!known && at_.wanted.count(reads[i])) captures_.push_back(reads[i]);
    }
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

  // What the backward loop starts from: how often it runs, what flows into the
  // last values, nothing for what is read around it.
  Result<std::vector<Value>> Starts(const std::vector<size_t>& flowing,
                                    Value trips) {
    std::vector<Value> starts = {trips};
    for (int i : active_) {
      Value dy = at_.dy[static_cast<size_t>(i)];
      if (!dy) {
        SL_ASSIGN_OR_RETURN(dy, ZerosOf(graph_, at_.region, loop_.output(i)));
      }
      starts.push_back(dy);
    }
    for (size_t i : flowing) {
      SL_ASSIGN_OR_RETURN(Value zeros,
                          ZerosOf(graph_, at_.region, captures_[i]));
      starts.push_back(zeros);
    }
    return starts;
  }

  Status AddLoop(InnerGradient& inner, const std::vector<size_t>& flowing,
                 const std::vector<Value>& residuals,
                 const std::vector<int>& kept, Value trips) {
    SL_ASSIGN_OR_RETURN(std::vector<Value> starts, Starts(flowing, trips));
    std::vector<ValueType> types = {trips.type()};
    for (int i : active_) types.push_back(body_.arg(i).type());
    for (size_t i : flowing) types.push_back(captures_[i].type());
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
    SL_RETURN_IF_ERROR(FillBody(*regions[1], inner, flowing, residuals, kept));
    graph_.SetOutputs(*back, std::move(types));

    for (size_t k = 0; k < active_.size(); ++k) {
      Value init = loop_.input(active_[k]);
      if (!at_.wanted.count(init)) continue;
      at_.flow.Add(init, back->output(static_cast<int>(1 + k)));
    }
    for (size_t k = 0; k < flowing.size(); ++k) {
      at_.flow.Add(captures_[flowing[k]],
                   back->output(static_cast<int>(1 + active_.size() + k)));
    }
    return OkStatus();
  }

  Status FillBody(Region& body, InnerGradient& inner,
                  const std::vector<size_t>& flowing,
                  const std::vector<Value>& residuals,
                  const std::vector<int>& kept) {
    SL_ASSIGN_OR_RETURN(Value one, Number(body, 1));
    SL_ASSIGN_OR_RETURN(Node * at, Add(body, "Sub", {body.arg(0), one}));
    Graph::ValueMap map;
    for (size_t k = 0; k < active_.size(); ++k) {
      map[inner.stand_ins()[k]] = body.arg(static_cast<int>(1 + k));
    }
    for (size_t k = 0; k < residuals.size(); ++k) {
      const Value& v = residuals[k];
      SL_ASSIGN_OR_RETURN(
          Node * read,
          Add(body, "ListGet", {loop_.output(kept[k]), at->output()},
              {{"dtype", v.dtype()}, {"shape", v.shape()}}));
      map[v] = read->output();
    }
    std::vector<Value> found = inner.gradients();
    inner.MoveTo(body, map);
    auto here = [&](const Value& v) {
      auto it = map.find(v);
      return it == map.end() ? v : it->second;
    };
    size_t n = active_.size();
    std::vector<Value> results = {at->output()};
    for (size_t k = 0; k < n; ++k) results.push_back(here(found[k]));
    for (size_t k = 0; k < flowing.size(); ++k) {
      Value sum = body.arg(static_cast<int>(1 + n + k));
      Value part = here(found[n + flowing[k]]);
      if (part.dtype() == DType::kList) {
        SL_ASSIGN_OR_RETURN(sum, AddListGradient(graph_, body, sum, part));
      } else {
        SL_ASSIGN_OR_RETURN(Node * add, Add(body, "Add", {sum, part}));
        sum = add->output();
      }
      results.push_back(sum);
    }
    graph_.SetResults(body, std::move(results));
    return OkStatus();
  }

  const RegionGradient& at_;
  Graph& graph_;
  Node& loop_;
  Region& body_;
  std::vector<int> active_;
  std::vector<Value> captures_;
};

}  // namespace

Status LoopGradient(const RegionGradient& at) {
  if (KeepsCheckpoints(at.node)) return CheckpointedGradient(at);
  return Backwards(at).Run();
}

}  // namespace sluice
