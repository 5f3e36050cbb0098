// Data-parallel training: a tower on each of three devices computes gradients
// of its share of a batch; the host has the variables and averages. The same
// program on one device gives the same bits.
// Prints:
//   3 towers on 3 devices: the bits of one device
//   loss fell to less than a tenth
#include <sluice/device/sim/sim_device.h>
#include <sluice/sluice.h>

#include <cstdio>

namespace sl = sluice;

namespace {

constexpr int kTowers = 3;
constexpr int64_t kShare = 16, kInputs = 8, kHidden = 32;

struct Training {
  sl::Graph graph;
  std::vector<sl::Tensor> xs, ys;
  std::vector<sl::Variable> weights;
  std::vector<sl::Operation> updates;
  sl::Tensor loss;

  // Tower k runs on devices[k].
  explicit Training(const std::vector<std::string>& devices) {
    sl::GraphScope building(graph);
    sl::DeviceScope host("cpu:0");
    weights = {sl::variable(sl::random_normal({kInputs, kHidden}) * 0.3f),
               sl::variable(sl::random_normal({kHidden, 1}) * 0.3f)};
    std::vector<std::vector<sl::Tensor>> found;
    std::vector<sl::Tensor> losses;
    for (const std::string& device : devices) {
      sl::DeviceScope tower(device);
      xs.push_back(sl::placeholder(sl::f32, {kShare, kInputs}));
      ys.push_back(sl::placeholder(sl::f32, {kShare, 1}));
      sl::Tensor hidden = sl::tanh(sl::matmul(xs.back(), weights[0]));
      sl::Tensor error = sl::matmul(hidden, weights[1]) - ys.back();
      losses.push_back(sl::mean(error * error));
      found.push_back(sl::gradients({losses.back()}, weights));
    }
    auto average = [&](auto part) {
      sl::Tensor sum = part(0);
      for (size_t k = 1; k < devices.size(); ++k) sum = sum + part(k);
      return sum / static_cast<float>(devices.size());
    };
    loss = average([&](size_t k) { return losses[k]; });
    for (size_t i = 0; i < weights.size(); ++i) {
      sl::Tensor mean = average([&](size_t k) { return found[k][i]; });
      updates.push_back(weights[i].assign_sub(0.1f * mean));
    }
  }

  // The loss of each step.
  std::vector<float> Run(int steps) {
    sl::Session session(graph, {.seed = 7});
    session.run(sl::initialize_variables(graph));
    std::vector<sl::Feed> batch;
    for (int k = 0; k < kTowers; ++k) {
      sl::Array x = sl::Array::Zeros(sl::f32, {kShare, kInputs});
      sl::Array y = sl::Array::Zeros(sl::f32, {kShare, 1});
      for (int64_t r = 0; r < kShare; ++r) {
        float sum = 0;
        for (int64_t c = 0; c < kInputs; ++c) {
          auto n = static_cast<float>((k * 131 + r * 37 + c * 17) % 23);
          float v = n / 11.5f - 1;
          x.mutable_data<float>()[r * kInputs + c] = v;
          sum += c % 2 ? v : -v;
        }
        y.mutable_data<float>()[r] = sum / 4;
      }
      batch.push_back({xs[static_cast<size_t>(k)], x});
      batch.push_back({ys[static_cast<size_t>(k)], y});
    }
    std::vector<float> losses;
    for (int step = 0; step < steps; ++step) {
      sl::Array now = session.run({loss}, batch, updates)[0];
      losses.push_back(*now.data<float>());
    }
    return losses;
  }
};

}  // namespace

int main() {
  sl::ValueOrThrow(sl::AddSimDevices(kTowers));
  std::vector<float> apart = Training({"sim:0", "sim:1", "sim:2"}).Run(300);
  std::vector<float> together = Training({"cpu:0", "cpu:0", "cpu:0"}).Run(300);
  bool same = apart == together;
  std::printf("3 towers on 3 devices: %s\n",
              same ? "the bits of one device" : "other bits than one device");
  bool learned = apart.back() < 0.1f * apart.front();
  std::printf("loss fell to %s than a tenth\n", learned ? "less" : "more");
  return same && learned ? 0 : 1;
}
