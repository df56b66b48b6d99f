// The software reference's float32 requantization of every code and parameter.
// sources: requantize/proof_requantize.v cast/weir_requantize_float.v
// with: multiply.v cast/weir_round_24.v stream/weir_pipeline.v stream/weir_fifo.v
// table: requantize_float
// prove: bounded 14 FLOAT=1 X_W=2 PAD=23 M_W=2 A_W=2 SHIFT=2 ZERO=0 LO=-2 HI=1 OUT_W=2 DIGIT=2 MUL_W=0
// prove: bounded 14 FLOAT=1 X_W=3 M_W=3 A_W=2 SHIFT=2 ZERO=1 LO=-3 HI=2 OUT_W=3 DIGIT=3 MUL_W=18
// nightly: unbounded FLOAT=1 X_W=1 M_W=2 A_W=1 SHIFT=2 ZERO=0 LO=-1 HI=1 OUT_W=2 DIGIT=1 MUL_W=18
// nightly: unbounded FLOAT=1 X_W=2 M_W=2 A_W=2 SHIFT=2 ZERO=1 LO=-2 HI=1 OUT_W=2 DIGIT=1 MUL_W=18
// planted: nightly
