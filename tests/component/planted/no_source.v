// Wrong on purpose: a file that is not there.
// sources: register_slice/proof_register_slice.v stream/weir_no_slice.v
// faults: register_slice/mutants.txt
// prove: unbounded WIDTH=1
