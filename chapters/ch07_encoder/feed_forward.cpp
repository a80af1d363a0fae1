#include "ch07_encoder/feed_forward.hpp"

namespace bert {

// [feed_forward]
Tensor FeedForward::operator()(const Tensor& x) const {
    return outer(activate(activation, inner(x)));  // (.., D) to (.., F) to (.., D)
}
// [feed_forward]

}  // namespace bert
