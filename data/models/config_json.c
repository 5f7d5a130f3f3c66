#include "data/models/config_json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/files/json_text.h"

typedef enum FieldKind {
    FIELD_INT,
    FIELD_BOOL,
    FIELD_DOUBLE,
    FIELD_SEED,
    FIELD_WORD,
    FIELD_MISTAKES, /* an object of sites; left out where there are none */
} FieldKind;

/* One entry of the JSON object and its place in the struct: the one list, read and written. */
typedef struct Field {
    const char *name;
    FieldKind kind;
    size_t offset;
    bool required;
    const char *const *words; /* FIELD_WORD: the enum's names in order, then NULL */
} Field;

static const char *const activation_words[] = {"relu", "gelu", NULL};
static const char *const position_words[] = {"interleaved", "halves", "none", NULL};

static const Field config_fields[] = {
    {"width", FIELD_INT, offsetof(Config, width), true, NULL},
    {"heads", FIELD_INT, offsetof(Config, heads), true, NULL},
    {"encoder_layers", FIELD_INT, offsetof(Config, encoder_layers), true, NULL},
    {"decoder_layers", FIELD_INT, offsetof(Config, decoder_layers), true, NULL},
    {"ffn_width", FIELD_INT, offsetof(Config, ffn_width), true, NULL},
    {"max_source", FIELD_INT, offsetof(Config, max_source), true, NULL},
    {"max_target", FIELD_INT, offsetof(Config, max_target), true, NULL},
    {"pre_norm", FIELD_BOOL, offsetof(Config, pre_norm), false, NULL},
    {"final_norm", FIELD_BOOL, offsetof(Config, final_norm), false, NULL},
    {"attention_bias", FIELD_BOOL, offsetof(Config, attention_bias), false, NULL},
    {"dropout", FIELD_DOUBLE, offsetof(Config, dropout), false, NULL},
    {"layernorm_epsilon", FIELD_DOUBLE, offsetof(Config, layernorm_epsilon), false, NULL},
    {"activation", FIELD_WORD, offsetof(Config, activation), false, activation_words},
    {"positions", FIELD_WORD, offsetof(Config, positions), false, position_words},
    {"first_position", FIELD_INT, offsetof(Config, first_position), false, NULL},
    {"embedding_scale", FIELD_BOOL, offsetof(Config, embedding_scale), false, NULL},
    {"source_end_mark", FIELD_BOOL, offsetof(Config, source_end_mark), false, NULL},
    {"pad_id", FIELD_INT, offsetof(Config, pad_id), false, NULL},
    {"start_id", FIELD_INT, offsetof(Config, start_id), false, NULL},
    {"end_id", FIELD_INT, offsetof(Config, end_id), false, NULL},
    {"mistakes", FIELD_MISTAKES, offsetof(Config, mistakes), false, NULL},
    {0},
};

static const Field train_fields[] = {
    {"seed", FIELD_SEED, offsetof(TrainOptions, seed), true, NULL},
    {"steps", FIELD_INT, offsetof(TrainOptions, steps), true, NULL},
    {"batch", FIELD_INT, offsetof(TrainOptions, batch), true, NULL},
    {"learning_rate", FIELD_DOUBLE, offsetof(TrainOptions, learning_rate), true, NULL},
    {"warmup", FIELD_INT, offsetof(TrainOptions, warmup), true, NULL},
    {"clip", FIELD_DOUBLE, offsetof(TrainOptions, clip), true, NULL},
    {"label_smoothing", FIELD_DOUBLE, offsetof(TrainOptions, label_smoothing), true, NULL},
    {"beta1", FIELD_DOUBLE, offsetof(TrainOptions, beta1), true, NULL},
    {"beta2", FIELD_DOUBLE, offsetof(TrainOptions, beta2), true, NULL},
    {"epsilon", FIELD_DOUBLE, offsetof(TrainOptions, epsilon), true, NULL},
    {"slices", FIELD_INT, offsetof(TrainOptions, slices), false, NULL},
    {0},
};

static void add_field(cJSON *object, const Field *field, const void *from);

static void add_fields(cJSON *object, const Field *fields, const void *from) {
    for (const Field *field = fields; field->name; field++)
        add_field(object, field, from);
}

static Field field_of_mistakes(const AttentionMistakeField *field) {
    return (Field){field->name, field->words ? FIELD_WORD : FIELD_DOUBLE, field->offset, false,
                   field->words};
}

static void add_mistakes(cJSON *object, const char *name, const AttentionMistakes *mistakes) {
    cJSON *sites = NULL;
    for (int site = 0; site < SITE_COUNT; site++) {
        if (!attention_mistaken(mistakes[site])) continue;
        if (!sites) sites = cJSON_AddObjectToObject(object, name);
        cJSON *own = cJSON_AddObjectToObject(sites, site_name((Site)site));
        for (const AttentionMistakeField *at = attention_mistake_fields; at->name; at++) {
            Field field = field_of_mistakes(at);
            add_field(own, &field, &mistakes[site]);
        }
    }
}

