"""What a student is shown after grading, on nbgrader's generate_feedback.

- `telling`: what is said in place of test code and its output
- `exporter`: the page, which asks nothing of any other host
"""

from glyphlab_grader.feedback.exporter import FeedbackExporter
from glyphlab_grader.feedback.telling import TellLearner

__all__ = ["FeedbackExporter", "TellLearner"]
