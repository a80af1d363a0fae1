#include "ch14_bert/config.hpp"

#include "common/io/strict_json.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace bert::test {

void fuzz_config(std::string_view bytes) {
    try {
        // JSON that is read is written so that it reads as the same.
        const std::string text = parse_json("x", bytes).to_json();
        promise(parse_json("x", text).to_json() == text, "JSON survives being written");
        const BertConfig config = parse_bert_config("x", bytes);
        promise(config.hidden_size % config.num_attention_heads == 0, "heads divide the width");
        promise(config.layer_norm_eps > 0, "eps is positive");
        promise(weight_bytes(config) > config.vocab_size, "the size does not wrap");
        promise(parse_bert_config("x", to_json(config)) == config,
                "a config survives being written");
    } catch (const FileError& e) {
        check_message(e, "x");
    }
}

}  // namespace bert::test
