/* The window on a real display (Xvfb), with real keys and a real pointer: open, type, hover,
 * compare, ablate, step, save, resize, close; and what the display shows is what the PNG stores.
 * Skipped where Xvfb or xdotool is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helper_window.h"

static Display display;

static int make_display(void **state) {
    if (make_folder(state) != 0) return -1;
    unsetenv("SDL_VIDEODRIVER");
    unsetenv("WAYLAND_DISPLAY");
    setenv("XDG_CONFIG_HOME", in_folder("config"), 1);
    setenv("XDG_STATE_HOME", in_folder("state"), 1);
    return 0;
}

static int remove_display(void **state) {
    display_stop(&display);
    unsetenv("DISPLAY");
    return remove_folder(state);
}

/* What the window wrote down as its state, which follows each change. */
static bool state_has(const char *words) {
    const char *path = in_folder("state/headscope/last");
    if (!file_exists(path)) return false;
    char *text = file_read(path, NULL);
    bool has = strstr(text, words) != NULL;
    free(text);
    return has;
}

/* The model by its whole path, as the program runs in another folder. */
static const char *model_path(void) {
    static char path[600];
    const char *model = copy_model();
    char *here = getcwd(NULL, 0);
    snprintf(path, sizeof path, "%s%s%s", model[0] == '/' ? "" : here, model[0] == '/' ? "" : "/",
             model);
    free(here);
    return path;
}

/* The first keys may come before the window has the keyboard. */
static bool keys_arrive(void) {
    assert_true(xdo("search --onlyvisible --name headscope windowfocus key Home"));
    for (int i = 0; i < 40 && !state_has("step 1"); i++)
        wait_milliseconds(PAUSE_MS);
    return state_has("step 1");
}

static void skip_without_tools(void) {
    if (have_display_tools()) return;
    print_message("skipped: it needs Xvfb and xdotool\n");
    skip();
}

static void start(const char *actions) {
    skip_without_tools();
    display_start(&display, 1400, 1000);
    window_start(&display, (const char *const[]){"view", model_path(), "--size", "1000x700", "--do",
                                                 actions, NULL});
    WAIT_FOR(keys_arrive());
    assert_true(xdo("key End"));
    WAIT_FOR(!state_has("step 1"));
}

/* Ctrl+S, which takes the first free name. What is done next takes the message about it away. */
static const char *save(int number) {
    static char path[256];
    char name[40];
    snprintf(name, sizeof name, "headscope-%d.png", number);
    snprintf(path, sizeof path, "%s", in_folder(name));
    assert_true(xdo("key ctrl+s"));
    WAIT_FOR(file_exists(path));
    assert_true(xdo("key End"));
    return path;
}

static char *saved_actions(const char *path) {
    Picture picture = picture_read(path);
    char *actions = strdup(picture_text(&picture, "headscope:actions"));
    picture_free(&picture);
    return actions;
}

/* --- tests ------------------------------------------------------------------------------------ */

static void test_keys_do_what_they_say(void **state) {
    (void)state;
    start("input abc; select cross.0.0");
    assert_true(xdo("key i") && xdo("type --delay 5 de"));
    WAIT_FOR(state_has("input abcde"));
    assert_true(xdo("key BackSpace ctrl+a ctrl+c End ctrl+v"));
    WAIT_FOR(state_has("input abcdabcd"));
    assert_true(xdo("key Escape ctrl+z"));
    WAIT_FOR(state_has("input abcd;"));
    assert_true(xdo("key Tab Right a"));
    WAIT_FOR(state_has("ablate encoder."));
    assert_true(xdo("key r bracketleft bracketleft"));
    WAIT_FOR(state_has("step "));
    assert_true(!state_has("ablate"));
    assert_true(xdo("key c Shift+Right d t m comma k"));
    WAIT_FOR(state_has("difference on") && state_has("page compare") && state_has("theme dark") &&
             state_has("colormap cividis") && state_has("enc_len") && state_has("causal off"));
    assert_true(xdo("key Escape Escape colon") && xdo("type --delay 5 'page train'") &&
                xdo("key Return"));
    WAIT_FOR(state_has("page train"));
    assert_true(xdo("key ctrl+q"));
    assert_int_equal(window_wait(&display), 0);
}

static void test_a_target_is_forced_by_typing(void **state) {
    (void)state;
    start("input abc");
    assert_true(xdo("key u") && xdo("type --delay 5 ca"));
    WAIT_FOR(state_has("prefix ca"));
    assert_true(xdo("key Return"));
    WAIT_FOR(state_has("target ca"));
    assert_true(xdo("key u Escape")); /* sets a whole one free */
    WAIT_FOR(!state_has("target") && !state_has("prefix"));
}

static void test_the_display_shows_what_the_picture_stores(void **state) {
    (void)state;
    static const char *const keys[] = {"2", "3", "1 Return l", "Return p", "F1"};
    start("input abc; ablate cross.0.1");
    assert_true(xdo("mousemove 1390 990")); /* its arrow would be on the display alone */
    const char *path = save(1);
    WAIT_FOR(display_shows(path));
    for (int i = 0; i < 5; i++) {
        assert_true(xdo("key %s", keys[i]));
        path = save(i + 2);
        WAIT_FOR(display_shows(path));
    }
}

