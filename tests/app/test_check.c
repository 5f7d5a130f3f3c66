/* The command check: its exit statuses, its first line, its CSV and JSON, and bad files, each with
 * one line. What the doctor finds is tested in tests/model/test_analysis_doctor.c and by the
 * oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>

#include "tests/app/helper_program.h"

/* --- a student's attention -------------------------------------------------------------------- */

enum { B = 2, H = 2, TQ = 3, TK = 4, D = 3, W = H * D };

/* What is written of a call. */
typedef struct Call {
    float query[B * TQ * W], key[B * TK * W], value[B * TK * W];
    float weights[B * H * TQ * TK], context[B * TQ * W];
    int32_t lens[B];
} Call;

static float next_number(uint32_t *seed) {
    *seed = *seed * 1664525U + 1013904223U;
    return (float)(*seed >> 8) / 8388608.0F - 1;
}

/* Which example's length row b*H+h gets: its own, or, tiled, one of row mod B. */
static Call make_call(bool tiled, double scale) {
    static const int32_t lens[B] = {3, 2};
    Call call;
    uint32_t seed = 1;
    for (int i = 0; i < B * TQ * W; i++)
        call.query[i] = next_number(&seed);
    for (int i = 0; i < B * TK * W; i++) {
        call.key[i] = next_number(&seed);
        call.value[i] = next_number(&seed);
    }
    memcpy(call.lens, lens, sizeof lens);
    for (int row = 0; row < B * H; row++) {
        int b = row / H, h = row % H, seen = lens[tiled ? row % B : b];
        for (int t = 0; t < TQ; t++) {
            double scores[TK] = {0}, sum = 0;
            for (int j = 0; j < seen; j++) {
                for (int i = 0; i < D; i++)
                    scores[j] += (double)call.query[(b * TQ + t) * W + h * D + i] *
                                 (double)call.key[(b * TK + j) * W + h * D + i];
                scores[j] = exp(scores[j] / scale);
                sum += scores[j];
            }
            for (int j = 0; j < TK; j++)
                call.weights[(row * TQ + t) * TK + j] = (float)(scores[j] / sum);
            for (int i = 0; i < D; i++) {
                double mixed = 0;
                for (int j = 0; j < seen; j++)
                    mixed += scores[j] / sum * (double)call.value[(b * TK + j) * W + h * D + i];
                call.context[(b * TQ + t) * W + h * D + i] = (float)mixed;
            }
        }
    }
    return call;
}

static Call right_call(void) {
    return make_call(false, sqrt(D));
}

/* --- files ------------------------------------------------------------------------------------ */

typedef struct Piece {
    const char *name, *type, *shape;
    const void *bytes;
    size_t size;
} Piece;

static void write_safetensors(const char *path, const Piece *pieces, int count) {
    static char bytes[1 << 16];
    char header[2000] = "{";
    size_t data = 0;
    for (int i = 0; i < count; i++) {
        size_t used = strlen(header);
        snprintf(header + used, sizeof header - used,
                 "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
                 i ? "," : "", pieces[i].name, pieces[i].type, pieces[i].shape, data,
                 data + pieces[i].size);
        data += pieces[i].size;
    }
    strcat(header, "}");
    size_t length = strlen(header), at = 8 + length;
    memset(bytes, 0, 8);
    bytes[0] = (char)(length & 255);
    bytes[1] = (char)(length >> 8);
    memcpy(bytes + 8, header, length);
    for (int i = 0; i < count; i++) {
        memcpy(bytes + at, pieces[i].bytes, pieces[i].size);
        at += pieces[i].size;
    }
    file_write(path, bytes, at);
}

