"""Each attack succeeds where its defence is off: which defence, and the test that shows it.

Here a newcomer finds what an attack test is for, and a new one has to be entered.
"""

import ast
from pathlib import Path

FOLDER = Path(__file__).parent
#: Fixtures of graders that lack something; "stock" is nbgrader's own, in an outer sandbox.
UNDEFENDED = ("bare", "trusting", "capable", "writable", "stock")

_ENDING = "faults are noted outside of the test, and a stop is no exception"
_ONE_PROCESS = "tests run in a process of their own"
_PROCESSES = "processes are a namespace of their own, which ends with the notebook"
_TOKEN = "each question has a random number, which its answer bears"

#: By attack test: the defence, and what shows that it works without: a fixture of the same test, a
#: patch of the defence in it ("monkeypatch"), a wider bound in it ("wide"), or another test.
ATTACKS: dict[str, tuple[str, str]] = {
    # test_scores, test_random_state
    "test_a_forgery_gains_nothing": (_ONE_PROCESS, "bare"),
    "test_a_steered_generator_gains_nothing": ("the judge has generators of its own", "bare"),
    "test_what_a_test_draws_does_not_depend_on_the_student": (
        "the judge has generators of its own",
        "bare",
    ),
    # test_judge
    "test_an_ending_passes_no_test_that_expects_an_exception": (_ENDING, "trusting"),
    "test_an_ending_fails_its_test_and_says_why": (_ENDING, "trusting"),
    "test_killing_all_that_can_be_killed_ends_only_the_student": (_ENDING, "trusting"),
    "test_rubbish_on_the_line_passes_no_test": (_ENDING, "trusting"),
    "test_malformed_answers_pass_no_test": (_ENDING, "trusting"),
    "test_calling_back_without_end_ends_the_test": (_ENDING, "trusting"),
    "test_frames_of_the_student_s_own_making_gain_nothing": (
        _TOKEN,
        "test_an_answer_sent_before_its_question_is_not_believed",
    ),
    "test_a_verdict_on_the_judge_s_behalf_gains_nothing": (
        "the judge alone says how a test ended",
        "bare",
    ),
    "test_an_answer_sent_before_its_question_is_not_believed": (_TOKEN, "monkeypatch"),
    "test_a_late_answer_is_not_taken_for_the_next": (_TOKEN, "monkeypatch"),
    "test_a_function_of_the_test_is_worth_nothing_after_its_call": (
        "a function of the test stays in the judge, and ends with its call",
        "bare",
    ),
    "test_hidden_inputs_printed_later_are_marked": ("cells after a test are marked", "bare"),
    "test_what_a_student_prints_during_a_test_is_not_shown": (_ONE_PROCESS, "bare"),
    "test_hidden_names_do_not_reach_the_student": (_ONE_PROCESS, "bare"),
    # test_breakers
    "test_a_student_ends_no_loop_of_a_test": ("a StopIteration becomes a RuntimeError", "bare"),
    "test_the_words_of_hidden_tests_do_not_reach_the_student": (
        "the judge asks for names only",
        "bare",
    ),
    "test_a_student_s_words_in_a_fault_stay_on_their_line": (
        "what is told is made printable",
        "monkeypatch",
    ),
    "test_a_small_frame_does_not_become_much_memory_of_the_grader": (
        "a frame's items are bounded",
        "wide",
    ),
    "test_the_sandbox_s_own_processes_are_bounded_like_the_student_s": (
        "filter and bounds of bubblewrap's own processes",
        "bare",
    ),
    "test_children_beside_their_parent_are_refused_and_counted": (
        "the filter of system calls, and a watch from the process above",
        "bare",
    ),
    "test_no_namespace_is_made": ("the filter of system calls", "capable"),
    "test_with_a_wider_bound_it_has_its_way": ("a bound", "wide"),
    "test_an_exit_passes_a_bare_except_where_nothing_defends": (_ENDING, "bare"),
    # test_limits
    "test_a_bound_is_met": ("a bound", "wide"),
    "test_what_crosses_is_bounded": ("a bound", "wide"),
    "test_memory_is_bounded_wherever_it_is_held": ("a bound", "wide"),
    "test_an_endless_cell_is_stopped": ("a bound", "test_with_a_wider_bound_it_has_its_way"),
    "test_cells_after_the_notebook_s_time_are_not_run": ("a bound", "wide"),
    "test_a_flood_of_output_is_stopped_and_cut": (
        "a bound",
        "test_with_a_wider_bound_it_has_its_way",
    ),
    "test_a_flood_during_a_test_ends_the_test": (
        "a bound",
        "test_with_a_wider_bound_it_has_its_way",
    ),
    "test_a_function_of_the_test_that_takes_long_counts": ("a bound", "test_a_bound_is_met"),
    "test_work_in_the_background_counts": ("a bound", "wide"),
    "test_nothing_stays_behind": (_PROCESSES, "stock"),
    # test_secrets
    "test_secrets_are_not_there_to_be_read": ("the view, and a clean environment", "bare"),
    "test_what_the_exercise_asks_for_is_not_in_the_library": ("editions", "bare"),
    "test_what_is_read_only_could_be_written_otherwise": ("read-only mounts", "writable"),
    "test_nothing_but_the_private_folder_can_be_written": (
        "read-only mounts",
        "test_what_is_read_only_could_be_written_otherwise",
    ),
    "test_the_network_is_out_of_reach": ("no network", "bare"),
    "test_the_hypervisor_s_sockets_are_out_of_reach": ("the filter of system calls", "bare"),
    "test_memory_that_no_limit_counts_is_refused": ("the filter of system calls", "bare"),
    "test_what_capabilities_would_allow_is_refused": ("no capabilities", "capable"),
    "test_there_are_no_privileges_to_be_had": (
        "no capabilities",
        "test_what_capabilities_would_allow_is_refused",
    ),
    "test_no_other_process_is_in_sight": (_PROCESSES, "stock"),
    "test_signals_reach_no_process_outside": (_PROCESSES, "stock"),
    "test_root_s_files_are_not_root_s_to_read": ("another user, and the view", "bare"),
}
#: What attacks nobody, or cannot be let succeed here, and why.
NO_COUNTERPART = {
    "test_a_stand_in_says_to_write_it": "an honest mistake",
    "test_a_stand_in_is_no_error_that_a_test_asks_for": "an honest mistake",
    "test_frames_that_answer_nothing_are_passed_over": "harmless",
    "test_a_picture_that_is_too_large_ends_nothing": "harmless",
    "test_whatever_is_shown_the_notebook_can_be_written": "harmless",
    "test_after_a_fault_nothing_more_is_asked_in_that_cell": "of the judge's own doing",
    "test_a_stop_is_no_exception": "of the judge's own doing",
    "test_every_limit_is_met_by_a_test": "of these tests",
    "test_memory_that_was_swapped_out_counts": "a machine need not swap",
    "test_honest_connections_are_no_hogs": "harmless",
    "test_a_student_makes_up_no_fault": "no switch lets the grader note what a student says",
    "test_the_judge_goes_on_after_rubbish_for_the_next_notebook": "what comes after an attack",
    "test_a_notebook_after_a_hostile_one_is_graded": "what comes after an attack",
    "test_the_private_folder_can_be_written_and_is_empty_for_the_next": "no sandbox is shared",
}


