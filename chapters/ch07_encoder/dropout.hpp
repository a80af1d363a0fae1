// Dropout (Srivastava et al. 2014): while a model learns, each number is set to 0 with probability
// p, so that no part of the model can rely on another being there.
//
//     y = m x / (1 - p)        m = 0 with probability p, else 1
//
// Divided by 1 - p the expected value of y is x ("inverted" dropout), so that evaluation leaves
// dropout out and changes nothing else.
#pragma once

#include "common/random/random.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

class Dropout {
  public:
    /// Throws std::invalid_argument unless 0 <= probability < 1.
    Dropout(double probability, Random random);

    /// Any shape; takes one word of the generator an element, from the next multiple of 4 on.
    /// For probability 0 it returns x and takes none. The number of threads changes nothing.
    Tensor operator()(const Tensor& x);

    double probability() const { return probability_; }
    /// The generator: its position is what a checkpoint has to keep.
    Random& random() { return random_; }
    const Random& random() const { return random_; }

  private:
    double probability_;
    Random random_;
};

}  // namespace bert
