#include "examples/models/gan.h"

namespace sluice::models {

Gan::Gan(int64_t hidden)
    : maker_{nn::make<nn::Linear>(kNoise, hidden), nn::make<nn::ReLU>(),
             nn::make<nn::Linear>(hidden, hidden), nn::make<nn::ReLU>(),
             nn::make<nn::Linear>(hidden, 784)},
      critic_{nn::make<nn::Linear>(784, hidden), nn::make<nn::LeakyReLU>(0.2),
              nn::make<nn::Linear>(hidden, hidden),
              nn::make<nn::LeakyReLU>(0.2), nn::make<nn::Linear>(hidden, 1)},
      improve_maker_(maker_.parameters(), {.lr = 2e-4, .beta1 = 0.5}),
      improve_critic_(critic_.parameters(), {.lr = 2e-4, .beta1 = 0.5}) {}

Gan::Losses Gan::step(const Tensor& images, const Tensor& noise) {
  auto truth = [](const Tensor& logits, float wanted) {
    return mean(bce_with_logits_loss(logits, zeros_like(logits) + wanted));
  };
  Tensor made = make(noise);

  // What is made is a constant for the critic.
  Losses losses;
  losses.critic = truth(critic_(images), 1) + truth(critic_(made.detach()), 0);
  improve_critic_.zero_grad();
  losses.critic.backward();
  improve_critic_.step();

  losses.maker = truth(critic_(made), 1);
  improve_maker_.zero_grad();
  losses.maker.backward();
  improve_maker_.step();
  return {losses.critic.detach(), losses.maker.detach()};
}

}  // namespace sluice::models
