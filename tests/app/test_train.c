/* The command train: what it writes, and that no end of it, however rude, spoils the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tests/app/helper_program.h"

/* Runs long enough to be interrupted. */
static const char *long_steps(void) {
    return small_work() ? "300" : "600";
}

/* The models' bytes after the header, which holds the command and so the path. */
static void assert_same_tensors(const char *a, const char *b) {
    const char *paths[2] = {a, b};
    char *files[2];
    size_t sizes[2], starts[2];
    for (int i = 0; i < 2; i++) {
        files[i] = file_read(paths[i], &sizes[i]);
        assert_true(sizes[i] > 8);
        starts[i] = 0;
        for (int byte = 7; byte >= 0; byte--)
            starts[i] = starts[i] << 8 | (unsigned char)files[i][byte];
        starts[i] += 8;
        assert_true(starts[i] < sizes[i]);
    }
    assert_int_equal(sizes[0] - starts[0], sizes[1] - starts[1]);
    assert_memory_equal(files[0] + starts[0], files[1] + starts[1], sizes[0] - starts[0]);
    free(files[0]);
    free(files[1]);
}

static void wait_for_file(const char *path) {
    for (int i = 0; i < 3000 && !file_exists(path); i++)
        wait_milliseconds(10);
    assert_true(file_exists(path));
}

static void test_training_leaves_the_model_alone(void **state) {
    (void)state;
    MUST_RUN("train", "copy", "--steps", "20", TINY, "-o", in_folder("m.safetensors"), "--threads",
             "1");
    assert_true(file_exists(in_folder("m.safetensors")));
    assert_int_equal(count_files(test_folder, ""), 1);
    MUST_RUN("run", in_folder("m.safetensors"), "--input", "42");
}

/* A small model with the default batch, which makes eight slices. */
#define WITH_EIGHT_SLICES "--width", "16", "--heads", "2", "--encoder-layers", "1"

static void test_the_same_seed_gives_the_same_model_with_any_threads(void **state) {
    (void)state;
    static const char *const threads[] = {"1", "2", "4", "8"};
    for (int i = 0; i < 4; i++)
        MUST_RUN("train", "copy", "--steps", "20", WITH_EIGHT_SLICES, "--dropout", "0.1", "--seed",
                 "7", "-o", in_folder(threads[i]), "--threads", threads[i]);
    assert_same_tensors(in_folder("1"), in_folder("2"));
    assert_same_tensors(in_folder("1"), in_folder("4"));
    assert_same_tensors(in_folder("1"), in_folder("8"));

    /* Another seed gives another model, so that the sameness above says something. */
    MUST_RUN("train", "copy", "--steps", "20", WITH_EIGHT_SLICES, "--dropout", "0.1", "--seed", "8",
             "-o", in_folder("other"), "--threads", "1");
    size_t size, other_size;
    char *bytes = file_read(in_folder("1"), &size);
    char *other = file_read(in_folder("other"), &other_size);
    assert_memory_not_equal(bytes + size - 4000, other + other_size - 4000, 4000);
    free(bytes);
    free(other);
}

/* One line a step, each once and in order, also over an interruption. */
static void check_log(const char *path, int steps) {
    static const char header[] =
        "step,loss,gradient_norm,learning_rate,tokens_per_second,exact_match\n";
    char *text = file_read(path, NULL);
    assert_int_equal(count_lines(text), steps + 1);
    assert_int_equal(strncmp(text, header, strlen(header)), 0);
    char *line = text;
    for (int step = 1; step <= steps; step++) {
        line = strchr(line, '\n') + 1;
        int commas = 0;
        for (const char *c = line; *c != '\n'; c++)
            commas += *c == ',';
        assert_int_equal(commas, 5);
        assert_int_equal(atoi(line), step);
    }
    free(text);
}

