// Cells of GateMate that Yosys 0.23 does not know, without a body: what places them does. Written from UG1001.
(* blackbox *)
module CC_USR_RSTN (
    output wire USR_RSTN
);
endmodule
