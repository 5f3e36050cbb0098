#include "sluice/optim/option_list.h"

namespace sluice::optim {

namespace {

constexpr char kLr[] = "The learning rate.";
constexpr char kBeta1[] = "The share that the mean of gradients keeps.";
constexpr char kBeta2[] = "The share that the mean of their squares keeps.";
constexpr char kEps[] = "Added to what is divided by.";
constexpr char kDecay[] = "Times the parameter, added to its gradient.";
constexpr char kShrink[] =
    "Times the rate, the share a parameter loses beside the step.";
constexpr char kDecoupled[] =
    "Parameters lose weight_decay beside the step, not in the gradient.";
constexpr char kMaximize[] = "Make the loss larger.";

}  // namespace

// A list, whose entries are told by the members' names.
#define SL_OPTIONS(Struct, ...)                                     \
  template <>                                                       \
  const OptionList<Struct>& OptionsOf<Struct>() {                   \
    using O = Struct;                                               \
    static const auto& list = *new OptionList<Struct>{__VA_ARGS__}; \
    return list;                                                    \
  }
#define SL_OPTION(member, doc) {#member, &O::member, doc}

SL_OPTIONS(SGDOptions, SL_OPTION(lr, kLr),
           SL_OPTION(momentum, "The share of the last step in the next."),
           SL_OPTION(dampening, "What momentum leaves out of a gradient."),
           SL_OPTION(weight_decay, kDecay),
           SL_OPTION(nesterov, "Look ahead: a gradient counts twice."),
           SL_OPTION(maximize, kMaximize))

SL_OPTIONS(AdamOptions, SL_OPTION(lr, kLr), SL_OPTION(beta1, kBeta1),
           SL_OPTION(beta2, kBeta2), SL_OPTION(eps, kEps),
           SL_OPTION(weight_decay, kDecay),
           SL_OPTION(amsgrad, "Divide by the largest mean square so far."),
           SL_OPTION(maximize, kMaximize))

SL_OPTIONS(AdamWOptions, SL_OPTION(lr, kLr), SL_OPTION(beta1, kBeta1),
           SL_OPTION(beta2, kBeta2), SL_OPTION(eps, kEps),
           SL_OPTION(weight_decay, kShrink),
           SL_OPTION(amsgrad, "Divide by the largest mean square so far."),
           SL_OPTION(maximize, kMaximize))

SL_OPTIONS(NAdamOptions, SL_OPTION(lr, kLr), SL_OPTION(beta1, kBeta1),
           SL_OPTION(beta2, kBeta2), SL_OPTION(eps, kEps),
           SL_OPTION(weight_decay, kDecay),
           SL_OPTION(momentum_decay, "How fast beta1 is reached."),
           SL_OPTION(decoupled_weight_decay, kDecoupled),
           SL_OPTION(maximize, kMaximize))

SL_OPTIONS(RAdamOptions, SL_OPTION(lr, kLr), SL_OPTION(beta1, kBeta1),
           SL_OPTION(beta2, kBeta2), SL_OPTION(eps, kEps),
           SL_OPTION(weight_decay, kDecay),
           SL_OPTION(decoupled_weight_decay, kDecoupled),
           SL_OPTION(maximize, kMaximize))

SL_OPTIONS(AdamaxOptions, SL_OPTION(lr, kLr), SL_OPTION(beta1, kBeta1),
           SL_OPTION(beta2, "The share that the largest gradient keeps."),
           SL_OPTION(eps, kEps), SL_OPTION(weight_decay, kDecay),
           SL_OPTION(maximize, kMaximize))

SL_OPTIONS(RpropOptions, SL_OPTION(lr, "The length of the first step."),
           SL_OPTION(eta_minus, "Times the step where a sign turns."),
           SL_OPTION(eta_plus, "Times the step where it stays."),
           SL_OPTION(step_min, "The shortest step."),
           SL_OPTION(step_max, "The longest step."),
           SL_OPTION(maximize, kMaximize))

SL_OPTIONS(ASGDOptions, SL_OPTION(lr, kLr),
           SL_OPTION(lambd, "The share of the rate a parameter loses."),
           SL_OPTION(alpha, "The power the rate falls with."),
           SL_OPTION(t0, "The step the mean of parameters begins at."),
           SL_OPTION(weight_decay, kDecay), SL_OPTION(maximize, kMaximize))

SL_OPTIONS(AdagradOptions, SL_OPTION(lr, kLr),
           SL_OPTION(lr_decay, "How much slower each step is than the last."),
           SL_OPTION(weight_decay, kDecay),
           SL_OPTION(initial_accumulator_value,
                     "What the sums of squares begin at."),
           SL_OPTION(eps, kEps), SL_OPTION(maximize, kMaximize))

SL_OPTIONS(AdadeltaOptions, SL_OPTION(lr, "Times the step."),
           SL_OPTION(rho, "The share that means keep."), SL_OPTION(eps, kEps),
           SL_OPTION(weight_decay, kDecay), SL_OPTION(maximize, kMaximize))

SL_OPTIONS(RMSPropOptions, SL_OPTION(lr, kLr),
           SL_OPTION(alpha, "The share that the mean square keeps."),
           SL_OPTION(eps, kEps), SL_OPTION(weight_decay, kDecay),
           SL_OPTION(momentum, "The share of the last step in the next."),
           SL_OPTION(centered, "Take the square of the mean off."),
           SL_OPTION(maximize, kMaximize))

SL_OPTIONS(AdafactorOptions, SL_OPTION(lr, kLr),
           SL_OPTION(beta2_decay, "The power of the step that means keep."),
           SL_OPTION(eps1,
                     "Added to squares; 0: the distance of 1 to the next "
                     "number of the type."),
           SL_OPTION(eps2, "The least size a parameter counts as."),
           // PyTorch's name.
           {"d", &O::clip_threshold, "The largest root mean square of a step."},
           SL_OPTION(weight_decay, kShrink), SL_OPTION(maximize, kMaximize))

SL_OPTIONS(LionOptions, SL_OPTION(lr, kLr),
           SL_OPTION(beta1, "The share of the mean in a step's direction."),
           SL_OPTION(beta2, "The share that the mean of gradients keeps."),
           SL_OPTION(weight_decay, kShrink), SL_OPTION(maximize, kMaximize))

SL_OPTIONS(LBFGSOptions, SL_OPTION(lr, kLr),
           SL_OPTION(max_iter, "Updates of one step()."),
           SL_OPTION(max_eval, "Calls of the closure; 0: a quarter more."),
           SL_OPTION(tolerance_grad, "A gradient nowhere larger ends a step."),
           SL_OPTION(tolerance_change, "A change nowhere larger ends a step."),
           SL_OPTION(history_size, "How many updates are remembered."),
           SL_OPTION(strong_wolfe,
                     "Search for a length along each direction instead of "
                     "taking lr."))

#undef SL_OPTION
#undef SL_OPTIONS

}  // namespace sluice::optim
