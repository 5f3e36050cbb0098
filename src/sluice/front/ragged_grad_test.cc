// Gradients through everything a Ragged can do: against differences, to second
// order, and in a graph of unknown sizes the same as imperatively.
#include <gtest/gtest.h>

#include "sluice/front/ragged_test_util.h"

namespace sluice {
namespace {

using Fn = std::function<Tensor(const Ragged&)>;

// Weights that tell elements apart, so that none can take another's gradient.
Tensor Weighed(const Tensor& y) {
  Tensor count = cast(range(0, size(y), 1), y.dtype());
  return sum(sin(count + 0.7) * reshape(y, {-1}));
}
Fn OfRagged(const std::function<Ragged(const Ragged&)>& f) {
  return [=](const Ragged& x) { return f(x).values(); };
}

struct Case {
  const char* name;
  Fn f;
  bool second_order = true;
};

Ragged Squares(const Ragged& x) { return x * x; }
// Vectors [x, x^2].
Ragged Pairs(const Ragged& x) {
  return x.map([](const Tensor& v) { return stack({v, v * v}, {.axis = 1}); });
}

std::vector<Case> Cases() {
  auto per_row = [](Tensor (*f)(RaggedOperand)) -> Fn {
    return [=](const Ragged& x) { return f(x); };
  };
  return {
      {"sum", per_row(row_sum)},
      {"mean", per_row(row_mean)},
      {"prod", per_row(row_prod)},
      {"max",
       [](const Ragged& x) {
         return row_max(
             mask_rows(concat_in_rows({x, x * 2}), x.row_lengths() > 0));
       },
       false},
      {"min",
       [](const Ragged& x) {
         // Rows without values are infinite, which nothing flows into.
         return row_min(mask_rows(x, x.row_lengths() > 0));
       },
       false},
      {"operators",
       OfRagged([](const Ragged& x) { return x * x / (x * x + 2) - 3 * x; })},
      {"unary",
       OfRagged([](const Ragged& x) { return exp(x) + tanh(x) * sigmoid(x); })},
      {"per row",
       OfRagged([](const Ragged& x) { return x * row_sum(Squares(x)); })},
      {"softmax", OfRagged([](const Ragged& x) { return softmax(x); })},
      {"log_softmax",
       OfRagged([](const Ragged& x) { return log_softmax(Squares(x)); })},
      {"softmax of pairs",
       OfRagged([](const Ragged& x) { return softmax(Pairs(x)); })},
      {"cum_sum", OfRagged([](const Ragged& x) {
         return row_cumsum(Squares(x), {.exclusive = true, .reverse = true});
       })},
      {"sort", OfRagged([](const Ragged& x) {
         return sort_in_rows(Squares(x), true);
       })},
      {"take", OfRagged([](const Ragged& x) {
         return take_rows(Squares(x), {2, 1, 2});
       })},
      {"slice", OfRagged([](const Ragged& x) {
         return slice_rows(Squares(x), 1, 4, 2);
       })},
      {"masks", OfRagged([](const Ragged& x) {
         return mask_values(Squares(x), ragged_binary("Greater", x, 0));
       })},
      {"concat", OfRagged([](const Ragged& x) {
         return concat_in_rows({concat_rows({x, Squares(x)}), tile_rows(x, 2)});
       })},
      {"repeat", OfRagged([](const Ragged& x) {
         return reverse_in_rows(reverse_rows(repeat_rows(Squares(x), 2)));
       })},
      {"padded",
       [](const Ragged& x) { return x.to_padded(sum(x.values())).values; }},
      {"from padded", OfRagged([](const Ragged& x) {
         Tensor wide = Squares(x).to_padded().values;
         return Ragged::from_padded(wide, x.row_lengths());
       })},
      {"list",
       [](const Ragged& x) {
         return x.symbolic()
                    ? x.values() * x.values()
                    : concat({Squares(x).to_list()[1], Squares(x).to_list()[2],
                              Squares(x).to_list()[4]});
       }},
      {"matmul", OfRagged([](const Ragged& x) {
         return matmul(Pairs(x), constant({{1.0, 2.0, 3.0}, {-1.0, 0.5, 0.0}}));
       })},
      {"attention", OfRagged([](const Ragged& x) {
         Ragged k = Pairs(reverse_rows(x));
         return row_mix(softmax(row_scores(Pairs(x), k)), k);
       })}};
}

// Rows 1, 2 and 4 of 6 hold something.
const Rows kRows = {{}, {0.5, -1.25, 0.75}, {1.5}, {}, {-0.3, 0.9}, {}};

TEST(RaggedGradients, AgreeWithDifferences) {
  Ragged rows = ragged(kRows);
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    GradcheckOptions options;
    options.second_order = c.second_order;
    EXPECT_EQ(ErrorOf([&] {
                gradcheck(
                    [&](const std::vector<Tensor>& x) {
                      Tensor y = c.f(rows.with_values(x[0]));
                      return std::vector<Tensor>{Weighed(y)};
                    },
                    {rows.values()}, options);
              }),
              "");
  }
}

TEST(RaggedGradients, AreTheSameInGraphs) {
  Ragged rows = ragged(kRows);
  Graph graph;
  Tensor values, splits;
  std::vector<Tensor> made;
  {
    GraphScope building(graph);
    values = placeholder(DType::kF64, {any});
    splits = placeholder(DType::kI64, {any});
    Ragged x = Ragged::from_splits(values, splits);
    for (const Case& c : Cases()) {
      made.push_back(grad(Weighed(c.f(x)), values, {.dense = true}));
    }
  }
  Session session(graph);
  std::vector<Array> got = session.run(
      std::vector<Fetch>(made.begin(), made.end()),
      {{values, rows.values().array()}, {splits, rows.row_splits().array()}});
  size_t i = 0;
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    Tensor leaf = rows.values().clone().detach().requires_grad_();
    Tensor want =
        grad(Weighed(c.f(rows.with_values(leaf))), leaf, {.dense = true});
    ExpectNear(Numbers(got[i++]), Numbers(want.array()));
  }
}

TEST(RaggedGradients, FlowIntoWhatIsKnownOfRows) {
  Ragged x = ragged(kRows);
  gradcheck(
      [&](const std::vector<Tensor>& in) {
        return std::vector<Tensor>{Weighed((x * in[0] + in[0]).values())};
      },
      {constant({1.0, 2.0, -1.0, 0.5, 3.0, 4.0})}, {.second_order = true});
}

TEST(RaggedGradients, OfNoRows) {
  Ragged none = ragged(Rows());
  Tensor leaf = none.values().clone().detach().requires_grad_();
  Ragged x = none.with_values(leaf);
  sum(row_sum(softmax(x))).backward();
  EXPECT_EQ(leaf.grad().num_elements(), 0);
}

}  // namespace
}  // namespace sluice
