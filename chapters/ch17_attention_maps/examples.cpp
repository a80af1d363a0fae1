#include "ch17_attention_maps/examples.hpp"

namespace bert {

AttentionDump quarter_maps() {
    AttentionDump dump;
    dump.attentions = Tensor(Shape{2, 1, 1, 4, 4},     //
                             {1.00, 0.00, 0.00, 0.00,  // the token before, layer 0
                              1.00, 0.00, 0.00, 0.00,  //
                              0.00, 1.00, 0.00, 0.00,  //
                              0.00, 0.00, 1.00, 0.00,  //
                              0.25, 0.25, 0.25, 0.25,  // everything alike, layer 1
                              0.25, 0.25, 0.25, 0.25,  //
                              0.50, 0.00, 0.00, 0.50,  // [CLS] and [SEP]
                              0.00, 0.00, 0.00, 1.00});
    dump.layers = {0, 1};
    dump.heads = {0};
    dump.tokens = {{"[CLS]", "dogs", "bark", "[SEP]"}};
    dump.special_tokens = {{"cls", "[CLS]"}, {"sep", "[SEP]"}};
    dump.title = "Two heads by hand";
    dump.text = "dogs bark";
    return dump;
}

TwoMaps two_maps_one_output() {
    return {Tensor(Shape{2, 1, 3}, {0.125, 0.75, 0.125, 0.125, 0.125, 0.75}),
            Tensor{{8, 0}, {0, 8}, {0, 8}}};
}

}  // namespace bert
