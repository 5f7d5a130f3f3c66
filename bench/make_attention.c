/* make_attention FILE.npy LAYERS HEADS TOKENS: random attention of float32, rows that sum to 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    FILE *file = argc == 5 ? fopen(argv[1], "wb") : NULL;
    int tokens = file ? atoi(argv[4]) : 0;
    float *row = tokens > 0 ? malloc((size_t)tokens * sizeof *row) : NULL;
    if (!row) {
        fputs("usage: make_attention FILE.npy LAYERS HEADS TOKENS\n", stderr);
        return 2;
    }
    char header[128];
    int length = snprintf(header, sizeof header,
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (%s, %s, %s, %s), }\n",
                          argv[2], argv[3], argv[4], argv[4]);
    fwrite("\x93NUMPY\x01", 1, 8, file); /* with the end of the text, a 0 */
    fputc(length, file);
    fputc(0, file);
    fwrite(header, 1, (size_t)length, file);
    long rows = atol(argv[2]) * atol(argv[3]) * tokens;
    unsigned state = 1;
    for (long i = 0; i < rows; i++) {
        float sum = 0;
        for (int key = 0; key < tokens; key++) {
            state = state * 1664525 + 1013904223;
            row[key] = expf((float)(state >> 8) / (1 << 22));
            sum += row[key];
        }
        for (int key = 0; key < tokens; key++)
            row[key] /= sum;
        fwrite(row, sizeof *row, (size_t)tokens, file);
    }
    free(row);
    return fclose(file) == 0 ? 0 : 1;
}
