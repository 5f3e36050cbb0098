#include "sluice/data/data_test_util.h"

namespace sluice::data {
namespace {

// These read the subset in the repository.
TEST(Mnist, TheSubsetHasItsDigits) {
  auto train = mnist("train"), test = mnist("test");
  EXPECT_EQ(train.size(), 8000);
  EXPECT_EQ(test.size(), 2000);
  // Digits 0, 7, 15, 22, ... of the published training set.
  auto first = train.batch(8).iterator().next();
  EXPECT_EQ((*first)[0].shape(), (PartialShape{8, 784}));
  EXPECT_EQ((*first)[1].to_vector<int64_t>(),
            (std::vector<int64_t>{5, 3, 7, 9, 3, 0, 9, 7}));
  for (float v : (*first)[0].to_vector<float>()) {
    ASSERT_GE(v, 0);
    ASSERT_LE(v, 1);
  }
  std::vector<int> counts(10);
  int64_t images = 0;
  for (auto& [x, y] : train.shuffle(10000, 1).batch(64)) {
    for (int64_t digit : y.to_vector<int64_t>()) {
      ++counts.at(static_cast<size_t>(digit));
    }
    images += x.dim(0);
  }
  EXPECT_EQ(images, 8000);
  EXPECT_EQ(counts, (std::vector<int>{762, 901, 813, 837, 772, 700, 801, 811,
                                      790, 813}));
}

TEST(Mnist, ImagesForConvolutions) {
  auto one = mnist("test", {.flat = false}).iterator().next();
  EXPECT_EQ((*one)[0].shape(), (PartialShape{1, 28, 28}));
  EXPECT_EQ((*one)[1].shape(), PartialShape::Scalar());
  EXPECT_EQ((*one)[1].item<int64_t>(), 7);
}

TEST(Mnist, SaysWhereItLooked) {
  Contains(ErrorOf([] { mnist("valid"); }),
           "[mnist] split is \"valid\"; wanted \"train\" or \"test\"");
  Contains(ErrorOf([] { mnist("train", "/nowhere"); }),
           "no file train-images-idx3-ubyte.gz or train-images-idx3-ubyte in "
           "/nowhere");
}

}  // namespace
}  // namespace sluice::data
