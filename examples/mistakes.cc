// What failures look like: while building, and while running.
// clang-format off
//
// Prints:
//   [MatMul] inner sizes differ: a is f32[64,784], b is f32[100,10]; wanted a.dim(1) == b.dim(0)
//     at mistakes.cc:24  a = "image", b = "w"
//   [Add] shapes do not broadcast: a is f32[2], b is f32[3]; wanted sizes equal or 1 on every axis
//     at mistakes.cc:33 (node "sum")  a = "p" f32[2], b = "q" f32[3]
// clang-format on
#include <sluice/sluice.h>

#include <cstdio>

namespace sl = sluice;

int main() {
  sl::Graph graph;
  sl::GraphScope building(graph);

  auto image = sl::placeholder(sl::f32, {64, 784}, "image");
  auto w = sl::placeholder(sl::f32, {100, 10}, "w");
  try {
    // Types and shapes are checked as the graph is built.
    sl::matmul(image, w);
  } catch (const sl::Error& e) {
    std::printf("%s\n", e.what());
  }

  // What is known only when values are fed is checked then.
  auto p = sl::placeholder(sl::f32, {sl::any}, "p");
  auto q = sl::placeholder(sl::f32, {sl::any}, "q");
  try {
    auto sum = sl::add(p, q, "sum");
    sl::Session(graph).run(sum, {{p, {1, 2}}, {q, {1, 2, 3}}});
  } catch (const sl::Error& e) {
    std::printf("%s\n", e.what());
  }
}
