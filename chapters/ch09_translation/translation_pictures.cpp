#include "ch09_translation/translation_pictures.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ch09_translation/decoding.hpp"
#include "ch09_translation/training_data.hpp"
#include "common/autograd/tape.hpp"
#include "common/tensor/layout.hpp"
#include "common/tensor/reduce.hpp"

namespace bert {

namespace {

std::vector<std::int32_t> numbers(std::size_t count) {
    std::vector<std::int32_t> result(count);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

// Layers of (1, H, T, S) to one dump.
AttentionDump dump_of(const AttentionRecorder& recorder, std::vector<std::string> targets,
                      std::vector<std::string> sources, AttentionMask mask, std::string title) {
    std::vector<Tensor> layers;
    for (const Tensor& weights : recorder.weights) {
        Shape shape = weights.shape();
        shape.insert(shape.begin(), 1);
        layers.push_back(reshape(weights, shape));
    }
    AttentionDump dump;
    dump.attentions = concat(layers, 0);  // (L, 1, H, T, S)
    dump.layers = numbers(layers.size());
    dump.heads = numbers(dump.attentions.dim(2));
    dump.tokens = {std::move(targets)};
    if (!sources.empty()) dump.source_tokens = {std::move(sources)};
    dump.mask = mask;
    dump.title = std::move(title);
    dump.model = "Transformer";
    return dump;
}

}  // namespace

TranslationMaps translation_maps(const TranslationModel& model, const std::string& sentence) {
    const Transformer& transformer = model.transformer;
    const std::size_t max_length = transformer.positions.dim(0);
    const NoGradient no_gradient;
    const TokenIds source = source_ids(model.source, sentence, max_length);
    TokenIds said = greedy(transformer, {source}, max_length - 1)[0].tokens;
    const std::string translation = text_of(model.target, said);
    TokenIds read = said;
    read.insert(read.begin(), start_id);
    said.push_back(end_id);

    AttentionRecorder encoder;
    AttentionRecorder decoder;
    AttentionRecorder cross;
    transformer.logits(pad_sentences({source}), pad_sentences({read}),
                       {nullptr, &encoder, &decoder, &cross});
    const std::vector<std::string> source_words = model.source.words(source);
    const std::vector<std::string> said_words = model.target.words(said);
    return {translation,
            dump_of(encoder, source_words, {}, AttentionMask::none, "Encoder: " + sentence),
            dump_of(decoder, said_words, model.target.words(read), AttentionMask::none,
                    "Decoder: " + translation),
            dump_of(cross, said_words, source_words, AttentionMask::none,
                    "Cross-attention: " + sentence)};
}

Heatmap mean_over_heads(const AttentionDump& dump, std::size_t layer, const std::string& title) {
    const Tensor one = slice(dump.attentions, 0, layer, layer + 1);  // (1, 1, H, T, S)
    const Tensor average = mean(one, 2);                             // (1, 1, T, S)
    Heatmap heatmap;
    heatmap.values = reshape(average, {average.dim(2), average.dim(3)});
    heatmap.row_names = dump.tokens[0];
    heatmap.column_names = source_tokens_of(dump)[0];
    heatmap.title = title;
    heatmap.range = {0.0, 1.0};
    return heatmap;
}

LineChart loss_chart(const std::vector<StepReport>& log, std::size_t window) {
    Series series{"training", {}, {}};
    double sum = 0.0;
    for (std::size_t i = 0; i < log.size(); ++i) {
        sum += log[i].loss;
        if (i >= window) sum -= log[i - window].loss;
        series.x.push_back(static_cast<double>(log[i].step));
        series.y.push_back(sum / static_cast<double>(std::min(i + 1, window)));
    }
    LineChart chart;
    chart.title = "Loss of the translation model";
    chart.x_title = "step";
    chart.y_title = "loss";
    chart.series.push_back(std::move(series));
    return chart;
}

}  // namespace bert
