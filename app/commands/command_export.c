#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/heads.h"
#include "app/commands/command_text.h"
#include "app/commands/commands.h"
#include "app/export/pictures.h"
#include "data/attention/attention_data.h"
#include "data/files/beside.h"
#include "data/files/output.h"

typedef struct ExportCall {
    Model model;
    TextPass text;      /* of the model */
    AttentionFile file; /* `from_file`: in place of the model */
    Pool pool;          /* labels of the file */
    LabelledTrace maps; /* of either */
    bool from_file;
    AttentionFileOptions file_options;
    bool transposed;
    const char *input, *output, *data_path;
    const char *heads, *site;
    int layer, head;   /* -1: all */
    bool each, single; /* `single`: one picture, not a folder */
    PictureFormat format;
    PictureStyle style;
    HeadChoice choice;
} ExportCall;

/* One picture of the panels first .. first + count. */
static bool draw(ExportCall *call, const char *path, int first, int count, Arrangement arrangement,
                 Error *error) {
    PictureContent content = {.maps = &call->maps,
                              .model = call->from_file ? NULL : &call->model,
                              .panels = call->choice.panels + first,
                              .panel_count = count,
                              .arrangement = arrangement};
    return picture_save(path, &content, &call->style, error);
}

/* One picture a site, then, with --each, one a head. */
static bool draw_folder(ExportCall *call, Error *error) {
    char path[4096];
    const HeadChoice *choice = &call->choice;
    const char *ending = picture_format_name(call->format);
    bool made = mkdir(call->output, 0777) == 0;
    if (!made && access(call->output, W_OK | X_OK) != 0)
        return error_set(error, "%s: the folder cannot be made or written", call->output);
    bool good = true;
    for (int first = 0, count; good && first < choice->count; first += count) {
        Site site = choice->panels[first].id.site;
        for (count = 1; first + count < choice->count; count++)
            if (choice->panels[first + count].id.site != site) break;
        snprintf(path, sizeof path, "%s/%s.%s", call->output, site_name(site), ending);
        good = choice->listed || draw(call, path, first, count, ARRANGE_SITES, error);
    }
    if (good && choice->listed) {
        snprintf(path, sizeof path, "%s/heads.%s", call->output, ending);
        good = draw(call, path, 0, choice->count, ARRANGE_LIST, error);
    }
    for (int i = 0; good && call->each && i < choice->count; i++) {
        HeadId id = choice->panels[i].id;
        snprintf(path, sizeof path, "%s/%s.%d.%d.%s", call->output, site_name(id.site), id.layer,
                 id.head, ending);
        good = draw(call, path, i, 1, ARRANGE_LIST, error);
    }
    if (!good && made) rmdir(call->output); /* stays if a picture is in it */
    return good;
}

static bool save_data(const ExportCall *call, Error *error) {
    HeadId *heads = malloc(((size_t)call->choice.count + 1) * sizeof *heads);
    if (!heads) return error_set(error, "out of memory");
    for (int i = 0; i < call->choice.count; i++)
        heads[i] = call->choice.panels[i].id;
    AttentionData data = {.trace = call->maps.trace,
                          .source = call->maps.source,
                          .reads = call->maps.reads,
                          .writes = call->maps.writes,
                          .first_query = call->file.first_query,
                          .heads = heads,
                          .head_count = call->choice.count};
    bool saved = attention_data_save(&data, call->data_path, error);
    free(heads);
    return saved;
}

static bool export(ExportCall *call, const char *path, Error *error) {
    HeadRequest request = {call->heads, call->site, call->layer, call->head};
    if (!heads_choose(&call->choice, call->maps.trace, &request, error))
        return error_prefix(error, "%s", path);
    if (call->data_path && !save_data(call, error)) return false;
    if (!call->output) return true;
    if (!call->single) return draw_folder(call, error);
    return draw(call, call->output, 0, call->choice.count,
                call->choice.listed ? ARRANGE_LIST : ARRANGE_SITES, error);
}

static bool read_model(ExportCall *call, const char *path, Error *error) {
    const PassTexts texts = {.input = call->input};
    if (!model_open(&call->model, path, error) ||
        !text_pass_make(&call->text, &call->model, &texts, error))
        return false;
    call->maps = labelled_trace_of_pass(&call->text.pass, 0, call->input);
    return true;
}

static bool read_file(ExportCall *call, const char *path, Error *error) {
    call->file_options.site = call->site;
    call->file_options.transposed = call->transposed;
    return attention_file_open(&call->file, path, &call->file_options, error) &&
           labelled_trace_of_file(&call->maps, &call->pool, &call->file, path, error);
}

/* The format by -o's ending or, for a folder, by --format; and what fits only one of them. */
static bool choose_format(ExportCall *call, const char *format, const char *width, const char *font,
                          bool scaled, Error *error) {
    PictureFormat named = PICTURE_PNG;
    char path[16] = "";
    if (format) snprintf(path, sizeof path, "x.%s", format);
    if (format && !picture_format(path, &named))
        return error_usage(error, "--format %s: it takes png or svg", format);
    call->format = named;
    bool folder = call->output && picture_is_folder(call->output);
    call->single = call->output && !folder && picture_format(call->output, &call->format);
    /* A device or a pipe of any name takes a PNG. */
    call->single = call->single || (call->output && named == PICTURE_PNG && !folder &&
                                    output_is_device(call->output));
    if (call->output && !call->single && !folder)
        return error_usage(error,
                           "-o %s: pictures are written as .png or .svg; a folder for a picture a "
                           "site ends in / or has no ending",
                           call->output);
    if (format && named != call->format)
        return error_usage(error, "--format %s: -o %s names another format", format, call->output);
    bool svg = call->output && call->format == PICTURE_SVG;
    if ((width || font) && !svg)
        return error_usage(error,
                           "%s is for SVG: name the picture as in -o figure.svg, or use --scale",
                           width ? "--width" : "--font-size");
    if (scaled && svg)
        return error_usage(error, "--scale is for PNG: an SVG has no pixels; it takes --width");
    return (!width || length_parse(&call->style.size.width, "--width", width, error)) &&
           (!font || length_parse(&call->style.size.font, "--font-size", font, error));
}

