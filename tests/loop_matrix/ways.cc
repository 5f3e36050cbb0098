#include "tests/loop_matrix/ways.h"

#include "sluice/op/resource.h"
#include "sluice/passes/prune.h"
#include "sluice/reference/reference_interpreter.h"

namespace sluice::loop_matrix {

namespace {

constexpr uint64_t kSeed = 11;

Tensor Leaf(const Array& a) {
  return Tensor(MakeRef<EagerValue>(*a.Clone())).requires_grad_();
}

Arrays Elements(const Tensors& tensors) {
  Arrays arrays;
  for (const Tensor& t : tensors) arrays.push_back(t.array());
  return arrays;
}

// <direction, gradient>.
Tensor Along(const Tensors& gradient) {
  Tensor total;
  for (size_t i = 0; i < gradient.size(); ++i) {
    Tensor part = sum(gradient[i] * constant(Direction()[i]));
    total = total.defined() ? total + part : part;
  }
  return total;
}

GradOptions Recorded() {
  return {.zeros_when_unconnected = true, .create_graph = true, .dense = true};
}
GradOptions Plain() { return {.zeros_when_unconnected = true, .dense = true}; }

// The imperative surroundings of a program at one point. `args` are x and w, or
// x and the tensor of a variable.
Around Surroundings(const Cell& cell, const Tensors& args) {
  Around a;
  a.x = args[0];
  if (cell.uses_variables()) {
    a.v = Variable(args[1]);
    a.count = variable(constant(int64_t{0}));
  } else {
    a.w = args[1];
  }
  return a;
}

Tensors Directions() {
  return {constant(Direction()[0]), constant(Direction()[1])};
}

}  // namespace

const Arrays& Direction() {
  static const auto* direction =
      new Arrays{Array::Of<double>({1, 2}, {.7, -.4}),
                 Array::Of<double>({2, 2}, {.2, .9, -.5, .3})};
  return *direction;
}

Way Imperative(const Cell& cell, bool written_out, bool positive) {
  auto run = [=](const Tensors& args) {
    Around a = Surroundings(cell, args);
    a.written_out = written_out;
    a.positive = positive;
    return cell.Run(a);
  };
  return {written_out ? "imperatively, written out" : "imperatively",
          [=](const Arrays& at, Order order) {
            Derivatives d;
            Tensors leaves = {Leaf(at[0]), Leaf(at[1])};
            manual_seed(kSeed);
            Tensor y = run(leaves);
            d.value = y.array();
            if (order == Order::kFirst) {
              y.backward();
              for (const Tensor& leaf : leaves) {
                d.first.push_back(
                    leaf.grad().defined()
                        ? leaf.grad().to_dense().array()
                        : Array::Zeros(DType::kF64, leaf.array().shape()));
              }
              return d;
            }
            Tensors first = gradients({y}, leaves, Recorded());
            d.first = Elements(first);
            d.second = Elements(gradients({Along(first)}, leaves, Plain()));
            manual_seed(kSeed);
            d.hvp =
                Elements(hvp([&](const Tensors& x) { return Tensors{run(x)}; },
                             {Leaf(at[0]), Leaf(at[1])}, Directions()));
            return d;
          }};
}

namespace {

// One captured program and what it reads, which keep their place from call to
// call. The first argument is passed, and the second, unless it is a variable.
struct Captured {
  Cell cell;
  Variable v, count;
  std::function<Tensors(const Tensors&)> call, call_second;

  Captured(const Cell& c, bool writes) : cell(c) {
    if (!cell.uses_variables()) return;
    v = variable(constant(Array::Zeros(DType::kF64, {2, 2})));
    if (writes) count = variable(constant(int64_t{0}));
  }
  Tensor Run(const Tensors& args) const {
    Around a;
    a.x = args[0];
    if (v.defined()) {
      a.v = v;
      a.count = count;
    } else {
      a.w = args[1];
    }
    return cell.Run(a);
  }
  // What derivatives are taken for.
  Tensors Targets(const Tensors& args) const {
    return {args[0], v.defined() ? v.tensor() : args[1]};
  }
  Tensors Leaves(const Arrays& at) const {
    Tensors leaves = {Leaf(at[0])};
    if (v.defined()) {
      v.assign(constant(at[1]));
      if (count.defined()) count.assign(int64_t{0});
      v.tensor().zero_grad();
    } else {
      leaves.push_back(Leaf(at[1]));
    }
    manual_seed(kSeed);
    return leaves;
  }
};

}  // namespace

// What writes is a step of its own and has no gradient from outside.
Way CapturedFromOutside(const Cell& cell) {
  auto captured = std::make_shared<Captured>(cell, false);
  captured->call = function(
      [c = captured.get()](Tensors args) { return Tensors{c->Run(args)}; });
  return {"captured",
          [=](const Arrays& at, Order order) {
            Derivatives d;
            Tensors args = captured->Leaves(at);
            Tensors leaves = captured->Targets(args);
            Tensor y = captured->call(args)[0];
            d.value = y.array();
            if (order == Order::kFirst) {
              y.backward();
              for (const Tensor& leaf : leaves) {
                d.first.push_back(
                    leaf.grad().defined()
                        ? leaf.grad().to_dense().array()
                        : Array::Zeros(DType::kF64, leaf.array().shape()));
              }
              return d;
            }
            Tensors first = gradients({y}, leaves, Recorded());
            d.first = Elements(first);
            d.second = Elements(gradients({Along(first)}, leaves, Plain()));
            return d;
          },
          false};
}

Way CapturedFromInside(const Cell& cell) {
  // Nor may the code of a recursion write tensors around it.
  auto captured =
      std::make_shared<Captured>(cell, cell.kind.name != "recursion");
  captured->call = function([c = captured.get()](Tensors args) {
    Tensor y = c->Run(args);
    Tensors results = {y};
    for (const Tensor& g : gradients({y}, c->Targets(args), Plain())) {
      results.push_back(g);
    }
    return results;
  });
  captured->call_second = function([c = captured.get()](Tensors args) {
    Tensors targets = c->Targets(args);
    Tensors first = gradients({c->Run(args)}, targets, Recorded());
    return gradients({Along(first)}, targets, Plain());
  });
  return {"captured with its gradient",
          [=](const Arrays& at, Order order) {
            Derivatives d;
            Arrays results = Elements(captured->call(captured->Leaves(at)));
            d.value = results[0];
            d.first = {results[1], results[2]};
            if (order == Order::kFirst) return d;
            d.second = Elements(captured->call_second(captured->Leaves(at)));
            return d;
          },
          captured->count.defined()};
}

struct Program {
  Graph graph;
  Tensors inputs;
  Variable v, count;
  Operation set;  // the variables
  Tensors first_order, all, hvp_;

