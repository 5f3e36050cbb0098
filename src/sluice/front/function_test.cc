#include "sluice/front/front_test_util.h"
#include "sluice/tensor/allocator.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

TEST(Function, RunsTheSameCodeAsAPlan) {
  int recorded = 0;
  auto f = function([&](Tensor x, Tensor y) {
    ++recorded;
    return matmul(x, y) + 1;
  });
  Tensor a = ones({2, 3}), b = ones({3, 4});
  EXPECT_EQ(f(a, b).to_vector<float>(), Floats(8, 4));
  EXPECT_EQ(f(ones({5, 2}), ones({2, 1})).to_vector<float>(), Floats(5, 3));
  EXPECT_EQ(recorded, 1) << "one trace for all sizes";
}

TEST(Function, ATraceSaysWhyItExists) {
  auto f = function([](Tensor x) { return x * 2; });
  f(ones({3}));
  f(ones({4}));
  f(ones({2, 2}));
  f(constant({1, 2}));
  auto traces = f.traces();
  ASSERT_EQ(traces.size(), 3u);
  EXPECT_EQ(traces[0].why, "the first call");
  EXPECT_EQ(traces[0].calls, 2);
  EXPECT_EQ(traces[1].why, "argument 0 is f32[?,?]; the last trace has f32[?]");
  EXPECT_EQ(traces[2].signature, "i32[?]");
}

TEST(Function, TakesListsOfTensors) {
  auto total = function([](const std::vector<Tensor>& parts) {
    Tensor all = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) all = all + parts[i];
    return all;
  });
  EXPECT_EQ(total({ones({2}), ones({2})}).to_vector<float>(), Floats(2, 2));
  EXPECT_EQ(total({ones({1}), ones({1}), ones({1})}).item<float>(), 3);
  ASSERT_EQ(total.traces().size(), 2u);
  EXPECT_EQ(total.traces()[1].why, "3 arguments; the last trace has 2");
}

TEST(Function, ElementwiseUpdatesStayInTheirMemory) {
  Tensor w = ones({300, 7}).clone(), m = zeros({300, 7}).clone();
  auto f = function([&](Tensor g) {
    NoGrad off;
    m.copy_(0.5f * m + g);
    w.sub_(0.1f * m);
  });
  f(ones({300, 7}));
  const void *at_w = w.array().raw(), *at_m = m.array().raw();
  f(ones({300, 7}));
  EXPECT_EQ(w.array().raw(), at_w);
  EXPECT_EQ(m.array().raw(), at_m);
  EXPECT_EQ(m.to_vector<float>(), Floats(2100, 1.5f));
  EXPECT_FLOAT_EQ(w.to_vector<float>()[2099], 0.75f);
}

TEST(Function, OldGradientsMakeRoomForNewOnes) {
  Tensor w = ones({1 << 18}).clone();
  w.requires_grad_();
  auto f = function([&](Tensor x) {
    w.zero_grad();
    sum(w * x).backward();
  });
  f(constant(2.f));
  HostAllocator().ResetPeak();
  int64_t before = HostAllocator().stats().bytes_in_use;
  f(constant(3.f));
  EXPECT_LT(HostAllocator().stats().peak_bytes - before, 1 << 18);
  EXPECT_EQ(w.grad().to_vector<float>()[7], 3);
}