static bool check_file(const ExportCall *call, const char *path, Error *error) {
    if (call->from_file && call->input)
        return error_usage(error, "--input is for a model: %s holds attention already", path);
    bool options = call->file_options.tokens || call->file_options.example >= 0 || call->transposed;
    return call->from_file || !options ||
           error_usage(error,
                       "%s: --tokens, --example and --transpose are for attention of another "
                       "program, and this holds none",
                       path);
}

static bool check(const ExportCall *call, const char *path, Error *error) {
    if (!call->input && !call->from_file)
        return error_usage(error, "%s: say what the model is to read: --input TEXT", path);
    if (!call->output && !call->data_path)
        return error_usage(error,
                           "say where to write: -o out/ for a picture a site, -o sheet.png (or "
                           ".svg) for one sheet, or --data FILE for the numbers");
    if (call->each && (!call->output || call->single))
        return error_usage(error,
                           "--each writes a picture a head: it needs a folder, as in -o out/");
    if (call->data_path && beside_is_same(call->data_path, path))
        return error_usage(error, "--data %s: is the file that is read; give another name",
                           call->data_path);
    return !call->data_path || attention_data_check_path(call->data_path, error);
}

bool command_export(const Command *command, int argc, char **argv, Error *error) {
    ExportCall call = {.layer = -1, .head = -1, .file_options = {.example = -1}};
    const char *theme = "light", *colormap = "viridis", *path;
    const char *format = NULL, *width = NULL, *font = NULL;
    double scale = NAN;
    int threads = 1;
    Option options[] = {
        {"--input", OPTION_TEXT, &call.input, "TEXT", "what the model reads", 0, 0, false},
        {"-o", OPTION_TEXT, &call.output, "PATH",
         "a folder (a picture a site), or a name in .png or .svg (one sheet)", 0, 0, false},
        {"--format", OPTION_TEXT, &format, "png|svg", "of the pictures in a folder", 0, 0, false},
        {"--each", OPTION_FLAG, &call.each, NULL, "a picture a head as well, in the folder", 0, 0,
         false},
        {"--site", OPTION_TEXT, &call.site, "SITE", "encoder, decoder or cross alone", 0, 0, false},
        {"--layer", OPTION_INT, &call.layer, "N", "this layer alone, from 0", 0, 63, false},
        {"--head", OPTION_INT, &call.head, "N", "this head alone, from 0", 0, 255, false},
        {"--heads", OPTION_TEXT, &call.heads, "LIST", "these heads, as in cross.1.2,cross.0.3", 0,
         0, false},
        {"--data", OPTION_TEXT, &call.data_path, "FILE",
         "the weights: .csv, .json, .npz or .safetensors", 0, 0, false},
        {"--tokens", OPTION_TEXT, &call.file_options.tokens, "FILE.json",
         "ATTENTION: its tokens, where they are not in it", 0, 0, false},
        {"--example", OPTION_INT, &call.file_options.example, "N",
         "ATTENTION: this one of a batch, from 0", 0, 1 << 20, false},
        {"--transpose", OPTION_FLAG, &call.transposed, NULL,
         "ATTENTION: its rows are keys, its columns queries", 0, 0, false},
        {"--theme", OPTION_TEXT, &theme, "light|dark", "the picture's theme", 0, 0, false},
        {"--colormap", OPTION_TEXT, &colormap, "NAME", "viridis, cividis, magma or grey", 0, 0,
         false},
        {"--width", OPTION_TEXT, &width, "8cm", "an SVG's width, in cm, mm, in, pt or px", 0, 0,
         false},
        {"--font-size", OPTION_TEXT, &font, "8pt", "of an SVG's tokens, as printed", 0, 0, false},
        {"--scale", OPTION_NUMBER, &scale, "X", "a PNG's pixels for a logical pixel, 0.5 to 8 [1]",
         0, 0, false},
        {"--threads", OPTION_INT, &threads, "N", "threads (one input needs but one)", 1, 64, false},
        {0},
    };
    ParseResult parsed = options_parse(command, options, &path, 1, 1, argc, argv, error);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP;
    if (!attention_file_judge(path, &call.from_file, error)) return false;
    static const char *const of_pictures[] = {"--format", "--theme", "--colormap", "--scale"};
    for (int i = 0; i < 4 && !call.output; i++)
        if (options_find(options, of_pictures[i])->given)
            return error_usage(error, "%s is of a picture: name one, -o sheet.png or -o out/",
                               of_pictures[i]);
    char *typed = command_text("headscope export", options, argc, argv);
    bool scaled = !isnan(scale);
    bool done =
        typed && picture_style(&call.style, theme, colormap, scaled ? scale : 1, typed, error) &&
        check_file(&call, path, error) &&
        choose_format(&call, format, width, font, scaled, error) && check(&call, path, error) &&
        (call.from_file ? read_file : read_model)(&call, path, error) && export(&call, path, error);
    /* What had to be assumed: the picture may be of something else than was meant. */
    if (done && call.file.note[0]) fprintf(stderr, "headscope: %s: %s\n", path, call.file.note);
    text_free(call.style.text);
    head_choice_free(&call.choice);
    text_pass_free(&call.text);
    pool_free(&call.pool);
    attention_file_free(&call.file);
    model_free(&call.model);
    free(typed);
    return done;
}