static const char *write_call(const char *name, const Call *call) {
    const char *path = in_folder(name);
    const Piece pieces[] = {
        {"query", "F32", "2,3,6", call->query, sizeof call->query},
        {"key", "F32", "2,4,6", call->key, sizeof call->key},
        {"value", "F32", "2,4,6", call->value, sizeof call->value},
        {"weights", "F32", "2,2,3,4", call->weights, sizeof call->weights},
        {"context", "F32", "2,3,6", call->context, sizeof call->context},
        {"valid_lens", "I32", "2", call->lens, sizeof call->lens},
    };
    write_safetensors(path, pieces, 6);
    return path;
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* The first line says the verdict; the exit status is 0. */
static void test_sound(void **state) {
    (void)state;
    Call call = right_call();
    const char *path = write_call("sound.safetensors", &call);
    Ran ran = RUN("check", path);
    assert_status(&ran, 0);
    const char *after = ran.out + strlen(path);
    assert_memory_equal(ran.out, path, strlen(path));
    assert_true(strncmp(after,
                        ": sound in what was checked (weights, mix); not checked: "
                        "projection, output\n",
                        70) == 0);
    assert_string_equal(ran.err, "");
    ran_free(&ran);
}

static void assert_said(const Ran *ran, const char *text) {
    if (!strstr(ran->out, text)) fail_msg("'%s' is not said in:\n%s", text, ran->out);
}

static void test_fault(void **state) {
    (void)state;
    Call call = make_call(true, sqrt(D));
    Ran ran = RUN("check", write_call("tiled.safetensors", &call));
    assert_status(&ran, 1);
    assert_said(&ran, ": a fault: valid lengths tiled instead of repeated\n");
    assert_said(&ran, "tiled-lens");
    assert_said(&ran, "To mend it: Repeat each length");
    assert_said(&ran, "the right formula");
    assert_said(&ran, "this mistake");
    assert_said(&ran, "differ most at example ");
    assert_said(&ran, "not checked");
    assert_string_equal(ran.err, "");
    ran_free(&ran);
}

/* No mistake divides by 17. */
static void test_wrong(void **state) {
    (void)state;
    Call call = make_call(false, 17);
    Ran ran = RUN("check", write_call("wrong.safetensors", &call));
    assert_status(&ran, 1);
    assert_said(&ran, ": wrong: ");
    assert_said(&ran, "no known mistake explains it");
    ran_free(&ran);
}

/* Lengths that the file does not say are guessed at in words alone. */
static void test_hint_of_lengths(void **state) {
    (void)state;
    Call call = right_call();
    const Piece pieces[] = {
        {"query", "F32", "2,3,6", call.query, sizeof call.query},
        {"key", "F32", "2,4,6", call.key, sizeof call.key},
        {"weights", "F32", "2,2,3,4", call.weights, sizeof call.weights},
    };
    write_safetensors(in_folder("n.safetensors"), pieces, 3);
    Ran ran = RUN("check", in_folder("n.safetensors"));
    assert_status(&ran, 1);
    assert_said(&ran, "In example 0 no weight lies past the first 3 keys of 4.");
    ran_free(&ran);
    ran = RUN("check", in_folder("n.safetensors"), "--valid-lens", "3,2");
    assert_status(&ran, 0);
    ran_free(&ran);
}

static void test_hint_of_causality(void **state) {
    (void)state;
    Call call = right_call();
    float weights[B * H * TQ * TQ] = {0};
    for (int row = 0; row < B * H * TQ; row++)
        for (int j = 0; j <= row % TQ; j++)
            weights[row * TQ + j] = 1 / (float)(row % TQ + 1);
    const Piece pieces[] = {
        {"query", "F32", "2,3,6", call.query, sizeof call.query},
        {"key", "F32", "2,3,6", call.query, sizeof call.query},
        {"weights", "F32", "2,2,3,3", weights, sizeof weights},
    };
    write_safetensors(in_folder("c.safetensors"), pieces, 3);
    Ran ran = RUN("check", in_folder("c.safetensors"));
    assert_status(&ran, 1);
    assert_said(&ran, "No weight lies on a later key.");
    ran_free(&ran);
    ran = RUN("check", in_folder("c.safetensors"), "--causal");
    assert_null(strstr(ran.out, "No weight lies on a later key."));
    ran_free(&ran);
    weights[1] = 0.5F;
    write_safetensors(in_folder("c.safetensors"), pieces, 3);
    ran = RUN("check", in_folder("c.safetensors"));
    assert_null(strstr(ran.out, "No weight lies on a later key."));
    ran_free(&ran);
}

static void test_hint_of_dropout(void **state) {
    (void)state;
    Call call = right_call();
    for (int i = 0; i < B * TQ * W; i++)
        call.context[i] += (float)(i % 5) / 8;
    const char *path = write_call("d.safetensors", &call);
    Ran ran = RUN("check", path);
    assert_status(&ran, 1);
    assert_said(&ran, "Dropout that was left on does that");
    ran_free(&ran);
}

static void test_weights_alone(void **state) {
    (void)state;
    Call call = right_call();
    const Piece piece = {"attn", "F32", "2,2,3,4", call.weights, sizeof call.weights};
    write_safetensors(in_folder("w.safetensors"), &piece, 1);
    Ran ran = RUN("check", in_folder("w.safetensors"), "--valid-lens", "3,2");
    assert_status(&ran, 0);
    assert_said(&ran, "no step could be recomputed");
    ran_free(&ran);
    ran = RUN("check", in_folder("w.safetensors"), "--valid-lens", "3,2", "--csv");
    assert_status(&ran, 0);
    assert_said(&ran, "/w.safetensors,unchecked,"); /* sound never covers an unchecked part */
    ran_free(&ran);
    ran = RUN("check", in_folder("w.safetensors"), "--valid-lens=2,2");
    assert_status(&ran, 1);
    assert_said(&ran, "lie on padding");
    ran_free(&ran);
}

/* --- CSV and JSON ----------------------------------------------------------------------------- */

static void test_csv(void **state) {
    (void)state;
    Call sound = right_call(), tiled = make_call(true, sqrt(D)), wrong = make_call(false, 17);
    char one[256], two[256], three[256], four[256];
    snprintf(one, sizeof one, "%s", write_call("a,\"b\".safetensors", &sound));
    snprintf(two, sizeof two, "%s", write_call("t.safetensors", &tiled));
    snprintf(three, sizeof three, "%s", write_call("w.safetensors", &wrong));
    snprintf(four, sizeof four, "%s", in_folder("none"));
    Ran ran = RUN("check", "--csv", one, two, three);
    assert_status(&ran, 1);
    assert_string_equal(ran.err, "");
    assert_int_equal(count_lines(ran.out), 4);
    assert_true(strncmp(ran.out, "file,verdict,kinds,same,stage,error,right_error,message\n", 56) ==
                0);
    assert_said(&ran, "/a,\"\"b\"\".safetensors\",sound,,,,,,\"sound in what was checked");
    assert_said(&ran, "/t.safetensors,fault,tiled-lens,,weights,0.");
    assert_said(&ran, "/w.safetensors,wrong,,,weights,,");
    ran_free(&ran);
    /* A file that cannot be read is a row, and the status says that not all were judged. */
    ran = RUN("check", "--csv", two, four);
    assert_status(&ran, 2);
    assert_int_equal(count_lines(ran.out), 3);
    assert_said(&ran, "/none,error,,,,,,");
    assert_int_equal(count_lines(ran.err), 1);
    ran_free(&ran);
    ran = RUN("check", two, four, one);
    assert_status(&ran, 2);
    assert_int_equal(count_lines(ran.err), 2);
    assert_said(&ran, "a fault: ");
    assert_said(&ran, ": sound in ");
    ran_free(&ran);
}

static const char *text_of(const cJSON *object, const char *name) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    if (!text) fail_msg("%s is no text", name);
    return text;
}

