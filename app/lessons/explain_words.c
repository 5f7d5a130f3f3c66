#include "app/lessons/explain_words.h"

#include <math.h>

#include "model/base/visible.h"

const char *explain_key(Pool *pool, const PassStory *pass, int key) {
    return pool_format(pool, "%d \"%s\"", key, visible_token(pool, pass->keys[key]));
}

const char *explain_query(Pool *pool, const PassStory *pass, int query) {
    return pool_format(pool, "%d \"%s\"", query, visible_token(pool, pass->queries[query]));
}

/* --- where query, key and value came from ------------------------------------------------------
 */

static const char *tensor_words(Pool *pool, const PassStory *pass, const StorySlice *slice) {
    switch (slice->tensor) {
    case STORY_SOURCE_EMBEDDED:
        return "the source's embeddings with positions";
    case STORY_TARGET_EMBEDDED:
        return "the target's embeddings with positions";
    case STORY_ENCODER_LAYER:
        return pool_format(pool, "the output of encoder layer %d", slice->layer);
    case STORY_DECODER_LAYER:
        return pool_format(pool, "the output of decoder layer %d", slice->layer);
    case STORY_AFTER_SELF:
        return pool_format(pool, "the decoder's stream after its self-attention, layer %d",
                           slice->layer);
    case STORY_ENCODED:
        break;
    }
    return pass->config->final_norm ? "the encoder's output, after its final norm"
                                    : "the encoder's output";
}

const char *explain_source(Pool *pool, const PassStory *pass, StoryRole role) {
    const StorySlice *slice = &pass->story.slices[role];
    const char *words = tensor_words(pool, pass, slice);
    if (!slice->normed) return words;
    HeadId id = pass->story.id;
    return pool_format(pool, "what norm%d of %s layer %d made of %s", id.site == SITE_CROSS ? 2 : 1,
                       id.site == SITE_ENCODER ? "encoder" : "decoder", id.layer, words);
}

const char *explain_parameters(Pool *pool, HeadId id) {
    return pool_format(pool, "%s.layers.%d.%s", id.site == SITE_ENCODER ? "encoder" : "decoder",
                       id.layer, id.site == SITE_CROSS ? "multihead_attn" : "self_attn");
}

/* --- the mask --------------------------------------------------------------------------------- */

const char *explain_verdict(Pool *pool, const PassStory *pass) {
    const WeightStory *story = &pass->story;
    const StoryMask *mask = &story->mask;
    const char *length = pool_format(pool, "the valid length of the keys is %d", mask->valid_len);
    if (mask->seen != mask->right)
        return pool_format(
            pool,
            "%s, by a mistake that this pass makes: here the query sees %s, where by the right "
            "rule it %s",
            mask->seen ? "Seen" : "Hidden",
            mask->end > mask->first ? pool_format(pool, "keys %d to %d", mask->first, mask->end - 1)
                                    : "no key",
            mask->right ? "would see this one" : "would not see this one");
    if (mask->padded && mask->future)
        return pool_format(pool,
                           "Hidden twice over: %s, so key %d is past it; and it comes after query "
                           "%d, which a causal site hides",
                           length, story->key, story->query);
    if (mask->padded)
        return pool_format(pool, "Hidden: %s, so key %d is past it", length, story->key);
    if (mask->future)
        return pool_format(pool,
                           "Hidden: the site is causal, and key %d comes after query %d; a query "
                           "sees what has been read so far",
                           story->key, story->query);
    if (mask->causal)
        return pool_format(pool,
                           "Seen: %s, and key %d is below that; the site is causal, and key %d "
                           "does not come after query %d",
                           length, story->key, story->key, story->query);
    return pool_format(pool, "Seen: %s, and key %d is below that; the site is not causal", length,
                       story->key);
}

/* --- choosing --------------------------------------------------------------------------------- */

int explain_largest(const double *numbers, int count, int max, int *chosen) {
    int taken = 0;
    while (taken < max && taken < count) {
        int best = -1;
        for (int i = 0; i < count; i++) {
            bool met = false;
            for (int j = 0; j < taken; j++)
                met = met || chosen[j] == i;
            if (!met && (best < 0 || fabs(numbers[i]) > fabs(numbers[best]))) best = i;
        }
        chosen[taken++] = best;
    }
    return taken;
}

/* --- the page --------------------------------------------------------------------------------- */

const char *explain_head(ExplainPage page, HeadId id) {
    return pool_format(page.pool, "%s.%d.%d", site_name(id.site), id.layer, id.head);
}

const char *explain_action_to(ExplainPage page, HeadId id, int query, int key) {
    const char *head = explain_head(page, id);
    return pool_format(page.pool, "select %s; cell %d %d; lesson explain %s %d %d", head, query,
                       key, head, query, key);
}

const char *explain_weight(ExplainPage page, double weight) {
    if (weight == 0) return "0";
    return pool_format(page.pool, fabs(weight) < 1e-4 ? "%.3e" : "%.6f", weight);
}

double explain_over(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

const char *explain_range(ExplainPage page, int first, int stride) {
    int last = first + (page.story->head_width - 1) * stride;
    if (stride == 1) return pool_format(page.pool, "%d to %d", first, last);
    return pool_format(page.pool, "%d to %d, one of %d", first, last, stride);
}
