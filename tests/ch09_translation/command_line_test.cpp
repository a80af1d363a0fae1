#include "ch09_translation/command_line.hpp"

#include "common/cli/program.hpp"
#include "tests/support/catch.hpp"

using namespace bert;

TEST_CASE("run_options: without options it is the recipe", "[ch09]") {
    const RunOptions o = run_options({}, "folder");
    const RunOptions recipe = translation_recipe();
    CHECK(o.folder == "folder");
    CHECK(o.training.steps == recipe.training.steps);
    CHECK(o.training.warmup == recipe.training.warmup);
    CHECK(o.layers.width == 96);
    CHECK(o.layers.norm_order == NormOrder::post);
    CHECK(o.progress);
    CHECK_FALSE(o.resume);
}

TEST_CASE("run_options: every option arrives at its place", "[ch09]") {
    CommandLine line;
    line.train = line.resume = line.quiet = "yes";
    line.steps = "50";
    line.batch = "3";
    line.learning_rate = "0.25";
    line.seed = "17";
    line.checkpoint_every = "11";
    line.layers = "4";
    line.width = "24";
    line.heads = "6";
    line.inner_width = "33";
    line.norm = "pre";
    line.max_length = "19";
    const RunOptions o = run_options(line, "f");
    CHECK(o.training.steps == 50);
    CHECK(o.training.warmup == 5);  // a tenth of the steps, unless said
    CHECK(o.training.batch_size == 3);
    CHECK(o.training.learning_rate == 0.25);
    CHECK(o.training.seed == 17);
    CHECK(o.checkpoint_every == 11);
    CHECK(o.layers.num_layers == 4);
    CHECK(o.layers.width == 24);
    CHECK(o.layers.num_heads == 6);
    CHECK(o.layers.inner_width == 33);
    CHECK(o.layers.norm_order == NormOrder::pre);
    CHECK(o.max_length == 19);
    CHECK(o.resume);
    CHECK_FALSE(o.progress);
    line.warmup = "7";
    CHECK(run_options(line, "f").training.warmup == 7);
    CHECK_THROWS_AS(run_options(line, ""), UsageError);  // resumed from where?
}

TEST_CASE("search_options: beam and length penalty", "[ch09]") {
    CHECK(search_options({}).beam_size == 1);
    CommandLine line;
    line.beam = "7";
    line.length_penalty = "1.5";
    CHECK(search_options(line).beam_size == 7);
    CHECK(search_options(line).length_penalty == 1.5);
    line.length_penalty = "0";
    CHECK(search_options(line).length_penalty == 0.0);
}