static void test_an_interrupted_run_goes_on_to_the_same_model(void **state) {
    (void)state;
    /* Tests slow it down and change nothing. Six times in seven the last of them, with its save, is
     * some steps before the signal. */
    const char *const words[] = {"train",
                                 "copy",
                                 "--steps",
                                 long_steps(),
                                 TINY,
                                 "-o",
                                 in_folder("m.safetensors"),
                                 "--log",
                                 in_folder("log.csv"),
                                 "--every",
                                 "7",
                                 NULL};
    pid_t child = program_start(words, NULL);
    wait_for_file(in_folder("m.safetensors.run"));
    wait_milliseconds(30);
    kill(child, SIGINT);
    Ran ran = program_wait(child);
    assert_status(&ran, 1);
    assert_non_null(strstr(ran.err, "stopped at step"));
    assert_non_null(strstr(ran.err, "--resume"));
    ran_free(&ran);
    assert_true(file_exists(in_folder("m.safetensors.run")));
    assert_false(file_exists(in_folder("m.safetensors")));
    assert_int_equal(count_files(test_folder, ".part"), 0);

    MUST_RUN("train", "copy", "--resume", "-o", in_folder("m.safetensors"), "--log",
             in_folder("log.csv"), "--threads", "1");
    assert_false(file_exists(in_folder("m.safetensors.run")));
    check_log(in_folder("log.csv"), atoi(long_steps()));
    MUST_RUN("train", "copy", "--steps", long_steps(), TINY, "-o", in_folder("whole.safetensors"));
    assert_same_tensors(in_folder("m.safetensors"), in_folder("whole.safetensors"));
}

/* tests/app/older.run was interrupted in a version that cut every batch into four slices and did
 * not write so; older.safetensors is where that version took it. Its batch of 64 would be cut into
 * eight today, with other dropout. The bound: Adam moves a parameter by at most some 0.01 a step,
 * and roundings of another processor's kernels change that by some thousandths of it; with eight
 * slices the parameters differ by 0.02 and more. */
static void test_an_older_run_goes_on_with_four_slices(void **state) {
    (void)state;
    enum { PARAMETERS = 605 };
    size_t size, whole_size;
    char *run = file_read("tests/app/older.run", &size);
    assert_null(strstr(run + 8, "slices"));
    file_write(in_folder("older.safetensors.run"), run, size);
    free(run);
    MUST_RUN("train", "add", "--resume", "-o", in_folder("older.safetensors"));
    char *model = file_read(in_folder("older.safetensors"), &size);
    char *whole = file_read("tests/app/older.safetensors", &whole_size);
    float ours[PARAMETERS], expected[PARAMETERS];
    memcpy(ours, model + size - sizeof ours, sizeof ours);
    memcpy(expected, whole + whole_size - sizeof expected, sizeof expected);
    free(model);
    free(whole);
    double largest = 0;
    for (int i = 0; i < PARAMETERS; i++)
        largest = fmax(largest, fabs((double)ours[i] - (double)expected[i]));
    if (!(largest < 1e-3)) fail_msg("a parameter differs by %g", largest);
}

/* Looks at the file's size again and again for so long: at no instant may a part of it be missing.
 */
static void watch_file(const char *path, long milliseconds) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    off_t whole = status.st_size;
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += milliseconds * 1000000;
    do {
        assert_int_equal(stat(path, &status), 0);
        /* The header's length depends a little on the step's digits. */
        assert_true(status.st_size > whole - 100);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - end.tv_sec) * 1000000000 + now.tv_nsec - end.tv_nsec < 0);
}

/* Kills at ten instants of a run that saves after every step, each time going on from what the last
 * one left; a file that were not whole would end the run with a message, not with our signal. */
static void test_no_instant_of_a_kill_spoils_the_run(void **state) {
    (void)state;
    MUST_RUN("train", "copy", "--steps", long_steps(), TINY, "-o", in_folder("whole.safetensors"));
    char path[256], run_path[256];
    snprintf(path, sizeof path, "%s/m.safetensors", test_folder);
    snprintf(run_path, sizeof run_path, "%s/m.safetensors.run", test_folder);
    const char *const first[] = {"train", "copy", "--steps", long_steps(), TINY,
                                 "-o",    path,   "--every", "1",          NULL};
    const char *const next[] = {"train", "copy", "--resume", "-o", path, "--every", "1", NULL};
    srand(1);
    int kills = 0;
    for (int i = 0; i < (small_work() ? 2 : 10); i++) {
        pid_t child = program_start(i == 0 ? first : next, NULL);
        if (i == 0) wait_for_file(run_path);
        watch_file(run_path, 1 + rand() % 100);
        kill(child, SIGKILL);
        Ran ran = program_wait(child);
        bool killed = ran.status == 128 + SIGKILL;
        if (!killed) assert_status(&ran, 0);
        ran_free(&ran);
        if (!killed) break;
        kills++;
        assert_true(file_exists(run_path));
        assert_false(file_exists(path));
    }
    assert_true(kills > 0);
    if (!file_exists(path)) MUST_RUN("train", "copy", "--resume", "-o", path);
    assert_int_equal(count_files(test_folder, ""), 2); /* nothing is left of the kills */
    assert_same_tensors(path, in_folder("whole.safetensors"));
}

