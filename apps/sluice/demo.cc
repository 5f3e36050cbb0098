// sluice demo: the steady heat in a plate, by a graph that relaxes it, checked
// against the exact solution.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "apps/sluice/command.h"
#include "apps/sluice/plate.h"
#include "apps/sluice/progress.h"

namespace sluice::app {

const char kDemoUsage[] =
    "usage: sluice demo [--size N] [--sweeps N] [--threads N] [--explain]\n"
    "  Solves Laplace's equation on a square plate and checks the result.\n"
    "  --size     inner grid points a side (default 160)\n"
    "  --sweeps   relaxations in one step of the session (default 200)\n"
    "  --threads  threads that run the step (default: one per core)\n"
    "  --explain  print the whole plan, not its beginning\n";

namespace {

// Degrees. The grid's own error is some 0.001 at 160 points.
constexpr double kStopAt = 0.002, kTolerance = 0.05;
constexpr int kMaxSteps = 1'000'000;

std::string Format(const char* format, auto... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// The plate as characters, darker is hotter; two columns to a row's height.
std::string Picture(const double* u, int64_t side) {
  constexpr std::string_view kShades = " .:-=+*#%@";
  constexpr int64_t kRows = 20, kColumns = 60;
  std::string out = "+" + std::string(kColumns, '-') + "+\n";
  for (int64_t r = 0; r < kRows; ++r) {
    out += '|';
    for (int64_t c = 0; c < kColumns; ++c) {
      int64_t i = r * (side - 1) / (kRows - 1);
      int64_t j = c * (side - 1) / (kColumns - 1);
      double shade = u[i * side + j] / 100 * kShades.size();
      out += kShades[static_cast<size_t>(
          std::clamp(shade, 0.0, kShades.size() - 1.0))];
    }
    out += "|\n";
  }
  return out + "+" + std::string(kColumns, '-') + "+\n";
}

// The first lines of a long text.
std::string Beginning(const std::string& text, int lines) {
  size_t at = 0;
  for (int i = 0; i < lines && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos || at >= text.size()) return text;
  auto more = std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                         text.end(), '\n');
  return text.substr(0, at) +
         Format("  ... %td lines more (--explain)\n", more);
}

// Runs steps until the plate is settled. Returns the sweeps it took.
int64_t Settle(Session& session, const PlateGraph& plate, int64_t n,
               int64_t sweeps) {
  Callable step = session.prepare({plate.change}, {}, {plate.relax});
  Progress progress(stdout);
  double first = 0;
  for (int64_t i = 1; i <= kMaxSteps; ++i) {
    double left = ErrorLeft(step()[0].data<double>()[0], n);
    if (i == 1) first = left;
    bool settled = left <= kStopAt;
    // What is left shrinks at one rate, so its logarithm is how far we are.
    double done =
        settled ? 1 : std::log(first / left) / std::log(first / kStopAt);
    progress.Show(done,
                  Format("error left %.4f deg  %.0f sweeps/s", left,
                         static_cast<double>(i * sweeps) / progress.seconds()));
    if (!settled) continue;
    progress.Finish();
    std::printf("settled after %lld sweeps in %.1f s\n\n",
                static_cast<long long>(i * sweeps), progress.seconds());
    return i * sweeps;
  }
  throw Error(Internal("the plate does not settle"));
}

}  // namespace

int RunDemo(Arguments arguments) {
  bool help = arguments.flag("--help") || arguments.flag("-h");
  bool explain = arguments.flag("--explain");
  int64_t n = arguments.number("--size", 160, 2, 2048);
  int64_t sweeps = arguments.number("--sweeps", 200, 1, 10000);
  auto threads = static_cast<int>(arguments.number("--threads", 0, 0, 256));
  arguments.finish();
  if (help) {
    std::fputs(kDemoUsage, stdout);
    return kDone;
  }

  std::printf(
      "Heat in a square plate: the top edge is warm (100 degrees at its\n"
      "middle), the others are at 0. A graph of %lld sweeps over %lld x %lld "
      "points\nruns until the plate is settled.\n\n",
      static_cast<long long>(sweeps), static_cast<long long>(n),
      static_cast<long long>(n));
  PlateGraph plate(n, sweeps);
  Session session(plate.graph, {.threads = threads});
  session.run(plate.initialize);
  Settle(session, plate, n, sweeps);

  Array result = session.run(plate.plate);
  const double* u = result.data<double>();
  std::vector<double> exact = ExactPlate(n);
  double worst = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    // Written so that a NaN anywhere stays.
    double off = std::fabs(u[i] - exact[i]);
    if (!(off <= worst)) worst = off;
  }
  std::fputs(Picture(u, n + 2).c_str(), stdout);
  bool good = worst <= kTolerance;
  std::printf(
      "\nAgainst the exact solution (a Fourier series): at most %.4f degrees "
      "off,\n%s %.2f.\n\nWhat a step runs:\n",
      worst, good ? "within the tolerance of" : "MORE than the tolerance of",
      kTolerance);
  std::string plan = session.explain(plate.relax);
  std::fputs(explain ? plan.c_str() : Beginning(plan, 24).c_str(), stdout);
  return good ? kDone : kFailed;
}

}  // namespace sluice::app
