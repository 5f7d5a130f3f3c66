/* Writing tensors and texts as NumPy's .npz: a zip of .npy arrays (version 1.0, little-endian, C
 * order). */
#ifndef HEADSCOPE_DATA_ARRAYS_NPZ_SAVE_H
#define HEADSCOPE_DATA_ARRAYS_NPZ_SAVE_H

#include "data/arrays/safetensors_save.h"

/* Writes f32, f64, i32 and i64 tensors, and each text as an array of one string, without pickle.
 * The file is written whole or not at all; the same input gives the same bytes. */
bool npz_save(const char *path, const Tensor *tensors, int tensor_count, const TensorText *texts,
              int text_count, Error *error);

#endif
