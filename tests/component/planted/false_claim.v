// Wrong on purpose: a register slice holds two beats, not one.
// sources: register_slice/proof_register_slice.v stream/weir_register_slice.v
// faults: register_slice/mutants.txt
// prove: unbounded WIDTH=1 BEATS=1