def _tests() -> dict[str, ast.FunctionDef]:
    """Read the test functions of this folder, this file's left out."""
    found: dict[str, ast.FunctionDef] = {}
    for path in sorted(FOLDER.glob("test_*.py")):
        if path != Path(__file__):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    assert node.name not in found, f"two tests are called {node.name}"
                    found[node.name] = node
    return found


def test_every_attack_is_entered():
    assert _tests().keys() == ATTACKS.keys() | NO_COUNTERPART.keys()
    assert not ATTACKS.keys() & NO_COUNTERPART.keys()


def test_every_attack_succeeds_somewhere_without_its_defence():
    tests = _tests()
    assert [name for name in ATTACKS if not _succeeds_first(tests, name)] == []


def _succeeds_first(tests: dict[str, ast.FunctionDef], name: str) -> bool:
    """Tell whether a test, or the one that it is entered with, runs its attack both ways."""
    how = ATTACKS[name][1]
    if how in tests:
        # Only a test that shows it itself counts.
        return ATTACKS[how][1] not in tests and _succeeds_first(tests, how)
    calls = [
        node.func.id
        for node in ast.walk(tests[name])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    words = {node.id for node in ast.walk(tests[name]) if isinstance(node, ast.Name)}
    if how in UNDEFENDED:
        return how in calls and bool({"guarded", "showing"} & set(calls))
    if how == "wide":
        return calls.count("guarded") >= 2
    return how == "monkeypatch" and "monkeypatch" in words
