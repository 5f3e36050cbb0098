// An input pipeline: the digits of MNIST shuffled, changed by two threads,
// batched and made ahead of the loop; its position saved in the middle of a
// pass and gone back to; and threads that fill a queue beside training.
//
// Prints:
//   mnist train(8000) > shuffle(8000, seed 7) > map jitter(seed 7) > batch(64)
//   125 batches of f32[64,784] and i64[64]
//   after 3 batches: "epoch": 0, "taken": 3
//   the 4th batch again: equal
//   31 steps took 1984 of 2000 digits from the queue
#include <sluice/sluice.h>

#include <cstdio>

namespace sl = sluice;
namespace data = sluice::data;

int main() {
  auto train =
      data::mnist("train")
          .shuffle(8000, /*seed=*/7)
          .map(
              [](data::Random& random, sl::Tensor image, sl::Tensor label) {
                // Random in a map depends on the element, not on
                // which thread works on it.
                float light = 0.9f + 0.2f * random.uniform();
                return std::tuple(image * light, label);
              },
              {.threads = 2, .seed = 7, .name = "jitter"})
          .batch(64)
          .prefetch(2);
  std::printf("%s\n", train.describe().c_str());
  int batches = 0;
  std::string types;
  for (auto& [images, labels] : train) {
    types = sl::TypeText(images.dtype(), images.shape()) + " and " +
            sl::TypeText(labels.dtype(), labels.shape());
    ++batches;
  }
  std::printf("%d batches of %s\n", batches, types.c_str());

  // A position is a line of text, which a checkpoint keeps.
  auto pass = train.iterator();
  for (int i = 0; i < 3; ++i) pass.next();
  std::string saved = pass.state();
  std::printf("after 3 batches: %s\n",
              saved.substr(saved.find("\"epoch\""), 22).c_str());
  auto again = train.iterator();
  again.restore(saved);
  auto a = *pass.next(), b = *again.next();
  bool equal = a[0].array().BitEquals(b[0].array()) &&
               a[1].array().BitEquals(b[1].array());
  std::printf("the 4th batch again: %s\n", equal ? "equal" : "different");

  // A queue as an input pipeline: three threads run steps that enqueue and wait
  // while it is full; training steps dequeue batches and wait while it has too
  // few.
  sl::Graph graph;
  sl::GraphScope building(graph);
  auto queue = sl::fifo_queue(256, {sl::f32, sl::i64}, {{784}, sl::Shape{}});
  auto image = sl::placeholder(sl::f32, {784}, "image");
  auto label = sl::placeholder(sl::i64, sl::Shape{}, "label");
  auto fill = queue.enqueue({image, label});
  auto taken = queue.dequeue_many(64);
  auto brightness = sl::mean(taken[0]);

  sl::Session session(graph);
  data::QueueRunner readers(
      session, queue,
      data::enqueue_steps(session, data::mnist("test"), fill, {image, label}),
      {.threads = 3});
  int steps = 0;
  while (readers.feed([&] { session.run(brightness); })) ++steps;
  std::printf("%d steps took %d of 2000 digits from the queue\n", steps,
              steps * 64);
}