  Program(const Cell& cell, const ProgramOptions& options) {
    GraphScope building(graph);
    PartialShape x({1, 2}), w({2, 2});
    if (!options.shapes_known) {
      x = PartialShape::OfRank(2);
      w = PartialShape::OfRank(2);
    }
    inputs = {placeholder(DType::kF64, x), placeholder(DType::kF64, w)};
    Around a;
    a.x = inputs[0];
    a.written_out = options.written_out;
    a.positive = options.positive;
    a.save = options.save;
    Tensors targets = inputs;
    if (cell.uses_variables()) {
      a.v = v = variable(DType::kF64, w, "v");
      count = variable(DType::kI64, Shape(), "count");
      if (options.counts) a.count = count;
      Operation zero = count.assign(int64_t{0});
      ControlScope after({zero});
      set = v.assign(inputs[1]);
      targets[1] = v.handle();
    } else {
      a.w = inputs[1];
    }
    Tensor y = cell.Run(a);
    Tensors first = gradients({y}, targets, Plain());
    all = first_order = {y, first[0], first[1]};
    for (const Tensor& t : gradients({Along(first)}, targets, Plain())) {
      all.push_back(t);
    }
    // Run once more, it would draw other numbers.
    if (!options.hvp || cell.draws()) return;
    hvp_ = hvp(
        [&](const Tensors& points) {
          Around at = a;
          at.x = points[0];
          if (!cell.uses_variables()) at.w = points[1];
          return Tensors{cell.Run(at)};
        },
        targets, Directions());
  }
};

std::shared_ptr<Program> MakeProgram(const Cell& cell,
                                     const ProgramOptions& options) {
  return std::make_shared<Program>(cell, options);
}

namespace {

void SetParallel(Graph& graph, Region& region, int64_t parallel) {
  for (Node* node : region.nodes()) {
    if (node->op().flow == Flow::kLoop) {
      graph.SetAttr(*node, "parallel", parallel);
    }
    for (const auto& inner : node->regions()) {
      SetParallel(graph, *inner, parallel);
    }
  }
}

using Run = std::function<Arrays(const Tensors& fetches, const Arrays& at)>;
Way Running(const std::string& name, std::shared_ptr<Program> program,
            const Run& run) {
  return {name, [=](const Arrays& at, Order order) {
            Derivatives d;
            bool second = order == Order::kSecond;
            Arrays found =
                run(second ? program->all : program->first_order, at);
            d.value = found[0];
            d.first = {found[1], found[2]};
            d.second.assign(found.begin() + 3, found.end());
            if (second && !program->hvp_.empty()) {
              d.hvp = run(program->hvp_, at);
            }
            return d;
          }};
}

}  // namespace

Way Deferred(std::shared_ptr<Program> program, const GraphOptions& options) {
  {
    MutexLock lock(program->graph.mu());
    SetParallel(program->graph, program->graph.root(), options.parallel);
  }
  auto session = std::make_shared<Session>(
      program->graph, SessionOptions{.threads = options.threads});
  RunOptions how;
  how.executor = options.executor;
  how.random = RandomState{kSeed, 1};
  std::string name = "graph, executor " +
                     std::to_string(static_cast<int>(options.executor)) +
                     ", threads " + std::to_string(options.threads) +
                     ", parallel " + std::to_string(options.parallel);
  return Running(name, program, [=](const Tensors& fetches, const Arrays& at) {
    Feeds feeds = {{program->inputs[0], at[0]}, {program->inputs[1], at[1]}};
    if (program->set) session->run(program->set, feeds);
    return session->run(std::vector<Fetch>(fetches.begin(), fetches.end()),
                        feeds, {}, how);
  });
}

Way Interpreted(std::shared_ptr<Program> program) {
  auto run = [=](const Tensors& outputs, const Arrays& at) {
    std::vector<Value> feeds, fetches;
    for (const Tensor& t : program->inputs) feeds.push_back(t.value());
    for (const Tensor& t : outputs) fetches.push_back(t.value());
    ResourceManager resources;
    StepContext step;
    step.step_id = 1;
    step.seed = kSeed;
    step.resources = &resources;
    auto interpret = [&](std::span<const Value> what,
                         std::span<Node* const> targets) {
      std::unique_ptr<Graph> pruned =
          ValueOrThrow(Prune(program->graph, feeds, what, targets));
      return ValueOrThrow(Interpret(*pruned, at, step));
    };
    if (program->set) {
      Node* set = &program->set.node();
      interpret({}, {&set, 1});
    }
    return interpret(fetches, {});
  };
  return Running("interpreted", program, run);
}

}  // namespace sluice::loop_matrix
