// Sentences of different lengths without padding: rows of words through an
// embedding, attention and a mean, with gradients, at once and captured.
// Prints:
//   [[3, 1], [], [4, 1, 5]] has 5 values, 9 when padded
//   sums i64[3] [4 0 10]
//   shares [[0.75, 0.25], [], [0.4, 0.1, 0.5]]
//   joined [[1, 3, 3, 1], [], [1, 4, 5, 4, 1, 5]]
//   picked [[4, 1, 5], [3, 1]]
//   rows of the table with a gradient: i32[4] [1 3 4 5]
//   captured: the same
//   [RaggedSplits] splits[2] is 4; wanted 5, the number of values
#include <sluice/sluice.h>

#include <iostream>
#include <string>

namespace sl = sluice;

// Attention of every word to the words of its own sentence, and the mean.
sl::Tensor Summary(const sl::Ragged& x, const sl::Tensor& wq,
                   const sl::Tensor& wk) {
  sl::Ragged q = sl::matmul(x, wq), k = sl::matmul(x, wk);
  sl::Ragged weights = sl::softmax(sl::row_scores(q, k) * 0.7f);
  return sl::row_mean(sl::row_mix(weights, x));
}

int main() {
  sl::Ragged words = sl::ragged({{3, 1}, {}, {4, 1, 5}});
  std::cout << words << " has " << words.num_values() << " values, "
            << words.padded_elements() << " when padded\n";

  sl::Tensor sums = sl::row_sum(
      words.map([](const sl::Tensor& v) { return sl::cast(v, sl::i64); }));
  std::cout << "sums " << sums << "\n";

  // A tensor with a number for each row meets all values of that row.
  sl::Ragged numbers =
      words.map([](const sl::Tensor& v) { return sl::cast(v, sl::f32); });
  std::cout << "shares " << numbers / sl::row_sum(numbers) << "\n";

  std::cout << "joined " << sl::concat_in_rows({sl::sort_in_rows(words), words})
            << "\n";
  std::cout << "picked " << sl::take_rows(words, {2, 0}) << "\n";

  sl::Tensor table = sl::random_normal({6, 2}).requires_grad_();
  sl::Tensor wq = sl::random_normal({2, 2}).requires_grad_();
  sl::Tensor wk = sl::random_normal({2, 2}).requires_grad_();
  sl::Tensor y = Summary(sl::embedding_lookup(table, words), wq, wk);
  sl::sum(y * y).backward();
  std::cout << "rows of the table with a gradient: "
            << table.grad().coalesce().indices() << "\n";

  // Captured, one plan serves sentences of all lengths.
  auto summary = sl::function([&](sl::Tensor values, sl::Tensor splits) {
    sl::Ragged w = sl::Ragged::from_splits(values, splits);
    return Summary(sl::embedding_lookup(table, w), wq, wk);
  });
  sl::Tensor again = summary(words.values(), words.row_splits());
  bool same = sl::max(sl::abs(again - y)).item<float>() < 1e-5f;
  std::cout << "captured: " << (same ? "the same" : "something else") << "\n";

  try {
    sl::Ragged::from_splits(words.values(), {0, 2, 4});
  } catch (const sl::Error& error) {
    std::string text = error.what();
    std::cout << text.substr(0, text.find('\n')) << "\n";
  }
}
