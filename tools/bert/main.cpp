// The program bert.
#include "tools/bert/commands.hpp"

int main(int argc, char** argv) {
    return bert::run_commands(
        argc, argv,
        {bert::tokenize_command(), bert::train_vocab_command(), bert::encode_command(),
         bert::embed_command(), bert::fill_mask_command(), bert::next_sentence_command(),
         bert::attention_command(), bert::inspect_command(), bert::convert_command(),
         bert::split_sentences_command(), bert::make_data_command(), bert::pretrain_command(),
         bert::eval_command(), bert::bench_command()});
}
