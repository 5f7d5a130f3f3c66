/* The tensors of a toy's file, one by one. */
#ifndef HEADSCOPE_APP_LESSONS_TOY_PARTS_H
#define HEADSCOPE_APP_LESSONS_TOY_PARTS_H

#include "app/lessons/toy.h"

/* x_query to b_o, as model/doctor/doctor.h names them. */
enum { TOY_PARTS = DUMP_B_O + 1 };

/* Where the numbers of a part are in a call. */
const double **toy_part(AcceptanceCall *call, DumpPart part);

/* Its shape in a file, of up to 3 sizes; returns how many. A source in columns has 2. */
int toy_part_shape(int64_t shape[3], const Toy *toy, DumpPart part);

#endif
