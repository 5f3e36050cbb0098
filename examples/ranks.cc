// Fits a line to points of which every rank has its own. As many processes as
// one likes, or one alone; each prints the same:
//
//   sluice launch --ranks 2 build/release/bin/example-ranks
//
// Prints:
//   y = 2.00 x + 1.00
#include <sluice/sluice.h>

#include <cstdio>
#include <cstdlib>

#include "sluice/fleet/data_parallel.h"

namespace sl = sluice;
namespace dist = sluice::distributed;

int main() {
  dist::InitOptions alone;
  alone.rank = 0;
  alone.world_size = 1;
  dist::init_process_group(std::getenv("RANK") ? dist::InitOptions() : alone);

  std::vector<float> xs, ys;
  for (int i = dist::get_rank(); i < 8; i += dist::get_world_size()) {
    xs.push_back(static_cast<float>(i) / 4);
    ys.push_back(2 * xs.back() + 1);
  }
  sl::Tensor x = sl::constant(xs), y = sl::constant(ys);
  sl::Tensor slope = sl::constant(0.0f).requires_grad_();
  sl::Tensor offset = sl::constant(0.0f).requires_grad_();
  dist::DataParallel parallel({slope, offset});

  for (int step = 0; step < 500; ++step) {
    sl::Tensor error = slope * x + offset - y;
    sl::mean(error * error).backward();  // the average over all ranks
    sl::NoGrad off;
    for (const sl::Tensor& parameter : {slope, offset}) {
      parameter.sub_(0.1f * parameter.grad());
      parameter.zero_grad();
    }
  }
  std::printf("y = %.2f x + %.2f\n", slope.item<float>(), offset.item<float>());
  dist::destroy_process_group();
}
