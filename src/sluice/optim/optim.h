// Optimizers, schedules of their learning rates, and what goes with them.
#pragma once

#include "sluice/optim/adadelta.h"
#include "sluice/optim/adafactor.h"
#include "sluice/optim/adagrad.h"
#include "sluice/optim/adam.h"
#include "sluice/optim/clip.h"
#include "sluice/optim/curve.h"
#include "sluice/optim/ema.h"
#include "sluice/optim/grad_scaler.h"
#include "sluice/optim/lbfgs.h"
#include "sluice/optim/lion.h"
#include "sluice/optim/optimizer.h"
#include "sluice/optim/plateau.h"
#include "sluice/optim/rmsprop.h"
#include "sluice/optim/schedule.h"
#include "sluice/optim/sgd.h"
