#ifndef WEIR_TRANSFORM_FOLD_AFFINE_H
#define WEIR_TRANSFORM_FOLD_AFFINE_H

#include "passes/graph/rewrite.h"

/* What the pass fold_affine does; rewrite->count tells how many operators went. */
void weir_fold_affine(weir_rewrite *rewrite);

#endif
