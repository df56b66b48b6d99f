// High when GateMate is configured: what begins without a value, as its registers do there, is reset as long as this is
// low.
// Resources: one CC_USR_RSTN.
module weir_configured_gatemate (
    output wire configured
);
    CC_USR_RSTN u_start (.USR_RSTN(configured));
endmodule
