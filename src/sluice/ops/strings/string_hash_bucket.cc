#include "sluice/kernels/string_hash.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  auto buckets = static_cast<uint64_t>(ctx.attr<int64_t>("num_buckets"));
  auto seed = static_cast<uint64_t>(ctx.attr<int64_t>("seed"));
  return string_op::Map<int64_t>(ctx, [=](const std::string& s) {
    return static_cast<int64_t>(StringHash(s, seed) % buckets);
  });
}

// The same hash, byte by byte.
double Reference(const std::string& s, const Attrs& attrs) {
  auto mix = [](uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  uint64_t odd = 0x9e3779b97f4a7c15u, word = 0;
  uint64_t hash = mix(static_cast<uint64_t>(attrs.get<int64_t>("seed")) + odd);
  for (size_t i = 0; i < s.size(); ++i) {
    word += uint64_t(static_cast<unsigned char>(s[i])) << (i % 8 * 8);
    if (i % 8 == 7) hash = mix(hash ^ word) + odd, word = 0;
  }
  hash = mix(mix(hash ^ word) + s.size() * odd);
  return static_cast<double>(
      hash % static_cast<uint64_t>(attrs.get<int64_t>("num_buckets")));
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = string_op::Samples({{"num_buckets", 1000}});
  samples.push_back({.in = {{20}},
                     .attrs = {{"num_buckets", 7}, {"seed", -3}},
                     .lo = 1e9,
                     .hi = 4e18});
  samples.push_back({.in = {{2}}, .attrs = {{"num_buckets", 1}}});
  return samples;
}

}  // namespace

SL_OP(StringHashBucket)
    .doc(
        "Which of a number of buckets strings belong to, by a hash that is "
        "the same on every machine and for ever.")
    .input("x: string")
    .output("y: i64")
    .attr("num_buckets", AttrKind::kInt, "How many buckets there are.")
    .between(1, INT64_MAX)
    .attr("seed", 0, "Another seed, another hash.")
    .shape(shapes::same_as_first)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .reference(string_op::MapReference(Reference))
    .samples(Samples());

}  // namespace sluice
