#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include "sluice/front/front_test_util.h"

namespace sluice::nn {
namespace {

using Floats = std::vector<float>;
using Names = std::vector<std::string>;

struct Net : Module {
  Linear fc1{3, 4}, fc2{4, 2};
  Net() {
    add("fc1", fc1);
    add("fc2", fc2);
  }
  Tensor forward(Tensor x) override { return fc2(relu(fc1(x))); }
};

Names KeysOf(const Module& module) {
  Names keys;
  for (const auto& [name, tensor] : module.state_dict()) keys.push_back(name);
  return keys;
}

TEST(Module, NamesItsParametersAsPyTorchDoes) {
  Net net;
  EXPECT_EQ(KeysOf(net),
            (Names{"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"}));
  EXPECT_EQ(net.fc1.weight.shape().ToString(), "[4,3]");
  EXPECT_EQ(net.num_parameters(), 4 * 3 + 4 + 2 * 4 + 2);
  ASSERT_EQ(net.parameters().size(), 4u);
  for (const Tensor& p : net.parameters()) EXPECT_TRUE(p.requires_grad());
  EXPECT_EQ(net.named_modules()[2].first, "fc2");
  EXPECT_EQ(&net.submodule("fc2"), &net.fc2);
  EXPECT_EQ(&net.submodule(""), &net);
  Contains(ErrorOf([&] { net.submodule("fc3.x"); }),
           "Net: no module \"fc3.x\"; Net() has fc1, fc2");
}

TEST(Module, PrintsItsTree) {
  struct Outer : Module {
    Net net;
    Sequential rest{make<Linear>(2, 1, LinearOptions{.bias = false}),
                    make<Tanh>()};
    Outer() {
      add("net", net);
      add("rest", rest);
    }
  } outer;
  EXPECT_EQ(outer.ToString(),
            "Outer(\n"
            "  (net): Net(\n"
            "    (fc1): Linear(3, 4)\n"
            "    (fc2): Linear(4, 2)\n"
            "  )\n"
            "  (rest): Sequential(\n"
            "    (0): Linear(2, 1, bias=false)\n"
            "    (1): Tanh()\n"
            "  )\n"
            ")");
  EXPECT_EQ(outer.net.fc2.path(), "net.fc2");
  EXPECT_EQ(outer.rest[1].path(), "rest.1");
  EXPECT_EQ(outer.path(), "");
}

TEST(Module, RefusesBadNames) {
  Net net;
  Linear more{2, 2};
  auto text = [&](std::string_view name) {
    return ErrorOf([&] { net.add(name, more); });
  };
  Contains(text(""), "Net: the name of a module is \"\"; wanted a name");
  Contains(text("a.b"), "wanted one without dots");
  Contains(text("fc1"), "module \"fc1\" is there already");
  Sequential inner, outer;
  outer.add("inner", inner);
  Contains(ErrorOf([&] { inner.add("outer", outer); }),
           "contains the module it is added to");
  Contains(ErrorOf([&] { inner.add("self", inner); }),
           "contains the module it is added to");
  Contains(ErrorOf([&] { inner.add("x", std::shared_ptr<Module>()); }),
           "is null");
  Contains(ErrorOf([&] { net.add_parameter("fc1", ones({2})); }),
           "has the name of a module");
  Contains(ErrorOf([&] { net.add_parameter("p", Tensor()); }),
           "parameter \"p\" holds nothing");
  Contains(ErrorOf([&] { net.add_buffer("b", Tensor()); }), "holds nothing");
}

TEST(Module, AChildMayGoFirst) {
  Sequential net;
  {
    Linear short_lived{2, 2};
    net.add("gone", short_lived);
    EXPECT_EQ(net.parameters().size(), 2u);
  }
  EXPECT_TRUE(net.parameters().empty());
  std::shared_ptr<Linear> kept;
  {
    Sequential owner;
    kept = owner.add("kept", make<Linear>(2, 2));
    EXPECT_EQ(kept->path(), "kept");
  }
  EXPECT_EQ(kept->path(), "");
}

TEST(Module, ModesReachEveryModule) {
  Sequential net{make<Dropout>(), make<Sequential>()};
  net.at<Sequential>(1).emplace_back<Dropout>(0.2);
  EXPECT_TRUE(net.training());
  net.eval();
  for (Module* m : net.modules()) EXPECT_FALSE(m->training());
  net.train();
  for (Module* m : net.modules()) EXPECT_TRUE(m->training());
  EXPECT_THROW(net[2], Error);
}

TEST(Module, ARecordedFunctionFollowsTheMode) {
  Sequential net{make<Linear>(4, 4), make<Dropout>(0.5), make<BatchNorm1d>(4)};
  auto f = function([&](Tensor x) { return net(x); });
  Tensor x = reshape(range(0.f, 32.f, 1.f), {8, 4});
  f(x);
  Floats mean = net.at<BatchNorm1d>(2).running_mean.to_vector<float>();
  net.eval();
  Floats wanted = net(x).to_vector<float>();
  EXPECT_EQ(f(x).to_vector<float>(), wanted);
  EXPECT_EQ(net.at<BatchNorm1d>(2).running_mean.to_vector<float>(), mean);
  net.train();
  f(x);
  EXPECT_NE(net.at<BatchNorm1d>(2).running_mean.to_vector<float>(), mean);
  auto traces = f.traces();
  ASSERT_EQ(traces.size(), 2u) << "one for each mode";
  EXPECT_EQ(traces[0].why + traces[1].why,
            "the mode of 1 (Dropout(p=0.5)) is another than in the last trace"
            "the first call");
}

TEST(Module, SharedTensorsCountOnce) {
  struct Tied : Module {
    Embedding table{5, 3};
    Linear head{3, 5, {.bias = false}};
    Tied() {
      add("table", table);
      add("head", head);
      head.weight = head.add_parameter("weight", table.weight);
    }
    Tensor forward(Tensor ids) override { return head(table(ids)); }
  } net;
  EXPECT_EQ(net.parameters().size(), 1u);
  EXPECT_EQ(net.num_parameters(), 15);
  EXPECT_EQ(KeysOf(net), (Names{"table.weight", "head.weight"}));
  sum(net(constant({1, 2}))).backward();
  EXPECT_TRUE(net.table.weight.grad().defined());
}

TEST(Module, GradientsFreezeAndGo) {
  Net net;
  net.fc1.requires_grad_(false);
  sum(net(ones({2, 3}))).backward();
  EXPECT_FALSE(net.fc1.weight.grad().defined());
  EXPECT_TRUE(net.fc2.weight.grad().defined());
  net.zero_grad();
  for (const Tensor& p : net.parameters()) {
    if (!p.grad().defined()) continue;
    for (float v : p.grad().to_vector<float>()) EXPECT_EQ(v, 0);
  }
  int count = 0;
  net.apply([&](Module& m) { count += dynamic_cast<Linear*>(&m) ? 1 : 10; });
  EXPECT_EQ(count, 12);
}

TEST(Module, HooksSeeAndReplaceResults) {
  Net net;
  std::string seen;
  int id = net.fc1.register_forward_hook([&](Module& m, const Tensor& y) {
    seen = m.path() + " " + y.shape().ToString();
    return y * 0;
  });
  Tensor y = net(ones({2, 3}));
  EXPECT_EQ(seen, "fc1 [2,4]");
  Floats bias = net.fc2.bias.to_vector<float>();
  EXPECT_EQ(y.to_vector<float>(), (Floats{bias[0], bias[1], bias[0], bias[1]}));
  net.fc1.remove_forward_hook(id);
  seen.clear();
  net(ones({2, 3}));
  EXPECT_EQ(seen, "");
}

TEST(Module, ErrorsNameTheModule) {
  struct Outer : Module {
    Net net;
    ModuleList layers{make<Linear>(2, 7)};
    Outer() {
      add("net", net);
      add("layers", layers);
    }
    Tensor forward(Tensor x) override { return layers[0](net(x)); }
  } outer;
  std::string text = ErrorOf([&] { outer(ones({2, 5})); });
  Contains(text, "linear: x is f32[2,5]; wanted a last axis of 3");
  Contains(text, "module_test.cc:");
  Contains(text, "in net.fc1 (Linear(3, 4))");
  EXPECT_EQ(text.find("in net ("), text.npos) << text;
  int id = outer.net.fc2.register_forward_hook(
      [](Module&, const Tensor& y) { return concat({y, y}, {.axis = 1}); });
  Contains(ErrorOf([&] { outer(ones({2, 3})); }), "in layers.0 (Linear(2, 7))");
  outer.net.fc2.remove_forward_hook(id);
  // What a plan finds out when it runs has the path in its node's name.
  auto f = function([&](Tensor x) { return outer(x); });
  Contains(ErrorOf([&] { f(ones({2, 5})); }), "net/fc1/");
  struct None : Module {
  } none;
  Contains(ErrorOf([&] { none(ones({2})); }),
           "None: it has no forward of one tensor");
}

TEST(Module, LoadsWhatItSaved) {
  manual_seed(1);
  Net from, to;
  EXPECT_NE(from.fc1.weight.to_vector<float>(),
            to.fc1.weight.to_vector<float>());
  Tensor x = constant({{1.f, -2.f, 3.f}});
  auto f = function([&](Tensor v) { return to(v); });
  f(x);
  EXPECT_TRUE(to.load_state_dict(from.state_dict()).clean());
  Floats wanted = from(x).to_vector<float>();
  EXPECT_EQ(to(x).to_vector<float>(), wanted);
  EXPECT_EQ(f(x).to_vector<float>(), wanted) << "the recorded one, too";
  EXPECT_TRUE(to.fc1.weight.is_leaf());
  EXPECT_TRUE(to.fc1.weight.requires_grad());
}

TEST(Module, SaysHowStatesDiffer) {
  Net net;
  Floats before = net.fc1.bias.to_vector<float>();
  StateDict state{{"fc1.weight", ones({4, 5})},
                  {"fc1.bias", ones({4})},
                  {"fc2.weight", ones({2, 4}, DType::kF64)},
                  {"fc9.weight", ones({1})}};
  std::string text = ErrorOf([&] { net.load_state_dict(state); });
  EXPECT_EQ(text,
            "Net: the state is of another model; nothing was loaded\n"
            "4 of 5 tensors do not fit: 1 missing, 1 extra, 2 mismatched\n"
            "  name        problem     got       wanted\n"
            "  fc2.bias    missing     -         f32[2]\n"
            "  fc9.weight  extra       f32[1]    -\n"
            "  fc1.weight  mismatched  f32[4,5]  f32[4,3]\n"
            "  fc2.weight  mismatched  f64[2,4]  f32[2,4]");
  EXPECT_EQ(net.fc1.bias.to_vector<float>(), before);
  io::KeyReport report = net.load_state_dict(state, {.strict = false});
  EXPECT_EQ(report.missing[0].name, "fc2.bias");
  EXPECT_EQ(report.extra[0].name, "fc9.weight");
  ASSERT_EQ(report.mismatched.size(), 2u);
  EXPECT_EQ(report.mismatched[1].name, "fc2.weight");
  EXPECT_EQ(net.fc1.bias.to_vector<float>(), Floats(4, 1));
}

}  // namespace
}  // namespace sluice::nn