static void add_field(cJSON *object, const Field *field, const void *from) {
    const char *place = (const char *)from + field->offset;
    char seed[24];
    switch (field->kind) {
    case FIELD_INT:
        cJSON_AddNumberToObject(object, field->name, *(const int *)place);
        break;
    case FIELD_BOOL:
        cJSON_AddBoolToObject(object, field->name, *(const bool *)place);
        break;
    case FIELD_DOUBLE:
        cJSON_AddNumberToObject(object, field->name, *(const double *)place);
        break;
    case FIELD_SEED: /* 64 bits do not fit a JSON number */
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)*(const uint64_t *)place);
        cJSON_AddStringToObject(object, field->name, seed);
        break;
    case FIELD_WORD:
        cJSON_AddStringToObject(object, field->name, field->words[*(const int *)place]);
        break;
    case FIELD_MISTAKES:
        add_mistakes(object, field->name, (const AttentionMistakes *)place);
        break;
    }
}

static char *fields_to_json(const Field *fields, const void *from) {
    cJSON *object = cJSON_CreateObject();
    add_fields(object, fields, from);
    char *text = object ? cJSON_PrintUnformatted(object) : NULL;
    cJSON_Delete(object);
    return text;
}

static bool read_word(const Field *field, const char *text, int *value) {
    for (int i = 0; text && field->words[i]; i++)
        if (strcmp(text, field->words[i]) == 0) {
            *value = i;
            return true;
        }
    return false;
}

static bool read_field(const Field *field, const cJSON *item, void *into);

static const Field *find_field(const Field *fields, const char *name) {
    while (fields->name && strcmp(fields->name, name) != 0)
        fields++;
    return fields->name ? fields : NULL;
}

static bool read_mistakes(const cJSON *sites, AttentionMistakes *mistakes) {
    const cJSON *site, *item;
    if (!cJSON_IsObject(sites)) return false; /* an array's items have no names */
    cJSON_ArrayForEach(site, sites) {
        Site which;
        if (!site_parse(site->string, &which) || !cJSON_IsObject(site)) return false;
        cJSON_ArrayForEach(item, site) {
            const AttentionMistakeField *at = attention_mistake_fields;
            while (at->name && strcmp(at->name, item->string) != 0)
                at++;
            Field field = field_of_mistakes(at);
            if (!at->name || !read_field(&field, item, &mistakes[which])) return false;
        }
    }
    return true;
}

static bool read_field(const Field *field, const cJSON *item, void *into) {
    char *place = (char *)into + field->offset;
    const char *text = cJSON_GetStringValue(item);
    double number = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    switch (field->kind) {
    case FIELD_INT:
        if (!(fabs(number) <= 1e9) || floor(number) != number) return false;
        *(int *)place = (int)number;
        return true;
    case FIELD_BOOL:
        if (!cJSON_IsBool(item)) return false;
        *(bool *)place = cJSON_IsTrue(item);
        return true;
    case FIELD_DOUBLE:
        if (!isfinite(number)) return false;
        *(double *)place = number;
        return true;
    case FIELD_SEED:
        /* strtoull would also take spaces and signs. */
        if (!text || !*text || text[strspn(text, "0123456789")]) return false;
        errno = 0;
        *(uint64_t *)place = strtoull(text, NULL, 10);
        return errno == 0;
    case FIELD_MISTAKES:
        return read_mistakes(item, (AttentionMistakes *)place);
    default:
        return read_word(field, text, (int *)place);
    }
}

static bool fields_from_json(const Field *fields, void *into, const char *text, const char *what,
                             Error *error) {
    cJSON *object = json_text_parse(text);
    bool good = cJSON_IsObject(object);
    if (!good) error_set(error, "%s: no JSON object", what);
    const cJSON *item;
    if (good) {
        cJSON_ArrayForEach(item, object) {
            const Field *field = find_field(fields, item->string);
            if (!field)
                good = error_set(error,
                                 "%s: %s is not known here; a newer headscope may have "
                                 "written it",
                                 what, item->string);
            else if (!read_field(field, item, into))
                good = error_set(error, "%s: %s has a value of the wrong kind", what, item->string);
            if (!good) break;
        }
    }
    for (const Field *field = fields; good && field->name; field++)
        if (field->required && !cJSON_GetObjectItemCaseSensitive(object, field->name))
            good = error_set(error, "%s: %s is missing", what, field->name);
    cJSON_Delete(object);
    return good;
}

char *config_to_json(const Config *config) {
    return fields_to_json(config_fields, config);
}

char *train_options_to_json(const TrainOptions *options) {
    return fields_to_json(train_fields, options);
}

bool config_from_json(Config *config, const char *text, Error *error) {
    *config = config_default();
    return fields_from_json(config_fields, config, text, "config", error);
}

bool train_options_from_json(TrainOptions *options, const char *text, Error *error) {
    *options = train_options_default();
    options->slices = TRAIN_SLICES_MIN; /* runs from before the number was written had four */
    return fields_from_json(train_fields, options, text, "training", error);
}
