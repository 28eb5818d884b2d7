// Where a file could not be written in the end nothing is done at all; one line, no traceback.
// RUN: not tilewright-opt %s -o %t.absent/x 2>&1 | filecheck %s --check-prefix=ABSENT
// RUN: not tilewright-opt %s -o / 2>&1 | filecheck %s --check-prefix=FOLDER
// RUN: not tilewright-opt %s --print-ir-dir /dev/null/x 2>&1 | filecheck %s --check-prefix=PRINT
// RUN: not tilewright-opt %s --reproducer %t.absent/x 2>&1 | filecheck %s --check-prefix=REPRODUCER
// ABSENT-NOT: func.func
// ABSENT: error: -o: cannot write {{.*}}.absent/x: No such file or directory
// FOLDER: error: -o: cannot write /: it is a directory
// PRINT-NOT: func.func
// PRINT: error: --print-ir-dir: cannot write /dev/null/x: Not a directory
// REPRODUCER: error: --reproducer: cannot write {{.*}}.absent/x: No such file or directory

func.func private @f()
