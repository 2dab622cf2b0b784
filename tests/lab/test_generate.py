"""The generator draws what its labels say, and the shipped files are what it draws."""

import numpy as np
import pytest

from glyphlab import generate
from glyphlab.dataset import DRAWN_FILES, data_path, drawn_files
from glyphlab.generate import Difficulty

CLEAN = Difficulty(contrast=(150, 150), noise=(0, 0), gaps=(0, 0))


@pytest.fixture(scope="module")
def glyphlab():
    return generate.draw_glyphlab()


@pytest.mark.parametrize("filename", DRAWN_FILES)
def test_shipped_files_are_what_the_generator_draws(filename):
    # Byte by byte: nothing in a drawing depends on how a library rounds a function.
    assert drawn_files()[filename] == data_path(filename).read_bytes()


def test_shapes_and_types(glyphlab):
    drawing, split = glyphlab
    assert drawing.images.shape == (360, 1, 24, 24)
    assert drawing.images.dtype == np.float32
    assert len(split) == 360
    for array in (drawing.labels, drawing.scene_id, drawing.view, *drawing.attributes.values()):
        assert array.shape == (360,)
        assert array.dtype == np.int64


def test_pixels_are_whole_numbers_of_255ths(glyphlab):
    levels = glyphlab[0].images.astype(np.float64) * 255
    np.testing.assert_allclose(levels, np.rint(levels), rtol=0, atol=1e-4)
    assert levels.min() >= 0
    assert levels.max() <= 255


def test_a_scene_has_two_views_one_label_one_split(glyphlab):
    drawing, split = glyphlab
    for scene in range(180):
        rows = np.flatnonzero(drawing.scene_id == scene)
        assert sorted(drawing.view[rows]) == [0, 1]
        assert len(set(drawing.labels[rows])) == 1
        assert len(set(split[rows])) == 1
        assert not np.array_equal(drawing.images[rows[0]], drawing.images[rows[1]])


@pytest.mark.parametrize(("name", "per_class"), [("train", 80), ("val", 20), ("test", 20)])
def test_classes_are_balanced_in_each_split(glyphlab, name, per_class):
    drawing, split = glyphlab
    assert np.bincount(drawing.labels[split == name]).tolist() == [per_class] * 3


def test_angles_agree_with_labels(glyphlab):
    drawing, _ = glyphlab
    angle = drawing.attributes["angle"] / 10
    from_vertical = np.minimum(angle, 180 - angle)
    from_horizontal = np.abs(angle - 90)
    assert from_vertical[drawing.labels == 0].max() <= 12
    assert from_horizontal[drawing.labels == 1].max() <= 12
    diagonal = drawing.labels == 2
    assert np.minimum(from_vertical, from_horizontal)[diagonal].min() >= 18
    assert (angle[diagonal] < 90).any()
    assert (angle[diagonal] > 90).any()


def test_a_clean_stroke_lies_at_the_angle_that_its_attributes_state():
    drawing, _ = generate.draw_glyphlab(seed=3, difficulty=CLEAN)
    y, x = np.mgrid[:24, :24]
    for image, angle in zip(drawing.images[:60, 0], drawing.attributes["angle"], strict=False):
        weight = image - image.min()
        weight /= weight.sum()
        dx, dy = x - (weight * x).sum(), y - (weight * y).sum()
        covariance = np.array(
            [
                [(weight * dx * dx).sum(), (weight * dx * dy).sum()],
                [(weight * dx * dy).sum(), (weight * dy * dy).sum()],
            ]
        )
        along = np.linalg.eigh(covariance)[1][:, 1]
        # From the vertical, clockwise; the y axis of an image points down.
        measured = np.degrees(np.arctan2(along[0], -along[1])) % 180
        difference = abs(measured - angle / 10)
        assert min(difference, 180 - difference) < 3


def test_noise_has_mean_0_and_variance_1():
    rng = np.random.Generator(np.random.PCG64(5))
    noise = np.stack([generate._noise(rng) for _ in range(400)])
    # 230,400 values: the standard error of the mean is 0.0021, of the variance below 0.003.
    assert abs(noise.mean()) < 0.01
    assert abs(noise.var() - 1) < 0.015


def test_same_seed_same_images_other_seed_other_images():
    first, again, other = (generate.draw_glyphlab(seed)[0].images for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_numpy_s_global_generator_is_left_alone():
    before = np.random.get_state()  # noqa: NPY002
    generate.draw_glyphlab(seed=1)
    after = np.random.get_state()  # noqa: NPY002
    assert before[2:] == after[2:]
    assert np.array_equal(before[1], after[1])


def test_shifted_set_has_the_prevalence_that_was_asked_for():
    drawing = generate.draw_shifted()
    assert np.bincount(drawing.labels).tolist() == [180, 90, 30]
    assert len(np.unique(drawing.scene_id)) == 150


@pytest.mark.parametrize(("training", "counts"), [(False, [1800, 200]), (True, [360, 40])])
def test_two_class_set_has_one_diagonal_in_ten(training, counts):
    drawing = generate.draw_two_class(training=training)
    assert np.bincount(drawing.labels).tolist() == counts
    angle = drawing.attributes["angle"] / 10
    from_axis = np.minimum(angle % 90, 90 - angle % 90)
    assert np.array_equal(from_axis >= 18, drawing.labels == 1)


def test_no_image_is_in_two_sets(glyphlab):
    sets = [
        glyphlab[0],
        generate.draw_shifted(),
        generate.draw_two_class(),
        generate.draw_two_class(training=True),
    ]
    pixels = [image.tobytes() for drawing in sets for image in drawing.images]
    assert len(pixels) == 360 + 300 + 2000 + 400
    assert len(set(pixels)) == len(pixels)