/* Where a cell lies is drawing's to say: the pointer goes over the panels until it meets one. */
static const char *hover_cell(void) {
    for (int i = 0; i < 12; i++) {
        assert_true(xdo("mousemove %d %d", 290 + 23 * i, 330 + 5 * i));
        const char *path = save(i + 1);
        char *actions = saved_actions(path);
        bool met = strstr(actions, "hover cross.0.") != NULL;
        free(actions);
        if (met) return path;
    }
    fail_msg("the pointer met no cell");
    return NULL;
}

static void test_the_pointer_hovers_selects_and_pins(void **state) {
    (void)state;
    start("input abcabc; select cross.0.0");
    const char *path = hover_cell();
    WAIT_FOR(display_shows(path));
    int y = 0; /* a thumbnail, left of them */
    WAIT_FOR(xdo("mousemove 60 %d click 1", 220 + (y = (y + 5) % 60)) &&
             !state_has("select cross.0.0"));
    WAIT_FOR(xdo("mousemove 60 %d keydown shift click 1 keyup shift", 220 + (y = (y + 5) % 60)) &&
             state_has("ablate"));
    assert_true(xdo("mousemove 150 68 click 1")); /* a token of the source */
    WAIT_FOR(state_has("pin source"));
    assert_true(xdo("mousemove 480 68 click 1") && xdo("type --delay 5 c")); /* behind the tokens */
    WAIT_FOR(state_has("input abcabcc"));
}

/* One press tells a cell's weight beside the maps, a second its whole story, and Esc leads back. */
static void test_a_cell_is_pressed(void **state) {
    (void)state;
    start("input abcabc; select cross.0.0");
    hover_cell();
    assert_true(xdo("click 1"));
    WAIT_FOR(state_has("cell "));
    assert_true(!state_has("lesson explain"));
    wait_milliseconds(700); /* longer than two presses that belong together are apart */
    assert_true(xdo("click --repeat 2 --delay 40 1"));
    WAIT_FOR(state_has("lesson explain cross.0.") && state_has("cell "));
    assert_true(!state_has("page explore"));
    assert_true(xdo("key Escape"));
    WAIT_FOR(state_has("page explore") && state_has("cell "));
    assert_true(xdo("key Escape"));
    WAIT_FOR(!state_has("cell "));
    assert_true(xdo("mousemove 5 690 key alt+Down key alt+Right key Return")); /* its first cell */
    WAIT_FOR(!state_has("page explore") && state_has("cell 0 1"));
    assert_true(xdo("key Escape"));
    WAIT_FOR(state_has("page explore"));
    assert_true(xdo("key w"));
    WAIT_FOR(!state_has("page explore"));
}

/* Playing goes from the first step to the last by itself. */
static void test_play_steps_by_itself(void **state) {
    (void)state;
    start("input abc; step 2");
    assert_true(xdo("key space"));
    WAIT_FOR(state_has("step 3"));
    WAIT_FOR(!state_has("step"));
}

/* A script's states by PageDown, as a clicker sends it; then a model, and the state of a picture.
 */
static void test_states_models_and_pictures_are_opened(void **state) {
    (void)state;
    char picture[256];
    skip_without_tools();
    static const char text[] = "one: input ab\ntwo: input abba; ablate cross.0.1\n";
    file_write(in_folder("talk"), text, sizeof text - 1);
    display_start(&display, 1400, 1000);
    window_start(&display, (const char *const[]){"view", model_path(), "--script", "talk", NULL});
    WAIT_FOR(keys_arrive());
    assert_true(xdo("mousemove 1390 990 key Next")); /* the pointer is away from the maps */
    WAIT_FOR(state_has("input abba; ablate cross.0.1"));
    snprintf(picture, sizeof picture, "%s", save(1));
    assert_true(xdo("key Prior"));
    WAIT_FOR(state_has("input ab;"));
    MUST_RUN("train", "reverse", "--steps", "1", TINY, "-o", in_folder("r.safetensors"));
    assert_true(xdo("key colon") && xdo("type --delay 5 'open r.safetensors'") &&
                xdo("key Return"));
    WAIT_FOR(state_has("r.safetensors"));
    assert_true(xdo("key colon") && xdo("type --delay 5 'open headscope-1.png'") &&
                xdo("key Return"));
    WAIT_FOR(state_has("input abba; ablate cross.0.1"));
    assert_true(xdo("key End"));
    WAIT_FOR(display_shows(picture));
}