static void test_an_infinite_loss_ends_the_run_with_its_state(void **state) {
    (void)state;
    file_write(in_folder("m.safetensors"), "earlier", 7);
    Ran ran = RUN("train", "copy", "--steps", "50", TINY, "-o", in_folder("m.safetensors"),
                  "--learning-rate", "1e30", "--warmup", "0", "--clip", "0");
    assert_status(&ran, 1);
    const char *message = strstr(ran.err, "the loss is");
    assert_non_null(message);
    assert_true(strstr(message, "nan") || strstr(message, "inf"));
    assert_non_null(strstr(message, "learning rate"));
    assert_int_equal(count_files(test_folder, ""), 2);
    size_t size;
    char *model = file_read(in_folder("m.safetensors"), &size);
    assert_int_equal(size, 7);
    free(model);

    /* The state is whole and the steps are the same again, so it ends at the same place. */
    Ran again = RUN("train", "copy", "--resume", "-o", in_folder("m.safetensors"));
    assert_status(&again, 1);
    assert_string_equal(ran.err, again.err);
    ran_free(&again);
    ran_free(&ran);
}

static void test_the_log_has_a_line_a_step(void **state) {
    (void)state;
    MUST_RUN("train", "copy", "--steps", "20", TINY, "-o", in_folder("m.safetensors"), "--every",
             "10", "--log", in_folder("log.csv"));
    check_log(in_folder("log.csv"), 20);
    /* Only the steps that were tested tell the share of right outputs. */
    char *text = file_read(in_folder("log.csv"), NULL);
    char *line = text;
    for (int step = 1; step <= 20; step++) {
        line = strchr(line, '\n') + 1;
        char *end = strchr(line, '\n');
        assert_int_equal(end[-1] != ',', step % 10 == 0);
    }
    free(text);
    Ran ran = RUN("train", "copy", "--steps", "20", TINY, "-o", in_folder("n.safetensors"), "--log",
                  in_folder("no/such/log.csv"));
    assert_status(&ran, 1);
    assert_non_null(strstr(ran.err, "no/such/log.csv"));
    ran_free(&ran);
}

/* The list of steps, losses and exact matches in the header; free it. */
static char *snapshot_list(const char *path) {
    size_t size;
    char *bytes = file_read(path, &size), *end = NULL;
    /* Past the length, which holds zero bytes. */
    char *list = strstr(bytes + 8, "\"snapshots\":\"[");
    if (list) end = strchr(list, ']');
    if (!end) fail_msg("%s: no list of snapshots", path);
    *end = '\0';
    char *copy = strdup(list);
    free(bytes);
    return copy;
}

static void assert_same_snapshots(const char *a, const char *b) {
    assert_same_tensors(a, b);
    char *left = snapshot_list(a), *right = snapshot_list(b);
    assert_string_equal(left, right);
    free(left);
    free(right);
}

static void test_snapshots_stand_beside_the_model(void **state) {
    (void)state;
    MUST_RUN("train", "copy", "--steps", "20", TINY, "-o", in_folder("m.safetensors"),
             "--snapshots", "3");
    assert_int_equal(count_files(test_folder, ""), 2);
    char *list = snapshot_list(in_folder("m.snapshots.safetensors"));
    assert_non_null(strstr(list, "\\\"step\\\":0,\\\"loss\\\":null,"));
    assert_non_null(strstr(list, "\\\"step\\\":5,"));
    assert_non_null(strstr(list, "\\\"step\\\":20,"));
    free(list);
    /* Looking changes nothing, and the last snapshot is the model. */
    MUST_RUN("train", "copy", "--steps", "20", TINY, "-o", in_folder("n.safetensors"));
    assert_same_tensors(in_folder("m.safetensors"), in_folder("n.safetensors"));
    size_t size, model_size;
    char *bytes = file_read(in_folder("m.snapshots.safetensors"), &size);
    char *model = file_read(in_folder("m.safetensors"), &model_size);
    assert_memory_equal(bytes + size - 30000, model + model_size - 30000, 30000);
    free(bytes);
    free(model);

    Ran ran = RUN("train", "copy", "--steps", "4", TINY, "-o", in_folder("few.safetensors"),
                  "--snapshots", "6");
    assert_status(&ran, 2);
    assert_int_equal(count_lines(ran.err), 1);
    assert_non_null(strstr(ran.err, "at most 5"));
    ran_free(&ran);
    ran = RUN("train", "copy", "--resume", "-o", in_folder("m.safetensors"), "--snapshots", "6");
    assert_status(&ran, 2);
    assert_non_null(strstr(ran.err, "--snapshots"));
    ran_free(&ran);
    ran = RUN("run", in_folder("m.snapshots.safetensors"), "--input", "1");
    assert_status(&ran, 1);
    assert_non_null(strstr(ran.err, "not a model"));
    ran_free(&ran);
    assert_int_equal(count_files(test_folder, ""), 3);
}

