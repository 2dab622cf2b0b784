"""The verified core of GlyphLab: confusion matrices, calibration, temperature and decisions.

Numbers only, NumPy alone at import. Every public function is importable from here; the inputs of
the worked examples are in :mod:`glyphlab_core.worked`.
"""

from glyphlab_core import worked
from glyphlab_core.binning import Binning
from glyphlab_core.calibration import (
    ReliabilityTable,
    classwise_calibration_error,
    confidence_and_correctness,
    expected_calibration_error,
    maximum_calibration_error,
    reliability_table,
)
from glyphlab_core.calibrators import (
    Calibrator,
    CrossValidatedTemperature,
    IsotonicCalibration,
    MatrixScaling,
    PlattScaling,
    TemperatureScaling,
    VectorScaling,
    cross_validated_temperature,
)
from glyphlab_core.confusion import (
    confusion_matrix,
    core_metrics,
    normalize_confusion,
    precision_recall_from_confusion,
    reweighted_accuracy,
    reweighted_confusion,
)
from glyphlab_core.decision import (
    ThresholdSweep,
    cost_threshold,
    decide,
    expected_cost,
    threshold_sweep,
)
from glyphlab_core.probability import (
    BrierDecomposition,
    brier_decomposition,
    brier_score,
    energy_score,
    log_loss,
    softmax,
)
from glyphlab_core.resampling import (
    AdditiveStatistic,
    BootstrapResult,
    group_bootstrap,
    paired_group_bootstrap,
)
from glyphlab_core.selective import (
    Abstention,
    RiskCoverage,
    abstain,
    area_under_risk_coverage,
    risk_coverage_curve,
)
from glyphlab_core.temperature import (
    DEFAULT_GRID,
    GridEdgeWarning,
    NoOptimumError,
    fit_temperature,
    optimal_temperature,
    temperature_curve,
    temperature_gradient,
)

__all__ = [
    "DEFAULT_GRID",
    "Abstention",
    "AdditiveStatistic",
    "Binning",
    "BootstrapResult",
    "BrierDecomposition",
    "Calibrator",
    "CrossValidatedTemperature",
    "GridEdgeWarning",
    "IsotonicCalibration",
    "MatrixScaling",
    "NoOptimumError",
    "PlattScaling",
    "ReliabilityTable",
    "RiskCoverage",
    "TemperatureScaling",
    "ThresholdSweep",
    "VectorScaling",
    "abstain",
    "area_under_risk_coverage",
    "brier_decomposition",
    "brier_score",
    "classwise_calibration_error",
    "confidence_and_correctness",
    "confusion_matrix",
    "core_metrics",
    "cost_threshold",
    "cross_validated_temperature",
    "decide",
    "energy_score",
    "expected_calibration_error",
    "expected_cost",
    "fit_temperature",
    "group_bootstrap",
    "log_loss",
    "maximum_calibration_error",
    "normalize_confusion",
    "optimal_temperature",
    "paired_group_bootstrap",
    "precision_recall_from_confusion",
    "reliability_table",
    "reweighted_accuracy",
    "reweighted_confusion",
    "risk_coverage_curve",
    "softmax",
    "temperature_curve",
    "temperature_gradient",
    "threshold_sweep",
    "worked",
]