static void test_any_size_goes(void **state) {
    (void)state;
    skip_without_tools();
    display_start(&display, 4000, 3000);
    window_start(&display, (const char *const[]){"view", model_path(), NULL});
    assert_true(xdo("search --name headscope windowsize 1 1"));
    WAIT_FOR(window_is_large(1, 1));
    assert_true(xdo("key t"));
    WAIT_FOR(state_has("theme dark"));
    assert_true(xdo("search --name headscope windowsize 4000 3000"));
    WAIT_FOR(window_is_large(4000, 3000));
    WAIT_FOR(pixel_is_lit(3999, 2999));
    assert_true(xdo("search --name headscope windowsize 901 603"));
    WAIT_FOR(window_is_large(901, 603));
    const char *path = save(1);
    WAIT_FOR(display_shows(path));
    Picture picture = picture_read(path);
    assert_int_equal(picture.width, 901);
    assert_int_equal(picture.height, 603);
    picture_free(&picture);
}

/* The server dies under the window: the program ends, and the next start goes on from there. */
static void test_a_lost_display_loses_nothing(void **state) {
    (void)state;
    start("input cab; ablate encoder.0.1");
    WAIT_FOR(state_has("ablate encoder.0.1"));
    assert_true(xdo("key t"));
    const char *path = save(1); /* the key has arrived */
    end_process(&display.server, SIGKILL);
    assert_int_equal(window_wait(&display), 1);
    assert_true(state_has("theme dark") && state_has("input cab"));
    char *actions = saved_actions(path);
    display_start(&display, 1400, 1000);
    window_start(&display, (const char *const[]){"view", NULL});
    char *again = saved_actions(save(2));
    assert_string_equal(actions, again);
    free(actions);
    free(again);
    assert_int_equal(kill(display.program, SIGTERM), 0); /* and is closed in order */
    assert_int_equal(window_wait(&display), 0);
}

static void test_training_shows_and_ends_with_the_window(void **state) {
    (void)state;
    start("");
    assert_true(xdo("key colon") && xdo("type --delay 5 'train copy'") && xdo("key Return"));
    const char *path = save(1);
    char *actions = saved_actions(path);
    assert_non_null(strstr(actions, "page train"));
    free(actions);
    assert_true(xdo("key 1 i") && xdo("type --delay 5 abc") && xdo("key Escape")); /* goes on */
    assert_true(xdo("key colon") && xdo("type --delay 5 'train save a.safetensors'") &&
                xdo("key Return"));
    WAIT_FOR(file_exists(in_folder("a.safetensors")));
    assert_true(xdo("key ctrl+q ctrl+q"));
    assert_int_equal(window_wait(&display), 0);
    MUST_RUN("run", in_folder("a.safetensors"), "--input", "ab");
}

static bool prompt(const char *action) {
    return xdo("key colon") && xdo("type --delay 5 '%s'", action) && xdo("key Return");
}

/* Saves the weights once more; whether they are others than in a.safetensors. */
static bool weights_moved(void) {
    unlink(in_folder("b.safetensors"));
    assert_true(prompt("train save b.safetensors"));
    WAIT_FOR(file_exists(in_folder("b.safetensors")));
    size_t size;
    char *a = file_read(in_folder("a.safetensors"), &size);
    char *b = file_read(in_folder("b.safetensors"), NULL);
    bool moved = memcmp(a, b, size) != 0;
    free(a);
    free(b);
    return moved;
}

/* What was trained goes only at the second wish, or when it is saved; then it has a name. */
static void test_unsaved_training_is_not_thrown_away(void **state) {
    (void)state;
    start("");
    assert_true(prompt("train copy") && prompt("train save a.safetensors"));
    WAIT_FOR(file_exists(in_folder("a.safetensors")));
    WAIT_FOR(weights_moved());
    assert_true(xdo("key ctrl+q"));
    free(saved_actions(save(1))); /* it runs on */
    assert_true(xdo("key ctrl+t"));
    assert_true(prompt("train sort"));
    assert_true(prompt("open a.safetensors"));
    assert_true(prompt("train back"));
    char *actions = saved_actions(save(2));
    assert_non_null(strstr(actions, "page train"));
    free(actions);
    assert_true(prompt("train save mine.safetensors"));
    WAIT_FOR(state_has("mine.safetensors") && state_has("page train"));
    Picture picture = picture_read(save(3));
    assert_non_null(strstr(picture_text(&picture, "headscope:file"), "mine.safetensors"));
    assert_int_equal(strlen(picture_text(&picture, "headscope:model")), 64);
    picture_free(&picture);
    assert_true(xdo("key ctrl+q"));
    assert_int_equal(window_wait(&display), 0);
}

#define ON_DISPLAY(test) cmocka_unit_test_setup_teardown(test, make_display, remove_display)

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_DISPLAY(test_keys_do_what_they_say),
        ON_DISPLAY(test_a_target_is_forced_by_typing),
        ON_DISPLAY(test_the_display_shows_what_the_picture_stores),
        ON_DISPLAY(test_the_pointer_hovers_selects_and_pins),
        ON_DISPLAY(test_a_cell_is_pressed),
        ON_DISPLAY(test_play_steps_by_itself),
        ON_DISPLAY(test_states_models_and_pictures_are_opened),
        ON_DISPLAY(test_any_size_goes),
        ON_DISPLAY(test_a_lost_display_loses_nothing),
        ON_DISPLAY(test_training_shows_and_ends_with_the_window),
        ON_DISPLAY(test_unsaved_training_is_not_thrown_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