/* Stopped, then killed again and again with a save after every step. */
static void test_an_interrupted_run_keeps_its_snapshots(void **state) {
    (void)state;
    MUST_RUN("train", "copy", "--steps", long_steps(), TINY, "-o", in_folder("whole.safetensors"),
             "--snapshots", "40");
    char path[256], run_path[256], log_path[256];
    snprintf(path, sizeof path, "%s/m.safetensors", test_folder);
    snprintf(run_path, sizeof run_path, "%s/m.safetensors.run", test_folder);
    snprintf(log_path, sizeof log_path, "%s/log.csv", test_folder);
    const char *const first[] = {"train", "copy",  "--steps", long_steps(), TINY,
                                 "-o",    path,    "--every", "1",          "--snapshots",
                                 "40",    "--log", log_path,  NULL};
    const char *const next[] = {"train", "copy", "--resume", "-o", path, "--every", "1", NULL};
    pid_t child = program_start(first, NULL);
    /* Some steps, and with them snapshots, past the start. */
    wait_for_file(log_path);
    struct stat status = {0};
    for (int i = 0; i < 3000 && status.st_size < 2000; i++) {
        wait_milliseconds(10);
        assert_int_equal(stat(log_path, &status), 0);
    }
    kill(child, SIGINT);
    Ran ran = program_wait(child);
    assert_status(&ran, 1);
    ran_free(&ran);
    assert_true(file_exists(in_folder("m.safetensors.run.snapshots")));
    assert_false(file_exists(in_folder("m.snapshots.safetensors")));
    srand(2);
    for (int i = 0; i < (small_work() ? 1 : 5); i++) {
        child = program_start(next, NULL);
        wait_milliseconds(20 + rand() % 60);
        kill(child, SIGKILL);
        ran = program_wait(child);
        if (ran.status != 128 + SIGKILL && ran.status != 0) fail_msg("%s", ran.err);
        bool finished = ran.status == 0;
        ran_free(&ran);
        if (finished) break;
    }
    if (!file_exists(path) || file_exists(run_path))
        MUST_RUN("train", "copy", "--resume", "-o", path);
    assert_same_tensors(path, in_folder("whole.safetensors"));
    assert_same_snapshots(in_folder("m.snapshots.safetensors"),
                          in_folder("whole.snapshots.safetensors"));
    assert_int_equal(count_files(test_folder, ".run"), 0);
    assert_int_equal(count_files(test_folder, ".run.snapshots"), 0);
}

/* A run without snapshots, begun where one with them stood that was removed, has none of them. */
static void test_a_new_run_forgets_earlier_snapshots(void **state) {
    (void)state;
    Ran ran = RUN("train", "copy", "--steps", "50", TINY, "-o", in_folder("m.safetensors"),
                  "--snapshots", "3", "--learning-rate", "1e30", "--warmup", "0", "--clip", "0");
    assert_status(&ran, 1);
    ran_free(&ran);
    assert_true(file_exists(in_folder("m.safetensors.run.snapshots")));
    assert_int_equal(unlink(in_folder("m.safetensors.run")), 0);
    ran = RUN("train", "copy", "--steps", "50", TINY, "-o", in_folder("m.safetensors"),
              "--learning-rate", "1e30", "--warmup", "0", "--clip", "0");
    assert_status(&ran, 1);
    ran_free(&ran);
    assert_true(file_exists(in_folder("m.safetensors.run")));
    assert_false(file_exists(in_folder("m.safetensors.run.snapshots")));
}