TEST(Function, UpdatesThatReadEachOtherSeeOldElements) {
  std::vector<float> rising(5000);
  for (size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<float>(i);
  Tensor a = constant(rising).clone(), b = ones({5000}).clone();
  auto swap = function([&](Tensor x) {
    Tensor old = a + x;
    a.copy_(b);
    b.copy_(old);
    return a - b;
  });
  for (int i = 0; i < 3; ++i) {
    Floats was_a = a.to_vector<float>(), was_b = b.to_vector<float>();
    Tensor difference = swap(constant(1.f));
    for (size_t k : {size_t{0}, size_t{777}, size_t{4999}}) {
      EXPECT_EQ(a.to_vector<float>()[k], was_b[k]);
      EXPECT_EQ(b.to_vector<float>()[k], was_a[k] + 1);
      EXPECT_EQ(difference.to_vector<float>()[k], was_b[k] - was_a[k] - 1);
    }
  }
}

TEST(Function, WhatIsReadAfterAnUpdateIsNotWrittenOver) {
  Tensor a = ones({5000}).clone();
  auto f = function([&](Tensor x) {
    Tensor was = identity(a);
    a.copy_(a + x);
    return was * a;  // the old elements, after the new ones are made
  });
  EXPECT_EQ(f(constant(2.f)).to_vector<float>(), Floats(5000, 3));
  EXPECT_EQ(f(constant(2.f)).to_vector<float>(), Floats(5000, 15));
}

TEST(Function, AProductIsNotWrittenOverWhatItReads) {
  Tensor w = (ones({300, 300}) * 0.5f).clone();
  Tensor m = zeros({300, 300}).clone();
  auto f = function([&](Tensor x) {
    NoGrad off;
    // Every element of w is read many times, by the product.
    m.copy_(0.5f * m + matmul(x, w));
    w.sub_(0.25f * m);
  });
  Tensor before = w.clone(), x = ones({300, 300});
  f(x);
  Tensor wanted = before - 0.25f * matmul(x, before);
  EXPECT_EQ(w.to_vector<float>(), wanted.to_vector<float>());
}

TEST(Function, TracesAreBounded) {
  auto f = function([](Tensor x) { return x + x; }, {.max_traces = 2});
  for (int rank = 0; rank < 5; ++rank) {
    f(ones(Sizes(std::vector<int64_t>(static_cast<size_t>(rank), 1))));
  }
  EXPECT_EQ(f.traces().size(), 2u);
}

TEST(Function, ReadsTensorsAroundItAnew) {
  Tensor w = constant({1.f, 2.f});
  auto f = function([&](Tensor x) { return x * w; });
  EXPECT_EQ(f(ones({2})).to_vector<float>(), (Floats{1, 2}));
  w.mul_(10);
  EXPECT_EQ(f(ones({2})).to_vector<float>(), (Floats{10, 20}));
}

TEST(Function, WritesHappenInOrderAtEveryCall) {
  Tensor count = zeros({}).clone();
  auto f = function([&](Tensor x) {
    count.add_(1);
    Tensor seen = x * count;
    count.mul_(2);
    return seen;
  });
  EXPECT_EQ(f(constant(1.f)).item<float>(), 1);
  EXPECT_EQ(count.item<float>(), 2);
  EXPECT_EQ(f(constant(1.f)).item<float>(), 3);
  EXPECT_EQ(count.item<float>(), 6);
}

TEST(Function, WritesAreSeenByViews) {
  Tensor w = zeros({2, 2}).clone();
  Tensor row = w[1];
  auto f = function([&](Tensor x) { w.add_(x); });
  f(constant(3.f));
  EXPECT_EQ(row.to_vector<float>(), (Floats{3, 3}));
}

// A loop of no rounds hands on the very tensor it was given.
TEST(Function, LooksIntoWhatALoopMayHandOnSeeWrites) {
  auto code = [](const Tensor& x) {
    Tensor t = x + x;
    auto [i, same] =
        while_loop([](const Tensor& i, const Tensor&) { return i < 0; },
                   [](const Tensor& i, const Tensor& v) {
                     return std::tuple(i + 1, v * 3);
                   },
                   0, t);
    Tensor look = same.detach();
    t.mul_(2);
    return look;
  };
  EXPECT_EQ(code(ones({2})).to_vector<float>(), Floats(2, 4));
  EXPECT_EQ(function(code)(ones({2})).to_vector<float>(), Floats(2, 4));
  Contains(ErrorOf([&] { function(code, {.one_graph = true})(ones({2})); }),
           "may or may not share memory");
}

TEST(Function, ValuesDecideWhereNoGraphSaysItForAll) {
  auto code = [](const Tensor& x) {
    Tensor t = x + 1;
    Tensor u = cond(sum(x) > 0, [&] { return t; }, [&] { return t * 2; });
    u.add_(10);  // t, too, on one of the ways
    return t * 1;
  };
  auto f = function(code);
  for (float v : {1.f, -3.f, 2.f, -4.f}) {
    Tensor x = constant({v});
    EXPECT_EQ(f(x).item<float>(), code(x).item<float>()) << v;
  }
  ASSERT_EQ(f.traces().size(), 2u);
  Contains(f.traces()[0].why, "values decide, because");
}

// The training step of the documentation: gradients, update, all of it.
TEST(Function, TrainsLikeTheImperativeCode) {
  auto train = [](bool captured) {
    Tensor w = constant({{0.5f}, {-0.5f}}).clone();
    Tensor b = zeros({1}).clone();
    w.requires_grad_();
    b.requires_grad_();
    auto body = [&](Tensor x, Tensor y) {
      Tensor error = matmul(x, w) + b - y;
      Tensor loss = mean(error * error);
      w.zero_grad();
      b.zero_grad();
      loss.backward();
      NoGrad off;
      w.sub_(0.02f * w.grad());
      b.sub_(0.02f * b.grad());
      return loss;
    };
    auto f = function(body);
    Tensor x = constant({{1.f, 2.f}, {3.f, 4.f}, {-1.f, 0.f}});
    Tensor y = constant({{1.f}, {2.f}, {3.f}});
    Floats seen;
    for (int i = 0; i < 5; ++i) {
      seen.push_back((captured ? f(x, y) : body(x, y)).item<float>());
    }
    for (float v : w.to_vector<float>()) seen.push_back(v);
    for (float v : b.grad().to_vector<float>()) seen.push_back(v);
    return seen;
  };
  Floats once = train(false), again = train(true);
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_NEAR(once[i], again[i], 1e-5) << i;
  }
  EXPECT_LT(once[4], once[0]);
}

