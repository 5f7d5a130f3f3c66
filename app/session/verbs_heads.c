/* Actions on heads: which is looked at, and which are knocked out. */
#include <string.h>

#include "app/session/session_parts.h"

/* --- selecting -------------------------------------------------------------------------------- */

/* B stays of the same site as A, where it was: the next head of the layer. */
static void move_to(Session *session, HeadId id) {
    State *state = &session->state;
    bool followed = state->other_head.site == state->head.site && id.site != state->head.site;
    if (id.site != state->head.site) state->cell_row = state->cell_column = NONE;
    state->head = id;
    if (!followed) return;
    id.head = (id.head + 1) % session->model.config.heads;
    state->other_head = id;
}

static bool do_select(Session *session, const Action *action, Error *error) {
    HeadId id;
    if (!verb_head(session, action, action->argument, &id, error)) return false;
    move_to(session, id);
    return true;
}

static bool do_head(Session *session, const Action *action, Error *error) {
    int heads = session->model.config.heads, *head = &session->state.head.head;
    return verb_next(action->argument, heads, head) ||
           verb_number(action, action->argument, 0, heads - 1, head, error);
}

static bool do_layer(Session *session, const Action *action, Error *error) {
    HeadId *id = &session->state.head;
    int layers = state_layers(&session->model.config, id->site);
    return verb_next(action->argument, layers, &id->layer) ||
           verb_number(action, action->argument, 0, layers - 1, &id->layer, error);
}

static bool set_site(Session *session, Site site) {
    HeadId id = session->state.head;
    int layers = state_layers(&session->model.config, site);
    id.site = site;
    if (id.layer >= layers) id.layer = layers - 1;
    move_to(session, id);
    return true;
}

static bool do_site(Session *session, const Action *action, Error *error) {
    int place = (int)session->state.head.site;
    if (verb_next(action->argument, SITE_COUNT, &place)) return set_site(session, (Site)place);
    for (int site = 0; site < SITE_COUNT; site++)
        if (strcmp(action->argument, site_name((Site)site)) == 0)
            return set_site(session, (Site)site);
    return error_usage(error, "site %.40s: it takes encoder, decoder, cross, next or previous",
                       action->argument);
}

/* --- knocking out ----------------------------------------------------------------------------- */

static unsigned char *knockout_of(Session *session, HeadId id) {
    return &session->state.knockouts[state_place(&session->model.config, id)];
}

/* "cross.1": all heads of one layer's site, as "cross.1.0" to the last. `word` is one of
 * verb_words.
 */
static bool read_heads(Session *session, const Action *action, const char *word, HeadId *first,
                       int *count, Error *error) {
    char whole[VERB_WORD + 2];
    size_t length = strlen(word);
    const char *dot = strchr(word, '.');
    *count = 1;
    if (!dot || strchr(dot + 1, '.')) return verb_head(session, action, word, first, error);
    memcpy(whole, word, length);
    memcpy(whole + length, ".0", sizeof ".0");
    *count = session->model.config.heads;
    return verb_head(session, action, whole, first, error);
}

static bool read_knockout(const Action *action, const char *word, Knockout *knockout,
                          Error *error) {
    if (strcmp(word, "zero") == 0)
        *knockout = KNOCKOUT_ZERO;
    else if (strcmp(word, "mean") == 0)
        *knockout = KNOCKOUT_MEAN;
    else
        return error_usage(error, "%s: by %.20s? It takes zero or mean", action->verb, word);
    return true;
}

static void set_knockouts(Session *session, HeadId first, int count, Knockout knockout) {
    for (int i = 0; i < count; i++, first.head++)
        *knockout_of(session, first) = (unsigned char)knockout;
}

/* The selected head, or its whole layer and site, knocked out so; without a word, back in if
 * all of it is out. */
static bool set_selected(Session *session, const Action *action, bool layer, const char *word,
                         Error *error) {
    HeadId first = session->state.head;
    int count = 1;
    if (layer) {
        first.head = 0;
        count = session->model.config.heads;
    }
    bool all_out = !memchr(knockout_of(session, first), KNOCKOUT_NONE, (size_t)count);
    Knockout knockout = all_out ? KNOCKOUT_NONE : KNOCKOUT_ZERO;
    if (word && !read_knockout(action, word, &knockout, error)) return false;
    set_knockouts(session, first, count, knockout);
    return true;
}

static bool do_ablate(Session *session, const Action *action, Error *error) {
    char words[2][VERB_WORD];
    int count, heads;
    HeadId first;
    Knockout knockout = KNOCKOUT_ZERO;
    if (!verb_words(action, words, 2, &count, error)) return false;
    const char *how = count == 2 ? words[1] : NULL;
    if (count == 0 || (count == 1 && strcmp(words[0], "toggle") == 0))
        return set_selected(session, action, false, NULL, error);
    if (strcmp(words[0], "layer") == 0) return set_selected(session, action, true, how, error);
    if (count == 1 && (strcmp(words[0], "mean") == 0 || strcmp(words[0], "zero") == 0))
        return set_selected(session, action, false, words[0], error);
    if (how && !read_knockout(action, how, &knockout, error)) return false;
    if (!read_heads(session, action, words[0], &first, &heads, error)) return false;
    set_knockouts(session, first, heads, knockout);
    return true;
}

static bool do_restore(Session *session, const Action *action, Error *error) {
    char words[1][VERB_WORD];
    HeadId first = session->state.head;
    int words_count, count = 1;
    if (!verb_words(action, words, 1, &words_count, error)) return false;
    if (words_count && strcmp(words[0], "all") == 0) {
        memset(session->state.knockouts, 0, (size_t)state_heads(&session->model.config));
        return true;
    }
    if (words_count && !read_heads(session, action, words[0], &first, &count, error)) return false;
    set_knockouts(session, first, count, KNOCKOUT_NONE);
    return true;
}

/* Everything that makes another world: heads, lengths, causality, traps. */
static bool do_plain(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    if (!verb_alone(action, error)) return false;
    memset(state->knockouts, 0, (size_t)state_heads(&session->model.config));
    for (int i = 0; i < EXAMPLES; i++)
        state->examples[i].enc_len = state->examples[i].dec_len = BY_TEXT;
    state->not_causal = false;
    state->trap = NONE;
    return true;
}

const Verb verbs_of_heads[] = {
    {.help = {"select", "HEAD", "the head that is looked at, as in cross.1.2"},
     .reach = REACH_STATE,
     .apply = do_select},
    {.help = {"head", "N|next|previous", "another head of the same layer"},
     .reach = REACH_STATE,
     .apply = do_head},
    {.help = {"layer", "N|next|previous", "another layer of the same site"},
     .reach = REACH_STATE,
     .apply = do_layer},
    {.help = {"site", "NAME|next|previous", "encoder, decoder or cross"},
     .reach = REACH_STATE,
     .apply = do_site},
    {.help = {"ablate", "[HEAD|SITE.LAYER|layer] [zero|mean]",
              "knocks a head or a layer's site out; alone: the selected head, or back in"},
     .reach = REACH_STATE,
     .apply = do_ablate},
    {.help = {"restore", "[HEAD|SITE.LAYER|all]", "puts heads back in"},
     .reach = REACH_STATE,
     .apply = do_restore},
    {.help = {"plain", "",
              "the model as trained: all heads, lengths by the texts, causal, trap off"},
     .reach = REACH_STATE,
     .apply = do_plain},
    {.apply = NULL},
};