static void test_snapshots_of_another_run_are_refused(void **state) {
    (void)state;
    Ran ran = RUN("train", "copy", "--steps", "50", TINY, "-o", in_folder("m.safetensors"),
                  "--snapshots", "3", "--learning-rate", "1e30", "--warmup", "0", "--clip", "0");
    ran_free(&ran);
    ran = RUN("train", "copy", "--steps", "50", TINY, "-o", in_folder("n.safetensors"), "--seed",
              "5", "--learning-rate", "1e30", "--warmup", "0", "--clip", "0");
    ran_free(&ran);
    assert_int_equal(
        rename(in_folder("m.safetensors.run.snapshots"), in_folder("n.safetensors.run.snapshots")),
        0);
    ran = RUN("train", "copy", "--resume", "-o", in_folder("n.safetensors"));
    assert_status(&ran, 1);
    assert_int_equal(count_lines(ran.err), 1);
    assert_non_null(strstr(ran.err, "not the snapshots of this run"));
    ran_free(&ran);
}

static void test_a_dry_run_writes_nothing(void **state) {
    (void)state;
    Ran ran = RUN("train", "copy", "--dry-run", TINY, "-o", in_folder("m.safetensors"), "--log",
                  in_folder("log.csv"), "--threads", "3");
    assert_status(&ran, 0);
    assert_int_equal(count_lines(ran.out), 7);
    assert_non_null(
        strstr(ran.out, "\nthreads     3; up to 4 help, one for each slice of a batch of 8\n"));
    long parameters = 0;
    double sum = 0;
    assert_int_equal(sscanf(ran.out, "parameters %ld memory %lf MB", &parameters, &sum), 2);
    assert_true(parameters > 0);
    static const char *const parts[] = {"\n  parameters", "\n  gradients", "\n  moments",
                                        "\n  workspace"};
    double megabytes[4] = {0}, all = 0;
    for (int part = 0; part < 4; part++) {
        const char *line = strstr(ran.out, parts[part]);
        assert_non_null(line);
        megabytes[part] = atof(line + strlen(parts[part]));
        all += megabytes[part];
    }
    /* Values, four gradients and two moments, in floats; each rounded to a tenth. */
    assert_true(fabs(megabytes[0] - (double)parameters * sizeof(float) / 1e6) < 0.051);
    assert_true(fabs(megabytes[1] - 4 * (double)parameters * sizeof(float) / 1e6) < 0.051);
    assert_true(fabs(megabytes[2] - 2 * (double)parameters * sizeof(float) / 1e6) < 0.051);
    assert_true(megabytes[3] > 0);
    assert_true(fabs(all - sum) < 0.251);
    assert_string_equal(ran.err, "");
    assert_int_equal(count_files(test_folder, ""), 0);
    ran_free(&ran);

    /* The default batch feeds eight threads, and each thread has a workspace. */
    double workspace[2];
    for (int i = 0; i < 2; i++) {
        ran = RUN("train", "copy", "--dry-run", "--threads", i ? "8" : "1");
        assert_status(&ran, 0);
        assert_non_null(strstr(ran.out, "; up to 8 help"));
        workspace[i] = atof(strstr(ran.out, parts[3]) + strlen(parts[3]));
        ran_free(&ran);
    }
    assert_true(fabs(workspace[1] - 8 * workspace[0]) < 0.451); /* each rounded to a tenth */
}

static void test_a_run_of_another_task_is_not_resumed(void **state) {
    (void)state;
    Ran ran = RUN("train", "copy", "--steps", "50", TINY, "-o", in_folder("m.safetensors"),
                  "--learning-rate", "1e30", "--warmup", "0", "--clip", "0");
    ran_free(&ran);
    ran = RUN("train", "sort", "--resume", "-o", in_folder("m.safetensors"));
    assert_status(&ran, 2);
    assert_int_equal(count_lines(ran.err), 1);
    assert_non_null(strstr(ran.err, "copy"));
    ran_free(&ran);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_training_leaves_the_model_alone),
        IN_FOLDER(test_the_same_seed_gives_the_same_model_with_any_threads),
        IN_FOLDER(test_an_interrupted_run_goes_on_to_the_same_model),
        IN_FOLDER(test_an_older_run_goes_on_with_four_slices),
        IN_FOLDER(test_no_instant_of_a_kill_spoils_the_run),
        IN_FOLDER(test_an_infinite_loss_ends_the_run_with_its_state),
        IN_FOLDER(test_the_log_has_a_line_a_step),
        IN_FOLDER(test_snapshots_stand_beside_the_model),
        IN_FOLDER(test_an_interrupted_run_keeps_its_snapshots),
        IN_FOLDER(test_a_new_run_forgets_earlier_snapshots),
        IN_FOLDER(test_snapshots_of_another_run_are_refused),
        IN_FOLDER(test_a_dry_run_writes_nothing),
        IN_FOLDER(test_a_run_of_another_task_is_not_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
