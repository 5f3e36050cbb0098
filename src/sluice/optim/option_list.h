// The options of every optimizer as data: name, place in its options struct
// (and so type and default) and meaning. What reads options by name, in other
// languages and in files, is derived from these lists.
//
//   for (const Option<AdamOptions>& o : OptionsOf<AdamOptions>()) { ... o.name
//
// Made on first use; never change. Any thread.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "sluice/optim/optim.h"

namespace sluice::optim {

template <class Options>
struct Option {
  const char* name;
  std::variant<double Options::*, bool Options::*, int64_t Options::*> member;
  const char* doc;
};
template <class Options>
using OptionList = std::vector<Option<Options>>;

// In the order of the struct.
template <class Options>
const OptionList<Options>& OptionsOf();

template <>
const OptionList<SGDOptions>& OptionsOf<SGDOptions>();
template <>
const OptionList<AdamOptions>& OptionsOf<AdamOptions>();
template <>
const OptionList<AdamWOptions>& OptionsOf<AdamWOptions>();
template <>
const OptionList<NAdamOptions>& OptionsOf<NAdamOptions>();
template <>
const OptionList<RAdamOptions>& OptionsOf<RAdamOptions>();
template <>
const OptionList<AdamaxOptions>& OptionsOf<AdamaxOptions>();
template <>
const OptionList<RpropOptions>& OptionsOf<RpropOptions>();
template <>
const OptionList<ASGDOptions>& OptionsOf<ASGDOptions>();
template <>
const OptionList<AdagradOptions>& OptionsOf<AdagradOptions>();
template <>
const OptionList<AdadeltaOptions>& OptionsOf<AdadeltaOptions>();
template <>
const OptionList<RMSPropOptions>& OptionsOf<RMSPropOptions>();
template <>
const OptionList<AdafactorOptions>& OptionsOf<AdafactorOptions>();
template <>
const OptionList<LionOptions>& OptionsOf<LionOptions>();
template <>
const OptionList<LBFGSOptions>& OptionsOf<LBFGSOptions>();

}  // namespace sluice::optim
