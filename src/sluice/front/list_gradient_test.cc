// Gradients through lists, and through the loops over sequences made of them.
#include "sluice/eager/constants.h"
#include "sluice/front/gradients_agree_test_util.h"
#include "sluice/front/list.h"
#include "sluice/front/sequences.h"
#include "sluice/graph/text_printer.h"

namespace sluice {
namespace {

Array F(std::initializer_list<float> v) { return Array::Vector<float>(v); }
Array M(std::initializer_list<int64_t> shape, std::initializer_list<float> v) {
  return Array::Of<float>(Shape(shape), v);
}

TEST(ListGradient, OfElementsWrittenAndRead) {
  Function1 f = [](const Tensors& x) {
    List list(f32);
    list = list.append(x[0] * x[0]).append(sin(x[1])).append(x[0]);
    list = list.set(1, list[1] * list[0]);
    return list[1] * list[2] + list[1] + list[0];
  };
  ExpectGradientsAgree(f, {F({1, 2}), F({3, 4})});
}

TEST(ListGradient, OfAnElementThatWasReplacedIsNone) {
  Function1 f = [](const Tensors& x) {
    List list = List::of(x[0]);
    return list.set(0, x[1])[0] * x[1] + list.set(0, x[1])[1];
  };
  ExpectGradientsAgree(f, {F({1, 2}), Array::Scalar(3.0f)});
}

TEST(ListGradient, OfStacksAndSlices) {
  Function1 f = [](const Tensors& x) {
    List list = List::of(x[0]);
    list = list.append(x[1]);
    Tensor all = list.stack();
    return matmul(all, transpose(all));
  };
  ExpectGradientsAgree(f, {M({2, 2}, {1, 2, 3, 4}), F({5, 6})});
}

TEST(ListGradient, OfPopResizeAndUnwrittenElements) {
  Function1 f = [](const Tensors& x) {
    List list(f32, {2});
    list = list.append(x[0]).append(x[1] * x[0]).append(sin(x[1]));
    auto [rest, last] = list.pop();
    List longer = rest.resize(1).resize(4);  // element 1 is zeros now
    longer = longer.set(3, last);
    return last * longer[3] * longer[0] + longer[1] * x[0] +
           longer.stack() * x[1];
  };
  ExpectGradientsAgree(f, {F({1, 2}), F({3, 4})});
}

TEST(ListGradient, OfGatherAndScatterWithOneIndexTwice) {
  Function1 f = [](const Tensors& x) {
    List list = List::of(x[0]);
    Tensor twice = list.gather(constant({2, 0, 2}, i64));
    // The last of two slices for one index is what stays.
    List written = list.scatter(constant({1, 1}, i64), x[1]);
    return twice * twice + written.stack() * twice;
  };
  ExpectGradientsAgree(
      f, {M({3, 2}, {1, 2, 3, 4, 5, 6}), M({2, 2}, {7, 8, 9, 1})});
}

TEST(ListGradient, OfSplitAndConcat) {
  Function1 f = [](const Tensors& x) {
    List parts = List::split(x[0], constant({1, 0, 2}, i64));
    parts = parts.set(0, sin(parts[0]) * x[1]);
    return parts.concat().values * x[0];
  };
  ExpectGradientsAgree(f, {F({1, 2, 3}), Array::Scalar(2.0f)});
}

TEST(ListGradient, OfListsInLists) {
  Function1 f = [](const Tensors& x) {
    List inner = List(f32).append(x[0] * x[1]).append(x[1]);
    List outer = List(DType::kList).append(inner).append(List(f32));
    List back = outer.get_list(0, f32);
    return back[0] * back[1] + outer.get_list(0, f32)[0];
  };
  ExpectGradientsAgree(f, {F({1, 2}), F({3, 4})});
}

TEST(ListGradient, OfAListThatALoopFills) {
  Function1 f = [](const Tensors& x) {
    List out = std::get<1>(for_loop(
        4,
        [&](Tensor, Tensor h, List list) {
          Tensor next = tanh(h * x[1]);
          return std::tuple(next, list.append(next * h));
        },
        x[0], List(f32)));
    return out.stack() * out[2];
  };
  ExpectGradientsAgree(f, {F({.3f, .9f}), F({1, -2})});
}

TEST(ListGradient, OfAListThatALoopReadsAndWrites) {
  Function1 f = [](const Tensors& x) {
    List list = List::of(x[0]);
    list = for_loop(
        5,
        [&](Tensor i, List l) {
          Tensor at = mod(i, int64_t{3});
          return l.set(at, sin(l[at]) * l[mod(i + 1, int64_t{3})] + x[1]);
        },
        list);
    return list.stack();
  };
  ExpectGradientsAgree(
      f, {M({3, 2}, {.1f, .2f, .3f, .4f, .5f, .6f}), F({.3f, -.2f})});
}

TEST(ListGradient, OfMap) {
  Function1 f = [](const Tensors& x) {
    return map_fn([&](Tensor e) { return sin(e) * x[1] + e; }, x[0]);
  };
  ExpectGradientsAgree(f, {M({3, 2}, {1, 2, 3, 4, 5, 6}), F({.3f, .9f})});
}

TEST(ListGradient, OfScan) {
  Array w = M({2, 2}, {.3f, -.2f, .5f, .7f});
  for (bool reverse : {false, true}) {
    Function1 f = [&](const Tensors& x) {
      auto [ys, last] = scan(
          [&](Tensor h, Tensor e) {
            Tensor next = tanh(matmul(h, x[2]) + e);
            return std::pair(next * e, next);
          },
          x[1], x[0], {.reverse = reverse});
      return sum(ys * ys) + sum(last);
    };
    ExpectGradientsAgree(
        f, {M({3, 1, 2}, {1, 2, 3, 4, 5, 6}), M({1, 2}, {.3f, .9f}), w});
  }
}

TEST(ListGradient, OfScanOfScan) {
  Function1 f = [](const Tensors& x) {
    return scan(
        [&](Tensor h, Tensor row) {
          return scan([&](Tensor g, Tensor e) { return sin(g * e) + x[1]; }, h,
                      row)[-1];
        },
        Tensor(x[1]), x[0]);
  };
  ExpectGradientsAgree(f, {M({2, 3}, {1, 2, 3, 4, 5, 6}), Array::Scalar(.5f)});
}

TEST(ListGradient, OfFolds) {
  Function1 f = [](const Tensors& x) {
    Tensor a =
        foldl([&](Tensor s, Tensor e) { return s * x[1] + e * e; }, x[0]);
    Tensor b = foldr([&](Tensor s, Tensor e) { return s * e; }, x[0]);
    return a * b;
  };
  ExpectGradientsAgree(f, {F({1, 2, 3}), Array::Scalar(.5f)});
}

// One element per iteration backwards: the sum is written where it lies, never
// added to another list as a whole.
TEST(ListGradient, OfReadsInALoopIsAddedElementByElement) {
  Graph graph;
  {
    GraphScope building(graph);
    Tensor x = placeholder(f32, {5});
    List list = List::of(x);
    Tensor y = for_loop(
        5, [&](Tensor i, Tensor h) { return h * list[i] + list[0]; }, 1.0f);
    grad(y, x);
  }
  std::string text = PrintGraph(graph);
  EXPECT_NE(text.find("= ListAddAt("), std::string::npos) << text;
  EXPECT_EQ(text.find("= ListAdd("), std::string::npos) << text;
}

}  // namespace
}  // namespace sluice