TEST(Function, GradientsAddUpAcrossCalls) {
  Tensor w = constant({2.f, 3.f}).clone();
  w.requires_grad_();
  auto f = function([&](Tensor x) { sum(w * x).backward(); });
  f(ones({2}));
  f(ones({2}));
  f(ones({2}));
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{3, 3}));
  EXPECT_EQ(f.traces().size(), 2u) << "without and with a gradient before";
}

TEST(Function, NestedFunctionsArePartOfTheOuterOne) {
  auto inner = function([](Tensor x) { return x * 2; });
  auto outer = function([&](Tensor x) {
    auto [a, b] = std::pair(inner(x), x + 1);
    return std::tuple(a, b);
  });
  auto [a, b] = outer(constant({1.f, 2.f}));
  EXPECT_EQ(a.to_vector<float>(), (Floats{2, 4}));
  EXPECT_EQ(b.to_vector<float>(), (Floats{2, 3}));
  EXPECT_TRUE(inner.traces().empty());
}

TEST(Function, IsDifferentiatedLikeAnyCall) {
  Tensor w = constant({2.f, 3.f}).requires_grad_();
  auto f = function([&](Tensor x) { return std::tuple(x * x * w, x + 1); });
  Tensor x = constant({1.f, 4.f}).requires_grad_();
  auto [y, more] = f(x * 1);
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{4, 24}));
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{1, 16}));
  // Of any order.
  Tensor first = grad(sum(std::get<0>(f(x))), x, {.create_graph = true});
  EXPECT_EQ(grad(sum(first), x).to_vector<float>(), (Floats{4, 6}));
  EXPECT_THROW(sum(y).backward(), Error) << "twice";
}

TEST(Function, AGradientOfAGradientOfGatheredRows) {
  // The first is sparse.
  auto f = function([](Tensor x) {
    Tensor rows = gather(x, constant({2, 0, 2}));
    return sum(rows * rows * rows);
  });
  Tensor x = constant({1.f, 2.f, 3.f}).requires_grad_();
  Tensor first = grad(f(x), x, {.create_graph = true}).to_dense();
  EXPECT_EQ(first.to_vector<float>(), (std::vector<float>{3, 0, 54}));
  Tensor second = grad(sum(first), x).to_dense();
  EXPECT_EQ(second.to_vector<float>(), (std::vector<float>{6, 0, 36}));
}

TEST(Function, ATrapSeesInside) {
  auto f = function([](Tensor x) { return log(x - 2) * 1; });
  EXPECT_NO_THROW(f(constant({1.f})));
  NanTrap trap;
  EXPECT_THROW(f(constant({1.f})), Error);
}

std::string Message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Function, ErrorsReadAsImperatively) {
  auto bad = [](Tensor x) { return matmul(x, constant({{1.f}, {2.f}})); };
  auto f = function(bad);
  // Sizes are known only imperatively; the rest of the text is the same.
  std::string now = Message([&] { bad(ones({2, 2, 2})); });
  std::string later = Message([&] { f(ones({2, 2, 2})); });
  EXPECT_NE(now.find("[MatMul] a is f32[2,2,2]; wanted rank 2"), now.npos)
      << now;
  EXPECT_NE(later.find("; wanted rank 2"), later.npos) << later;
  EXPECT_NE(later.find("function_test.cc:"), later.npos) << later;
  now = Message([&] { bad(ones({2, 3})); });
  later = Message([&] { f(ones({2, 3})); });
  EXPECT_EQ(now.substr(0, now.find('\n')), later.substr(0, later.find('\n')));
  // The function still works.
  EXPECT_EQ(f(ones({1, 2})).item<float>(), 3);
}

}  // namespace
}  // namespace sluice
