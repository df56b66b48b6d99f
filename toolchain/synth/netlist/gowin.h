/* What Yosys 0.23 leaves wrong in netlists for Gowin. */
#ifndef WEIR_SYNTH_GOWIN_H
#define WEIR_SYNTH_GOWIN_H

#include <jansson.h>

/* Block RAM in the netlist that Yosys wrote as JSON: addresses of write ports 16 or 18 bits wide, which Yosys 0.23 gets
 * wrong so that four words share an address; and names and ports that nextpnr knows, SDPB, SDPX9B, DPB and DPX9B for
 * SDP, SDPX9, DP and DPX9. A second run changes nothing, and the output of newer versions is unchanged. */
void weir_gowin_mend(json_t *netlist);

#endif
