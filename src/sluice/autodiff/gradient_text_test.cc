// Gradients as text in, text out: one test per file of tests/gradient_text,
//
//   // What it shows. Directives, each on a comment line of its own:
//   // xs: %x %w            the arguments asked for; else all of type f64
//   // order: 2             the gradient of the gradient
//   // unconnected: zeros   for an x that no result depends on; else an error
//   // differences: no      they say something else, with the reason
//   graph before(%x: f64[2]) -> (%y) { ... }
//   ---
//   graph before(%x: f64[2]) -> (%grad) { ... }
//
// The second graph is the first after Gradients, cut down to the results, or
// "error: " and the message. What it computes is also compared with central
// differences of the first, so a wrong text cannot be written down by accident.
// SLUICE_UPDATE_TEXT=1 writes the second graph of every file anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/strings.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/op/resource.h"
#include "sluice/passes/dead_code.h"
#include "sluice/reference/reference_interpreter.h"

namespace sluice {
namespace {

constexpr const char* kFolder = "tests/gradient_text";
constexpr const char* kMark = "\n---\n";

using Arrays = std::vector<Array>;

struct GradientCase {
  std::string before, after;
  std::vector<std::string> xs;
  int order = 1;
  bool zeros = false, differences = true;
};

std::string Directive(const std::string& text, const char* name) {
  std::smatch found;
  std::regex line(StrCat("(?:^|\n)// ", name, ": ([^\n]*)"));
  return std::regex_search(text, found, line) ? found[1].str() : "";
}

GradientCase ReadCase(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream all;
  all << in.rdbuf();
  std::string text = all.str();
  GradientCase c;
  size_t mark = text.find(kMark);
  EXPECT_NE(mark, std::string::npos) << path << " has no line ---";
  c.before = text.substr(0, mark);
  if (mark != std::string::npos) {
    c.after = text.substr(mark + std::string_view(kMark).size());
  }
  std::istringstream names(Directive(c.before, "xs"));
  for (std::string name; names >> name;) c.xs.push_back(name.substr(1));
  if (Directive(c.before, "order") == "2") c.order = 2;
  c.zeros = Directive(c.before, "unconnected") == "zeros";
  c.differences = !Directive(c.before, "differences").starts_with("no");
  return c;
}

std::unique_ptr<Graph> Parsed(const std::string& text) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().message() << "\n" << text;
  return graph.ok() ? std::move(*graph) : std::make_unique<Graph>("broken");
}

// Whether argument `i` is one of those asked for.
bool IsX(const GradientCase& c, const Region& root, int i) {
  if (c.xs.empty()) return root.arg(i).dtype() == DType::kF64;
  return std::ranges::find(c.xs, root.arg(i).ToString()) != c.xs.end();
}

// The results become their gradients, `order` times.
Status Differentiate(const GradientCase& c, Graph& graph, int order) {
  std::vector<Value> xs;
  Region& root = graph.root();
  for (int i = 0; i < root.num_args(); ++i) {
    if (IsX(c, root, i)) xs.push_back(root.arg(i));
  }
  GradientOptions options{.zeros_when_unconnected = c.zeros};
  for (; order > 0; --order) {
    std::vector<Value> ys(root.results().begin(), root.results().end());
    MutexLock lock(graph.mu());
    SL_ASSIGN_OR_RETURN(std::vector<Value> gradients,
                        Gradients(graph, ys, xs, {}, options));
    graph.SetResults(root, std::move(gradients));
  }
  SL_RETURN_IF_ERROR(RemoveDeadCode(graph).status());
  return Verify(graph);
}

// Fixed numbers between 0.4 and 1.6; an unknown size is 2, an integer 3.
Array FedFor(const Value& arg, size_t which) {
  std::vector<int64_t> dims(arg.shape().dims().begin(),
                            arg.shape().dims().end());
  for (int64_t& dim : dims) dim = dim < 0 ? 2 : dim;
  Shape shape = *Shape::Make(dims);
  if (arg.dtype() == DType::kI64) return Array::Scalar<int64_t>(3);
  if (arg.dtype() == DType::kBool) return Array::Scalar(true);
  EXPECT_EQ(arg.dtype(), DType::kF64) << "arguments are f64, i64[] or bool[]";
  Array a = *Array::Make(DType::kF64, shape);
  for (int64_t k = 0; k < a.num_elements(); ++k) {
    double at = static_cast<double>(which) * 1.7 + static_cast<double>(k);
    a.mutable_data<double>()[k] = 1 + 0.6 * std::sin(1 + 2.3 * at);
  }
  return a;
}

Result<Arrays> Computed(const Graph& graph, const Arrays& args) {
  ResourceManager resources;
  StepContext step;
  step.step_id = 1;
  step.resources = &resources;
  return Interpret(graph, args, step);
}

// The sum of all elements, or of those of the change along `direction`.
double Total(const Result<Arrays>& results, const Arrays* direction = nullptr) {
  EXPECT_TRUE(results.ok()) << results.status().message();
  double sum = 0;
  for (size_t i = 0; results.ok() && i < results->size(); ++i) {
    Array flat = *(*results)[i].AsContiguous();
    for (int64_t k = 0; k < flat.num_elements(); ++k) {
      double way = direction ? (*direction)[i].data<double>()[k] : 1;
      sum += flat.data<double>()[k] * way;
    }
  }
  return sum;
}

// `gradients` computes what differences of the sum of results of `of` give.
void ExpectDifferences(const GradientCase& c, const Graph& of,
                       const Graph& gradients) {
  Arrays args, direction;
  std::vector<size_t> moved;
  const Region& root = of.root();
  for (int i = 0; i < root.num_args(); ++i) {
    size_t which = args.size();
    args.push_back(FedFor(root.arg(i), which));
    if (!IsX(c, root, i)) continue;
    moved.push_back(which);
    direction.push_back(FedFor(root.arg(i), which + 50));
  }
  auto at = [&](double step) {
    Arrays near = args;
    for (size_t n = 0; n < moved.size(); ++n) {
      near[moved[n]] = *near[moved[n]].Clone();
      for (int64_t k = 0; k < near[moved[n]].num_elements(); ++k) {
        near[moved[n]].mutable_data<double>()[k] +=
            step * direction[n].data<double>()[k];
      }
    }
    return Total(Computed(of, near));
  };
  double want = (at(1e-5) - at(-1e-5)) / 2e-5;
  double got = Total(Computed(gradients, args), &direction);
  EXPECT_NEAR(got, want, 1e-6 * (1 + std::abs(want)));
}

std::string Printed(const GradientCase& c) {
  std::unique_ptr<Graph> graph = Parsed(c.before);
  Status made = Differentiate(c, *graph, c.order);
  if (!made.ok()) return StrCat("error: ", made.message(), "\n");
  return PrintGraph(*graph, {.types = true, .lines = false});
}

std::vector<std::string> Files() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(kFolder, none)) {
    if (file.path().extension() == ".txt") {
      names.push_back(file.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

class GradientText : public testing::TestWithParam<std::string> {};

TEST_P(GradientText, IsWhatTheFileSays) {
  std::string path = StrCat(kFolder, "/", GetParam(), ".txt");
  GradientCase c = ReadCase(path);
  std::string got = Printed(c);
  if (std::getenv("SLUICE_UPDATE_TEXT")) {
    std::ofstream(path) << c.before << kMark << got;
    c.after = got;
  }
  EXPECT_EQ(got, c.after);
  if (got.starts_with("error: ")) return;
  // The text is the graph: what it reads as prints the same, and computes it.
  std::unique_ptr<Graph> read = Parsed(c.after);
  EXPECT_EQ(PrintGraph(*read, {.types = true, .lines = false}), c.after);
  if (!c.differences) return;
  std::unique_ptr<Graph> of = Parsed(c.before);
  Status made = Differentiate(c, *of, c.order - 1);
  ASSERT_TRUE(made.ok()) << made.message();
  ExpectDifferences(c, *of, *read);
}

INSTANTIATE_TEST_SUITE_P(Files, GradientText, testing::ValuesIn(Files()),
                         [](const auto& info) { return info.param; });

TEST(GradientTextFiles, AreFound) {
  EXPECT_GE(Files().size(), 20u) << "run from the repository's root";
}

}  // namespace
}  // namespace sluice
