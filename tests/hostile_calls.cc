#include "tests/hostile_calls.h"

#include <algorithm>

#include "sluice/base/random.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

constexpr int64_t kMaxElementsOfABase = 20'000;

int64_t ElementsOf(const SweepCase& c) {
  int64_t n = 0;
  for (const Array& in : c.inputs) n += in.num_elements();
  return n;
}

// A call that has not been made yet: lists of them are long.
struct Recipe {
  const SweepCase* base;
  std::vector<const Attack*> attacks;
};

HostileCall Make(const Recipe& recipe) {
  HostileCall call{recipe.base->name, recipe.base->attrs, recipe.base->inputs};
  for (const Attack* attack : recipe.attacks) {
    StrAppend(call.what, attack == recipe.attacks[0] ? ": " : ", ",
              attack->what);
    attack->apply(call);
  }
  return call;
}

}  // namespace

void ForEachHostileCall(const OpRecord& op, size_t limit,
                        const std::function<void(const HostileCall&)>& visit) {
  const RandomKey key = RandomKey::Of(7, 0, 0, 0);
  uint64_t drawn = 0;
  auto draw = [&](size_t below) { return RandomBits(key, drawn++)[0] % below; };
  // Every sample in its first type, and some of the others.
  std::vector<const SweepCase*> bases;
  for (const SweepCase& c : CasesOf(op)) {
    if (ElementsOf(c) > kMaxElementsOfABase) continue;
    if (c.first || draw(6) == 0) bases.push_back(&c);
  }
  std::vector<std::vector<Attack>> attacks(bases.size());
  std::vector<Recipe> recipes;
  for (size_t b = 0; b < bases.size(); ++b) {
    for (auto& more :
         {ValueAttacks(bases[b]->inputs), ShapeAttacks(bases[b]->inputs),
          AttrAttacks(op, bases[b]->attrs)}) {
      attacks[b].insert(attacks[b].end(), more.begin(), more.end());
    }
    for (const Attack& a : attacks[b]) recipes.push_back({bases[b], {&a}});
  }
  // Too many: a fixed choice among them, so that every kind stays.
  size_t singles = limit * 3 / 4;
  for (size_t i = 0; recipes.size() > singles && i < singles; ++i) {
    std::swap(recipes[i], recipes[i + draw(recipes.size() - i)]);
  }
  if (recipes.size() > singles) recipes.resize(singles);
  size_t pairs = bases.empty() ? 0 : std::min(limit / 4, recipes.size());
  for (size_t i = 0; i < pairs; ++i) {
    size_t b = draw(bases.size());
    Recipe pair{bases[b], {}};
    for (size_t n = 2 + draw(2); n > 0; --n) {
      pair.attacks.push_back(&attacks[b][draw(attacks[b].size())]);
    }
    recipes.push_back(pair);
  }
  for (const Recipe& recipe : recipes) visit(Make(recipe));
}

}  // namespace sluice