static double number_of(const cJSON *object, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(item)) fail_msg("%s is no number", name);
    return item->valuedouble;
}

static void test_json(void **state) {
    (void)state;
    Call tiled = make_call(true, sqrt(D));
    char one[256];
    snprintf(one, sizeof one, "%s", write_call("t.safetensors", &tiled));
    Ran ran = RUN("check", "--json", one, in_folder("none"));
    assert_status(&ran, 2);
    cJSON *object = cJSON_Parse(ran.out);
    assert_non_null(object);
    assert_true(number_of(object, "status") == 2);
    const cJSON *files = cJSON_GetObjectItem(object, "files"), *file = cJSON_GetArrayItem(files, 0);
    assert_int_equal(cJSON_GetArraySize(files), 2);
    assert_string_equal(text_of(file, "file"), one);
    assert_string_equal(text_of(file, "verdict"), "fault");
    assert_true(number_of(file, "status") == 1);
    assert_string_equal(
        cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetObjectItem(file, "kinds"), 0)),
        "tiled-lens");
    const cJSON *stages = cJSON_GetObjectItem(file, "stages");
    assert_int_equal(cJSON_GetArraySize(stages), 4);
    const cJSON *stage = cJSON_GetArrayItem(stages, 1);
    assert_string_equal(text_of(stage, "from"), "weights");
    assert_string_equal(text_of(stage, "until"), "weights");
    assert_string_equal(text_of(stage, "state"), "fault");
    assert_string_equal(text_of(stage, "tensor"), "weights");
    assert_string_equal(text_of(cJSON_GetArrayItem(cJSON_GetObjectItem(stage, "kinds"), 0), "name"),
                        "tiled-lens");
    assert_true(number_of(stage, "error") < 1 && number_of(stage, "right_error") > 1);
    assert_true(number_of(stage, "difference") > number_of(stage, "allowed"));
    assert_string_equal(text_of(cJSON_GetArrayItem(stages, 0), "state"), "not checked");
    const cJSON *read_as = cJSON_GetObjectItem(file, "read_as");
    assert_string_equal(text_of(read_as, "site"), "cross");
    assert_true(number_of(read_as, "heads") == H && number_of(read_as, "keys") == TK);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(read_as, "tensors")), 5);
    assert_string_equal(text_of(cJSON_GetArrayItem(files, 1), "verdict"), "error");
    cJSON_Delete(object);
    ran_free(&ran);
}

/* --- the picture ------------------------------------------------------------------------------ */

