#include "sluice/formats/huffman.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>

namespace sluice {

namespace {

// Unrestricted Huffman codes. Returns the longest length.
int FreeLengths(const std::vector<uint64_t>& counts,
                std::vector<uint8_t>* lengths) {
  // Leaves are numbered like symbols, inner nodes after them; equal counts are
  // ordered by number, so that the result depends on nothing else.
  using Entry = std::pair<uint64_t, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  std::vector<size_t> parent(2 * counts.size(), 0);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) heap.emplace(counts[i], i);
  }
  size_t node = counts.size();
  for (; heap.size() > 1; ++node) {
    Entry a = heap.top();
    heap.pop();
    Entry b = heap.top();
    heap.pop();
    parent[a.second] = parent[b.second] = node;
    heap.emplace(a.first + b.first, node);
  }
  std::vector<int> depth(node, 0);
  for (size_t i = node - 1; i-- > counts.size();) {
    depth[i] = depth[parent[i]] + 1;
  }
  int longest = 0;
  lengths->assign(counts.size(), 0);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    int bits = depth[parent[i]] + 1;
    (*lengths)[i] = static_cast<uint8_t>(std::min(bits, 255));
    longest = std::max(longest, bits);
  }
  return longest;
}

}  // namespace

std::vector<uint8_t> CodeLengths(std::span<const uint32_t> counts,
                                 int max_bits) {
  std::vector<uint64_t> flat(counts.begin(), counts.end());
  auto used = std::count_if(flat.begin(), flat.end(),
                            [](uint64_t count) { return count > 0; });
  for (size_t i = 0; used < 2; ++i) {
    if (flat[i] > 0) continue;
    flat[i] = 1;
    ++used;
  }
  // If a code is too long, counts are brought closer to each other until none
  // is: rarely needed, and then a few bits from the optimum.
  std::vector<uint8_t> lengths;
  while (FreeLengths(flat, &lengths) > max_bits) {
    for (uint64_t& count : flat) count = (count + 1) / 2;
  }
  return lengths;
}

std::vector<uint16_t> CodesOf(std::span<const uint8_t> lengths) {
  constexpr size_t kMostBits = 15;
  std::array<uint32_t, kMostBits + 2> count{}, next{};
  for (uint8_t bits : lengths) ++count[bits];
  count[0] = 0;
  for (size_t bits = 1; bits <= kMostBits; ++bits) {
    next[bits + 1] = (next[bits] + count[bits]) << 1;
  }
  std::vector<uint16_t> codes(lengths.size(), 0);
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] == 0) continue;
    uint32_t code = next[lengths[i]]++;
    uint32_t turned = 0;
    for (int k = 0; k < lengths[i]; ++k) {
      turned = turned << 1 | (code >> k & 1);
    }
    codes[i] = static_cast<uint16_t>(turned);
  }
  return codes;
}

}  // namespace sluice
