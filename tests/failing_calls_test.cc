// Memory that runs out in what surrounds a step: graphs as text and bytes,
// gradients of loops, captured branches and writes, lanes, lists, files.
// Wanted for every n: an error or the result; the process lives, and the same
// call is right afterwards.
// Not under sanitizers, which replace the allocator themselves.
#include <filesystem>

#include "sluice/base/error.h"
#include "sluice/base/failing_allocation_test_util.h"
#include "sluice/base/temp_folder_test_util.h"
#include "sluice/graph/binary_reader.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

// `call` gives what can be compared.
template <class F>
void ExpectAnErrorOrTheSame(F call) {
  const auto want = call();
  int64_t runs = 0;
  ForEveryAllocation(
      [&]() -> Status {
        auto got = call();
        EXPECT_EQ(got, want);
        return OkStatus();
      },
      [&] {
        if (++runs % 16 == 0) ASSERT_EQ(call(), want);
      });
}

Tensor Numbers() { return constant({0.5f, -1.f, 2.f}); }

constexpr char kLoop[] = R"(graph g(%x: f32[?], %w: f32[?]) -> (%o:1) {
  %o = While(0, %x) [dtypes = {i32, f32}] {
    cond(%i: i32[], %a: f32[?]) { %c = Less(%i, 5) yield %c }
    body(%i: i32[], %a: f32[?]) {
      %j = Add(%i, 1)
      %b = Mul(%a, %w)
      yield %j, %b
    }
  }
})";

TEST(FailingCalls, OfTextAndBytesOfAGraph) {
  ExpectAnErrorOrTheSame([] {
    std::unique_ptr<Graph> graph = ValueOrThrow(ParseGraph(kLoop));
    std::string bytes = WriteBinary(*graph);
    return PrintGraph(*ValueOrThrow(ReadBinary(bytes)));
  });
}

Tensor Powers(const Tensor& x) {
  auto [i, y] =
      while_loop([](Tensor i, Tensor) { return i < 3; },
                 [&](Tensor i, Tensor y) { return std::tuple(i + 1, y * x); },
                 constant(0), x);
  return y;
}

TEST(FailingCalls, OfGradientsOfGradientsOfALoop) {
  ExpectAnErrorOrTheSame([] {
    Graph graph;
    Tensor x, second;
    {
      GraphScope building(graph);
      x = placeholder(f32, Shape{3}, "x");
      Tensor first = gradients({sum(Powers(x))}, {x})[0];
      second = gradients({sum(first)}, {x})[0];
    }
    Session session(graph);
    return session.run(second, {{x, Numbers().array()}}).ToString();
  });
}

TEST(FailingCalls, OfACapturedLoopWithBranchesAndWrites) {
  ExpectAnErrorOrTheSame([] {
    Tensor kept = zeros({3}).clone();
    Tensor x = Numbers().clone().requires_grad_();
    auto f = function([&](Tensor x) {
      Tensor y = Powers(x);
      Tensor z =
          cond(sum(y) > 0.f, [&] { return y * 2.f; }, [&] { return -y; });
      {
        NoGrad off;
        kept.copy_(z);
      }
      return sum(z);
    });
    f(x).backward();
    return std::pair(kept.to_vector<float>(), x.grad().to_vector<float>());
  });
}

TEST(FailingCalls, OfLanes) {
  ExpectAnErrorOrTheSame([] {
    Tensor x = constant({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
    auto f = vmap([](Tensor row) { return sum(sort(Powers(row))); });
    return f(x).to_vector<float>();
  });
}

int NamesIn(const TempFolder& folder) {
  int names = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    names += entry.exists();
  }
  return names;
}

// Half of a file was left there under its other name.
TEST(FailingCalls, OfFiles) {
  TempFolder folder;
  ExpectAnErrorOrTheSame([&] {
    std::string path = folder.path() + "/a.safetensors";
    io::save_safetensors(path, {{"a", Numbers()}, {"b", ones({2, 2})}});
    std::string text;
    for (const auto& [name, tensor] : io::load_safetensors(path)) {
      text += name + tensor.array().ToString();
    }
    return text;
  });
  EXPECT_EQ(NamesIn(folder), 1);
}

TEST(FailingCalls, OfCheckpoints) {
  TempFolder folder;
  ExpectAnErrorOrTheSame([&] {
    io::CheckpointManager manager(folder.path() + "/run",
                                  {.background = false});
    io::Snapshot snapshot;
    snapshot.set("model", {{"w", Numbers()}});
    manager.save(7, snapshot);
    return manager.load(7).at("model").at("w").array().ToString();
  });
}

}  // namespace
}  // namespace sluice