static void test_picture(void **state) {
    (void)state;
    Call tiled = make_call(true, sqrt(D)), sound = right_call();
    char one[256], two[256];
    snprintf(one, sizeof one, "%s", write_call("t.safetensors", &tiled));
    snprintf(two, sizeof two, "%s", write_call("s.safetensors", &sound));
    Ran ran = RUN("check", one, "--picture", in_folder("t.svg"));
    assert_status(&ran, 1);
    assert_said(&ran, "a fault: ");
    ran_free(&ran);
    char *svg = file_read(in_folder("t.svg"), NULL);
    static const char *const texts[] = {"a fault: valid lengths tiled",
                                        ">yours<",
                                        ">right<",
                                        ">predicted<",
                                        ">by tiled-lens<",
                                        ">left over<",
                                        ">rounding: ",
                                        "example ",
                                        "repeat_interleave"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!strstr(svg, texts[i])) fail_msg("the picture lacks '%s'", texts[i]);
    free(svg);
    ran = RUN("check", two, "--picture", in_folder("s.png"), "--theme", "dark", "--scale", "2");
    assert_status(&ran, 0);
    ran_free(&ran);
    char *png = file_read(in_folder("s.png"), NULL);
    assert_memory_equal(png, "\x89PNG", 4);
    free(png);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void refuse(Ran ran, const char *reason) {
    assert_status(&ran, 2);
    assert_string_equal(ran.out, "");
    if (count_lines(ran.err) != 1 || !strstr(ran.err, reason))
        fail_msg("'%s' lacks '%s'", ran.err, reason);
    ran_free(&ran);
}

static void test_bad_files(void **state) {
    (void)state;
    Call call = right_call();
    char path[256];
    snprintf(path, sizeof path, "%s", write_call("good.safetensors", &call));
    size_t size;
    char *bytes = file_read(path, &size);
    /* Cut anywhere, it is refused in one line. */
    for (size_t cut = 0; cut < size; cut += small_work() ? 397 : 197) {
        file_write(in_folder("cut"), bytes, cut);
        refuse(RUN("check", in_folder("cut")), "/cut: ");
    }
    free(bytes);
    refuse(RUN("check", in_folder("none")), "cannot be opened");
    refuse(RUN("check", in_folder(".")), "no regular file");
    file_write(in_folder("text"), "0.5 0.5\n", 8);
    refuse(RUN("check", in_folder("text")), "neither safetensors nor .npz nor .npy");
    float nothing[B * H * TQ * TK];
    for (int i = 0; i < B * H * TQ * TK; i++)
        nothing[i] = NAN;
    Piece piece = {"weights", "F32", "2,2,3,4", nothing, sizeof nothing};
    write_safetensors(in_folder("nan"), &piece, 1);
    refuse(RUN("check", in_folder("nan")), "not one of its 48 numbers is finite");
    piece = (Piece){"weights", "F32", "2,0,3,4", nothing, 0};
    write_safetensors(in_folder("empty"), &piece, 1);
    refuse(RUN("check", in_folder("empty")), "weights (2, 0, 3, 4): it is empty");
    piece = (Piece){"weights", "F32", "100000,100000,10", nothing, sizeof nothing};
    write_safetensors(in_folder("huge"), &piece, 1);
    refuse(RUN("check", in_folder("huge")), "weights: ");
    piece = (Piece){"weights", "F32", "12,4", nothing, sizeof nothing};
    memset(nothing, 0, sizeof nothing);
    const Piece two[2] = {piece, {"query", "F32", "2,3,6", call.query, sizeof call.query}};
    write_safetensors(in_folder("shapes"), two, 2);
    refuse(RUN("check", in_folder("shapes")), "weights (12, 4) and query (2, 3, 6)");
}

static void test_bad_calls(void **state) {
    (void)state;
    refuse(RUN("check"), "usage: headscope check FILE");
    refuse(RUN("check", "a", "--csv", "--json"), "--csv or --json");
    refuse(RUN("check", "a", "--site", "middle"), "--site middle");
    refuse(RUN("check", "a", "--layout", "x"), "--layout x");
    refuse(RUN("check", "a", "--heads", "0"), "--heads 0");
    refuse(RUN("check", "a", "--valid-lens", "a"), "--valid-lens a");
    refuse(RUN("check", "a", "--causal", "--no-causal"), "not both");
    refuse(RUN("check", "a", "b", "--picture", "c.png"), "--picture draws one file");
    refuse(RUN("check", "a", "--picture", "c.txt"), "--picture c.txt");
    refuse(RUN("check", "a", "--theme", "dark"), "--theme belongs to a picture");
    refuse(RUN("check", "a", "--colour"), "--colour: no such option");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_sound),
        IN_FOLDER(test_fault),
        IN_FOLDER(test_wrong),
        IN_FOLDER(test_hint_of_lengths),
        IN_FOLDER(test_hint_of_causality),
        IN_FOLDER(test_hint_of_dropout),
        IN_FOLDER(test_weights_alone),
        IN_FOLDER(test_csv),
        IN_FOLDER(test_json),
        IN_FOLDER(test_picture),
        IN_FOLDER(test_bad_files),
        IN_FOLDER(test_bad_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
