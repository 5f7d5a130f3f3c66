#include "app/commands/head_table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

HeadTable head_table(const HeadId *heads, int rows) {
    return (HeadTable){.heads = heads, .rows = rows};
}

void head_table_free(HeadTable *table) {
    for (int i = 0; i < table->count; i++)
        free(table->columns[i].values);
    free(table->labels);
    *table = (HeadTable){0};
}

double *head_table_column(HeadTable *table, const char *name, const char *head, int decimals,
                          Error *error) {
    assert(table->count < HEAD_TABLE_COLUMNS);
    double *values = calloc((size_t)table->rows + 1, sizeof *values);
    if (!values) {
        error_set(error, "out of memory for a table of %d heads", table->rows);
        return NULL;
    }
    table->columns[table->count++] = (HeadColumn){name, head, decimals, values};
    return values;
}

bool head_table_labels(HeadTable *table, Error *error) {
    table->labels = calloc((size_t)table->rows + 1, sizeof *table->labels);
    return table->labels || error_set(error, "out of memory for a table of %d heads", table->rows);
}

static void name_head(char *text, size_t size, HeadId id) {
    snprintf(text, size, "%s.%d.%d", site_name(id.site), id.layer, id.head);
}

static void print_number(char *text, size_t size, const HeadColumn *column, int row) {
    double value = column->values[row];
    if (isnan(value))
        text[0] = '\0';
    else
        snprintf(text, size, "%.*f", column->decimals, value);
}

/* As wide as the widest cell or the heading. */
static int width_of(const HeadTable *table, const HeadColumn *column) {
    int width = (int)strlen(column->head);
    for (int row = 0; row < table->rows; row++) {
        char text[340];
        print_number(text, sizeof text, column, row);
        if ((int)strlen(text) > width) width = (int)strlen(text);
    }
    return width;
}

static void print_row(const HeadTable *table, const int *widths, int row) {
    char text[340];
    name_head(text, sizeof text, table->heads[row]);
    printf("%s", text);
    int gap = widths[HEAD_TABLE_COLUMNS] - (int)strlen(text); /* no spaces at the end of a line */
    for (int i = 0; i < table->count; i++) {
        if (!table->columns[i].head) continue;
        print_number(text, sizeof text, &table->columns[i], row);
        gap += 2 + widths[i];
        if (!text[0]) continue;
        printf("%*s", gap, text);
        gap = 0;
    }
    if (table->labels && table->labels[row][0]) printf("%*s%s", gap + 2, "", table->labels[row]);
    printf("\n");
}

void head_table_print(const HeadTable *table, const int *order) {
    int widths[HEAD_TABLE_COLUMNS + 1] = {0}; /* the last is that of the heads' names */
    int *names = &widths[HEAD_TABLE_COLUMNS];
    for (int row = 0; row < table->rows; row++) {
        char text[64];
        name_head(text, sizeof text, table->heads[row]);
        if ((int)strlen(text) > *names) *names = (int)strlen(text);
    }
    printf("%-*s", *names, "head");
    for (int i = 0; i < table->count; i++) {
        if (!table->columns[i].head) continue;
        widths[i] = width_of(table, &table->columns[i]);
        printf("  %*s", widths[i], table->columns[i].head);
    }
    printf("%s\n", table->labels ? "  label" : "");
    for (int row = 0; row < table->rows; row++)
        print_row(table, widths, order ? order[row] : row);
}

void head_table_print_csv(const HeadTable *table) {
    printf("site,layer,head");
    for (int i = 0; i < table->count; i++)
        printf(",%s", table->columns[i].name);
    printf("%s\n", table->labels ? ",label" : "");
    for (int row = 0; row < table->rows; row++) {
        HeadId id = table->heads[row];
        printf("%s,%d,%d", site_name(id.site), id.layer, id.head);
        for (int i = 0; i < table->count; i++) {
            double value = table->columns[i].values[row];
            if (isnan(value))
                printf(",");
            else
                printf(",%.9g", value);
        }
        if (table->labels) printf(",%s", table->labels[row]); /* no label has a comma */
        printf("\n");
    }
}

static void add_head(cJSON *heads, const HeadTable *table, int row) {
    HeadId id = table->heads[row];
    char text[64];
    cJSON *object = cJSON_CreateObject();
    name_head(text, sizeof text, id);
    cJSON_AddStringToObject(object, "head", text);
    cJSON_AddStringToObject(object, "site", site_name(id.site));
    cJSON_AddNumberToObject(object, "layer", id.layer);
    cJSON_AddNumberToObject(object, "index", id.head);
    for (int i = 0; i < table->count; i++) {
        const HeadColumn *column = &table->columns[i];
        if (isnan(column->values[row]))
            cJSON_AddNullToObject(object, column->name);
        else
            cJSON_AddNumberToObject(object, column->name, column->values[row]);
    }
    if (table->labels) cJSON_AddStringToObject(object, "label", table->labels[row]);
    cJSON_AddItemToArray(heads, object);
}

bool head_table_print_json(const HeadTable *table, cJSON *object, Error *error) {
    cJSON *heads = cJSON_AddArrayToObject(object, "heads");
    for (int row = 0; heads && row < table->rows; row++)
        add_head(heads, table, row);
    char *text = heads ? cJSON_Print(object) : NULL;
    cJSON_Delete(object);
    if (!text) return error_set(error, "out of memory");
    puts(text);
    cJSON_free(text);
    return true;
}
