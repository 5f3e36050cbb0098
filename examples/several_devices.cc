// Imperative tensors on several devices: a layer of a network on each, with
// its weights, and gradients that come back the way the values went.
// Prints:
//   layer 0 on /device:sim:0, its gradient there
//   layer 1 on /device:sim:1, its gradient there
//   learned
//   operands on two devices are refused
#include <sluice/device/sim/sim_device.h>
#include <sluice/sluice.h>

#include <cstdio>
#include <cstring>

namespace sl = sluice;

int main() {
  sl::ValueOrThrow(sl::AddSimDevices(2));
  sl::manual_seed(3);
  const char* const devices[] = {"sim:0", "sim:1"};
  std::vector<sl::Tensor> w;
  for (int k = 0; k < 2; ++k) {
    sl::Tensor start = sl::random_normal({k == 0 ? 2 : 16, k == 0 ? 16 : 1});
    w.push_back(start.to(devices[k]).detach().requires_grad_());
  }
  sl::Tensor x = sl::constant({{0.f, 0.f}, {0.f, 1.f}, {1.f, 0.f}, {1.f, 1.f}});
  sl::Tensor y = sl::constant({{0.f}, {1.f}, {1.f}, {2.f}});
  float loss = 0;
  for (int step = 0; step < 200; ++step) {
    sl::Tensor hidden = sl::tanh(sl::matmul(x.to("sim:0"), w[0]));
    sl::Tensor error = sl::matmul(hidden.to("sim:1"), w[1]) - y.to("sim:1");
    sl::Tensor mean = sl::mean(error * error);
    for (sl::Tensor& p : w) p.zero_grad();
    mean.backward();
    sl::NoGrad update;
    for (sl::Tensor& p : w) p.sub_(0.1f * p.grad());
    loss = mean.item<float>();
  }
  for (size_t k = 0; k < 2; ++k) {
    bool there = w[k].grad().device() == w[k].device();
    std::printf("layer %zu on %s, its gradient %s\n", k, w[k].device().c_str(),
                there ? "there" : "elsewhere");
  }
  std::printf("%s\n", loss < 0.02f ? "learned" : "not learned");
  try {
    (void)(w[0] + w[1]);
    std::printf("operands on two devices are taken\n");
  } catch (const sl::Error& e) {
    bool both = std::strstr(e.what(), "/device:sim:0") &&
                std::strstr(e.what(), "/device:sim:1");
    std::printf("operands on two devices are %s\n",
                both ? "refused" : "refused, but which?");
  }
  return loss < 0.02f ? 0 : 1;
}
