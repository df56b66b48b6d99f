"""zigzag_seconds.py ACCELERATOR WORKLOAD MAPPING: processor seconds of ZigZag's exploration for latency (limit of 6 loops, 3 spatial
mappings), its energy and its latency."""
import logging
import sys
import time

logging.disable(logging.CRITICAL)

from zigzag.mapping.temporal_mapping import TemporalMappingType
from zigzag.stages.evaluation.cost_model_evaluation import CostModelStage
from zigzag.stages.main import MainStage
from zigzag.stages.mapping.spatial_mapping_generation import SpatialMappingGeneratorStage
from zigzag.stages.mapping.temporal_mapping_generator_stage import TemporalMappingGeneratorStage
from zigzag.stages.parser.accelerator_parser import AcceleratorParserStage
from zigzag.stages.parser.onnx_model_parser import ONNXModelParserStage
from zigzag.stages.results.reduce_stages import MinimalLatencyStage, SumStage
from zigzag.stages.workload_iterator import WorkloadStage

accelerator, workload, mapping = sys.argv[1:]
start = time.process_time()
stages = [ONNXModelParserStage, AcceleratorParserStage, SumStage, WorkloadStage, MinimalLatencyStage, SpatialMappingGeneratorStage,
          MinimalLatencyStage, TemporalMappingGeneratorStage, CostModelStage]
main = MainStage(stages, accelerator=accelerator, workload=workload, mapping=mapping, loma_lpf_limit=6,
                 loma_show_progress_bar=False, nb_mappings_generated=3, enable_mix_spatial_mapping_generation=False,
                 enable_weight_diagonal_mapping=False, temporal_mapping_type=TemporalMappingType.UNEVEN)
total = main.run()[0][0]
print(f"{time.process_time() - start:.3f} {total.energy_total!r} {total.latency_total2!r}")
