// Transformer blocks: attention and a feed-forward part, each added to what
// goes into it and normalised after (or, with norm_first, before).
#pragma once

#include <optional>

#include "sluice/nn/attention.h"
#include "sluice/nn/dropout.h"
#include "sluice/nn/norms.h"
#include "sluice/nn/sequential.h"

namespace sluice::nn {

struct TransformerOptions {
  int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  std::string activation = "relu";  // or gelu
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;
  bool bias = true;
  DType dtype = DType::kF32;
};

// What both kinds of layers have behind attention.
class TransformerLayer : public Module {
 public:
  MultiheadAttention self_attn;
  Linear linear1, linear2;
  LayerNorm norm1, norm2;

 protected:
  TransformerLayer(int64_t d_model, int64_t nhead,
                   const TransformerOptions& options, Where where);
  Tensor Attend(MultiheadAttention& attention, const Tensor& x,
                const Tensor& memory, const AttentionMasks& masks);
  Tensor FeedForward(const Tensor& x);
  // x + part(norm(x)), or norm(x + part(x)).
  template <class Part>
  Tensor Added(const Tensor& x, LayerNorm& norm, Part part);

  TransformerOptions options_;
};

class TransformerEncoderLayer : public TransformerLayer {
 public:
  TransformerEncoderLayer(int64_t d_model, int64_t nhead,
                          const TransformerOptions& options = {},
                          Where where = Where::current());
  Tensor forward(Tensor x) override { return forward(x, {}); }
  Tensor forward(Tensor x, const AttentionMasks& masks);
  using Module::operator();
  Tensor operator()(Tensor x, const AttentionMasks& masks,
                    Where where = Where::current()) {
    return noted(where, [&] { return forward(x, masks); });
  }
};

// Looks at the sequence itself, then at `memory`, which an encoder made.
struct DecoderMasks {
  AttentionMasks self{}, memory{};
};

class TransformerDecoderLayer : public TransformerLayer {
 public:
  TransformerDecoderLayer(int64_t d_model, int64_t nhead,
                          const TransformerOptions& options = {},
                          Where where = Where::current());
  using Module::forward;
  Tensor forward(Tensor x, Tensor memory, const DecoderMasks& masks = {});
  Tensor operator()(Tensor x, Tensor memory, const DecoderMasks& masks = {},
                    Where where = Where::current()) {
    return noted(where, [&] { return forward(x, memory, masks); });
  }

  MultiheadAttention multihead_attn;
  LayerNorm norm3;
};

// Layers in a row; `final_norm` adds a LayerNorm behind the last.
class TransformerEncoder : public Module {
 public:
  TransformerEncoder(int64_t num_layers, int64_t d_model, int64_t nhead,
                     const TransformerOptions& options = {},
                     bool final_norm = false, Where where = Where::current());
  Tensor forward(Tensor x) override { return forward(x, {}); }
  Tensor forward(Tensor x, const AttentionMasks& masks);
  using Module::operator();
  Tensor operator()(Tensor x, const AttentionMasks& masks,
                    Where where = Where::current()) {
    return noted(where, [&] { return forward(x, masks); });
  }

  ModuleList layers;
  std::shared_ptr<LayerNorm> norm;  // null without
};

class TransformerDecoder : public Module {
 public:
  TransformerDecoder(int64_t num_layers, int64_t d_model, int64_t nhead,
                     const TransformerOptions& options = {},
                     bool final_norm = false, Where where = Where::current());
  using Module::forward;
  Tensor forward(Tensor x, Tensor memory, const DecoderMasks& masks = {});
  Tensor operator()(Tensor x, Tensor memory, const DecoderMasks& masks = {},
                    Where where = Where::current()) {
    return noted(where, [&] { return forward(x, memory, masks); });
  }

  ModuleList layers;
  std::shared_ptr<LayerNorm> norm;
};

}  // namespace sluice::nn
