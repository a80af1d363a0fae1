// The arrays of bert encode: those that go in with --input, and those that come out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ch13_bert_input/bert_input.hpp"
#include "ch14_bert/bert.hpp"
#include "ch14_bert/config.hpp"
#include "common/tensor/tensor.hpp"

namespace bert {

/// input_ids (B, T) of a .npz file, and token_type_ids and attention_mask where they are there.
/// Throws as read_npz(), and FileError naming the place of what does not fit the model.
BertInput read_input(const std::string& path, const BertConfig& config);

struct EncodedWishes {
    bool hidden_states = false;
    bool attentions = false;
    bool logits = false;  // of the heads that the model has
};

/// The results for a whole batch, filled part by part. The model and the input have to stay.
class EncodedArrays {
  public:
    /// Takes the memory. Throws std::length_error, before that, when it is too much.
    EncodedArrays(const PretrainedBert& model, const BertInput& input, const EncodedWishes& wishes);

    /// How many examples may go through the model at once.
    std::size_t examples_at_once() const;
    /// Runs the model over the examples [begin, end). Throws as the model does, and NumericError
    /// for an array with a number that is not finite.
    void run(std::size_t begin, std::size_t end);
    /// Writes input and results. Throws IoError.
    void write(const std::string& path) const;

  private:
    struct Array {
        std::string name;
        Shape shape;
        Tensor tensor;
    };

    const Array* find(const std::string& name) const;
    void put(const std::string& name, std::size_t outer, std::size_t begin, const Tensor& part);
    BertInput rows_of(std::size_t begin, std::size_t end) const;

    const PretrainedBert& model_;
    const BertInput& input_;
    std::vector<Array> arrays_;
};

}  // namespace bert
