// The commands of the program bert, one source file each.
#pragma once

#include "tools/bert/command.hpp"

namespace bert {

Command tokenize_command();
Command train_vocab_command();
Command encode_command();
Command embed_command();
Command fill_mask_command();
Command next_sentence_command();
Command attention_command();
Command inspect_command();
Command convert_command();
Command split_sentences_command();
Command make_data_command();
Command pretrain_command();
Command eval_command();
Command bench_command();

}  // namespace bert
