/* A table with a row for each head, printed as text, CSV or JSON. */
#ifndef HEADSCOPE_APP_COMMANDS_HEAD_TABLE_H
#define HEADSCOPE_APP_COMMANDS_HEAD_TABLE_H

#include <cjson/cJSON.h>

#include "model/base/error.h"
#include "model/trace/trace.h"

enum { HEAD_TABLE_COLUMNS = 40, HEAD_LABEL_SIZE = 64 };

/* NaN is printed as blank: spaces, an empty field, null. */
typedef struct HeadColumn {
    const char *name; /* in CSV and JSON */
    const char *head; /* over the column of the readable table; NULL: not in that one */
    int decimals;     /* there */
    double *values;   /* [rows], owned by the table */
} HeadColumn;

typedef struct HeadTable {
    const HeadId *heads; /* [rows] */
    int rows, count;
    HeadColumn columns[HEAD_TABLE_COLUMNS];
    char (*labels)[HEAD_LABEL_SIZE]; /* [rows], owned; NULL: no column for labels */
} HeadTable;

/* A table without columns; `heads` must stay. */
HeadTable head_table(const HeadId *heads, int rows);
void head_table_free(HeadTable *table); /* {0} is fine */

/* The values of a new column, to be filled in; NULL with *error for lack of memory. */
double *head_table_column(HeadTable *table, const char *name, const char *head, int decimals,
                          Error *error);

/* Adds the labels, empty texts. */
bool head_table_labels(HeadTable *table, Error *error);

/* To standard output. `order` [rows] says which head comes first; NULL: as they are. */
void head_table_print(const HeadTable *table, const int *order);
/* site,layer,head,<columns>,label; numbers with as many digits as bring a float back. */
void head_table_print_csv(const HeadTable *table);
/* Prints `object`, which it takes, with an array "heads" added: {"head": "cross.1.2", "site":
 * "cross", "layer": 1, "index": 2, <columns>, "label": "..."}. */
bool head_table_print_json(const HeadTable *table, cJSON *object, Error *error);

#endif
