// Layers, losses and initialisers: everything of sluice::nn.
#pragma once

#include "sluice/nn/activation.h"
#include "sluice/nn/batch_norm.h"
#include "sluice/nn/conv.h"
#include "sluice/nn/dropout.h"
#include "sluice/nn/embedding.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/init.h"
#include "sluice/nn/linear.h"
#include "sluice/nn/loss.h"
#include "sluice/nn/loss_layers.h"
#include "sluice/nn/module.h"
#include "sluice/nn/pool.h"
#include "sluice/nn/sequential.h"
#include "sluice/nn/shape_layers.h"
