// Graphs with lists in them: they print, parse, leave the process and come
// back.
#include "sluice/front/front_test_util.h"
#include "sluice/graph/binary_reader.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

// A loop that carries a list, a branch that returns one, a list that is fed,
// nested lists, and lists made before the graph was.
struct Program {
  Program() {
    List before = List(f32, Shape()).append(1).append(2);
    List holes = List(f32).set(2, {1.f, 2.f});
    List nested = List(list).append(before).append(holes);
    GraphScope building(graph);
    Tensor n = placeholder(i64, Shape(), "n");
    Tensor fed = placeholder(list, Shape(), "fed");
    auto [i, grown] =
        while_loop([&](Tensor k, List) { return k < n; },
                   [](Tensor k, List l) {
                     return std::tuple(k + 1, l.append(cast(k, f32)));
                   },
                   int64_t{0}, before);
    List chosen = cond(
        n > 2, [l = grown] { return l; },
        [&] { return List(fed, f32, Shape()); });
    y = chosen.stack();
    z = nested.get_list(1, f32)[2] + nested.get_list(0, f32)[1];
  }
  Graph graph;
  Tensor y, z;
};

std::string Text(const Graph& graph) { return PrintGraph(graph, {}); }

Floats RunGraph(Graph& graph, const std::string& fetch, int64_t n) {
  Session session(graph);
  Array fed = List(f32).append(7).tensor().array();
  return Elements<float>(session.run(
      find_tensor(graph, fetch),
      {{find_tensor(graph, "n"), n}, {find_tensor(graph, "fed"), fed}}));
}

TEST(ListGraphs, RunWithListsMadeBefore) {
  Program p;
  EXPECT_EQ(RunGraph(p.graph, p.y.name(), 3), (Floats{1, 2, 0, 1, 2}));
  EXPECT_EQ(RunGraph(p.graph, p.y.name(), 1), (Floats{7}));
  EXPECT_EQ(RunGraph(p.graph, p.z.name(), 1), (Floats{3, 4}));
}

TEST(ListGraphs, PrintAndParse) {
  Program p;
  std::string text = Text(p.graph);
  auto parsed = ParseGraph(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString() << "\n" << text;
  EXPECT_EQ(Text(**parsed), text);
  EXPECT_EQ(RunGraph(**parsed, p.y.name(), 3), (Floats{1, 2, 0, 1, 2}));
  EXPECT_EQ(RunGraph(**parsed, p.z.name(), 3), (Floats{3, 4}));
}

TEST(ListGraphs, LeaveTheProcessAndComeBack) {
  Program p;
  auto read = ReadBinary(WriteBinary(p.graph));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(Text(**read), Text(p.graph));
  EXPECT_EQ(RunGraph(**read, p.y.name(), 3), (Floats{1, 2, 0, 1, 2}));
}

TEST(ListGraphs, AListOfManyIsFewNodes) {
  List many = List::of(zeros({1000, 2}));
  Graph graph;
  GraphScope building(graph);
  Tensor size = many.size();
  EXPECT_LT(graph.root().nodes().size(), 10u);
  Session session(graph);
  EXPECT_EQ(session.run(size).data<int64_t>()[0], 1000);
}

}  // namespace
}  // namespace sluice
