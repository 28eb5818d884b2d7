"""How the tasks of a grid come to the cores: a rule that the plan and the code must agree on."""

TASKS_WORTH_SHARING = 8  # tasks for each core, from which on they are not divided beforehand


def taken_in_turn(tasks: int, cores: int) -> bool:
    """Whether there are tasks enough that cores had better take the next one when they are free."""
    return tasks >= TASKS_WORTH_SHARING * cores


def tasks_ahead(tasks: int, cores: int) -> int:
    """By how many a core's next task, most likely, lies behind its present one in the order of the grid."""
    return cores if taken_in_turn(tasks, cores) else 1
