// Wrong on purpose: the proof does find the fault that it says it cannot.
// sources: register_slice/proof_register_slice.v stream/weir_register_slice.v
// faults: register_slice/mutants.txt
// prove: unbounded WIDTH=1
// spared: slice_last_lost `last` is not looked at
