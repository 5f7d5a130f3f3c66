#!/bin/sh
# `headscope check` over the real material of ../shared/data, where it stands: maps of a trained
# model in many containers, inputs of kinds that people stumbled over, and the cases of the ONNX
# operator Attention, which must be sound. HEADSCOPE names the program.
set -u
cd "$(dirname "$0")/.."
program=${HEADSCOPE:-./headscope}
data=../shared/data
[ -d "$data" ] || { echo "shared_data: skipped: there is no $data here"; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
count=0

fail() {
    echo "FAILED $*"
    bad=1
}

# expect STATUS WORDS FILE [OPTIONS]: the exit status, and words of what it says; an error is one
# line, and never a crash.
expect() {
    status=$1 words=$2
    shift 2
    count=$((count + 1))
    "$program" check "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got = "$status" ] || fail "$*: status $got instead of $status: $(cat "$work/err")"
    grep -qF "$words" "$work/out" "$work/err" || fail "$*: does not say '$words'"
    [ "$(wc -l <"$work/err")" -le 1 ] || fail "$*: more than one line of error"
}

awkward=$data/awkward
if [ -d "$awkward" ]; then
    for name in r01_batch2_heads4_5x5.npy r02_rect_cross_4x6.npy r07_1token.npy \
        r15_html_tokens.npy r17_duplicate_tokens.npy r19_sentencepiece.npy r21_long_tokens.npy \
        r23_token_count_off_by_one.npy r25_input_output_rows.npy r31_gqa_8q_2kv.npy \
        r36_be_f4.npy r36_f16.npy r36_f64.npy r36_fortran.npy r36_v3.npy r37_deflate.npz \
        r38_bf16.safetensors r39_meta_int.safetensors r43_rounded4.npy; do
        expect 0 "nothing wrong in the numbers by themselves" "$awkward/$name"
    done
    expect 1 "columns sum to 1 and rows do not" "$awkward/r03_transposed_cross_6x4.npy"
    expect 1 "NaN or infinities" "$awkward/r09_nan_row.npy"
    expect 0 "empty-uniform" "$awkward/r11_uniform_row_valid0.npy" --valid-lens 4,4,4,0
    expect 2 "(2): it has 1 axis" "$awkward/r05_vector_1d.npy"
    expect 2 "neither safetensors nor .npz nor .npy" "$awkward/r13_json_null.json"
    expect 2 "(encoder, decoder, cross)" "$awkward/r27_enc2_dec4.npz"
    expect 0 "4 queries, 3 keys" "$awkward/r27_enc2_dec4.npz" --weights cross
    expect 0 "nothing wrong" "$awkward/r29_missing_layer.npz" --weights encoder.2
    expect 0 "1 query, 6 keys" "$awkward/r33_generate_steps.safetensors" \
        --weights decoder.step3.layer1
    expect 2 "more than 16 MB" "$awkward/r39_header_too_large.safetensors"
    expect 2 "34 of 36 values; the file is cut short" "$awkward/r39_truncated.safetensors"
    expect 2 "holds no arrays" "$awkward/r39_only_metadata.safetensors"
    expect 2 "numpy.savez of plain arrays" "$awkward/r41_object_array.npy"
    expect 2 "it is empty" "$awkward/r45_empty.npy"
    for file in "$awkward"/*; do # whatever comes, an answer
        "$program" check "$file" >"$work/out" 2>"$work/err"
        got=$?
        [ $got -le 2 ] || fail "$file: status $got"
        count=$((count + 1))
    done
fi

maps=$data/aren_encdec
if [ -d "$maps" ]; then
    for file in "$maps"/case?_encoder.npy; do expect 0 "nothing wrong" "$file" --site encoder; done
    for file in "$maps"/case?_decoder.npy; do expect 0 "nothing wrong" "$file" --site decoder; done
    for file in "$maps"/case?_cross.npy "$maps"/variant_cross_*; do
        expect 0 "nothing wrong" "$file" --site cross
    done
    expect 1 "a fault" "$maps/case0_encoder.npy" --site decoder
    for name in encoder decoder cross; do
        expect 0 "nothing wrong" "$maps/case0_all.npz" --weights $name
        expect 0 "nothing wrong" "$maps/case0_all_deflate.npz" --weights $name
    done
fi

[ -d "$data/gpt2_layer" ] &&
    expect 0 "1, 12 heads, 37 queries" "$data/gpt2_layer/attention.npy" --layout BHTD --causal

# The right figures of an independent program: sound, to 1e-5 (of half precision 1e-3).
python=${PYTHON:-/usr/bin/python3}
if [ -d "$data/onnx_attention" ] && "$python" -c 'import numpy' 2>/dev/null; then
    "$python" tests/oracle/onnx_dumps.py "$data/onnx_attention" "$work" || fail "onnx_dumps.py"
    "$program" check "$work"/*.npz --json >"$work/verdicts" || fail "ONNX cases: status $?"
    "$python" - "$work/verdicts" <<'END' || fail "ONNX cases"
import json, sys
files = json.load(open(sys.argv[1]))["files"]
stages = [(file, stage) for file in files for stage in file["stages"]
          if stage["state"] != "not checked"]
largest = max(stage["difference"] for _, stage in stages)
print(f"  {len(files)} cases sound, largest difference {largest:.1e}")
bad = [file["file"] for file in files if file["verdict"] != "sound"]
bad += [file["file"] for file, stage in stages
        if stage["difference"] > (1e-3 if "float16" in file["file"] else 1e-5)]
sys.exit(bool(bad) or len(files) < 16)
END
else
    echo "  ONNX cases skipped: they need numpy (apt-get install python3-numpy)"
fi

[ $bad = 0 ] && echo "shared_data: $count calls as expected"
exit $bad
