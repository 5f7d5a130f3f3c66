/* What the tests of files share: a fresh folder for each test, whole files in memory, safetensors
 * files written by hand, a tiny model. */
#ifndef HEADSCOPE_TESTS_DATA_HELPER_FILES_H
#define HEADSCOPE_TESTS_DATA_HELPER_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/models/checkpoint.h"

/* Not every test uses every function of a header. */
#define HELPER __attribute__((unused)) static

static char test_folder[64];

HELPER int make_folder(void **state) {
    (void)state;
    snprintf(test_folder, sizeof test_folder, "/tmp/headscope-test-XXXXXX");
    return mkdtemp(test_folder) ? 0 : -1;
}

/* How many entries a folder has; with `clear`, they are removed. */
HELPER int folder_entries(const char *folder, bool clear) {
    int count = 0;
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        char path[400];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count++;
        snprintf(path, sizeof path, "%s/%.255s", folder, entry->d_name);
        if (clear) remove(path);
    }
    if (stream) closedir(stream);
    return count;
}

HELPER int remove_folder(void **state) {
    (void)state;
    folder_entries(test_folder, true);
    return rmdir(test_folder);
}

/* "FOLDER/name"; valid until the eighth call after it. */
HELPER const char *in_folder(const char *name) {
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

/* A file's bytes, a 0 after them. Free with free. */
HELPER unsigned char *read_bytes(const char *path, size_t *size) {
    FILE *stream = fopen(path, "rb");
    if (!stream) fail_msg("%s: cannot be opened", path);
    fseek(stream, 0, SEEK_END);
    *size = (size_t)ftell(stream);
    rewind(stream);
    unsigned char *bytes = calloc(*size + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, stream), *size);
    fclose(stream);
    return bytes;
}

HELPER void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/* A safetensors file of this header and data. Free with free. */
HELPER unsigned char *file_of(const char *header, const void *data, size_t data_size,
                              size_t *size) {
    size_t length = strlen(header);
    *size = 8 + length + data_size;
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(length >> (8 * i) & 255);
    memcpy(bytes + 8, header, length);
    if (data_size) memcpy(bytes + 8 + length, data, data_size);
    return bytes;
}

/* One line that says something, without control characters. */
HELPER void assert_one_line(const Error *error) {
    assert_true(strlen(error->text) > 0);
    for (const char *c = error->text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) fail_msg("no single line: %s", error->text);
}

/* Width 8, 2 heads, 1+1 layers, vocabularies of 5 and 6 tokens. */
HELPER Model tiny_model(void) {
    Model model = {.config = config_default(), .task = "copy", .command = "headscope train \"a\""};
    Error error = {0};
    model.config.width = 8;
    model.config.heads = 2;
    model.config.encoder_layers = model.config.decoder_layers = 1;
    model.config.ffn_width = 12;
    model.config.max_source = 7;
    model.config.max_target = 9;
    model.config.dropout = 0.1;
    model.config.activation = ACTIVATION_GELU;
    if (!vocab_from_characters(&model.source_vocab, "a\xC3\xA4", &error) ||
        !vocab_from_characters(&model.target_vocab, "\"\\,", &error))
        fail_msg("%s", error.text);
    model.config.source_vocab = model.source_vocab.size;
    model.config.target_vocab = model.target_vocab.size;
    if (!config_check(&model.config, &error) || !params_make(&model.params, &model.config, &error))
        fail_msg("%s", error.text);
    params_init(&model.params, &model.config, 7);
    return model;
}

#endif
