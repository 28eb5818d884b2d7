// A misspelt pass, option, pipeline or target: one line that names it and the nearest match, exit code 1.
// RUN: not tilewright-opt %s -p 'cse,decompose-complex-op' 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not tilewright-opt %s -p 'canonicalise' 2>&1 | filecheck %s --check-prefix=UPSTREAM
// RUN: not tilewright-opt %s -p 'func.func(csee)' 2>&1 | filecheck %s --check-prefix=NESTED
// RUN: not tilewright-opt %s -p 'canonicalize{max-iteration=3}' 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not tilewright-opt %s -p 'decompose-complex-ops{x=1}' 2>&1 | filecheck %s --check-prefix=NOOPTION
// RUN: not tilewright-opt %s -p 'cse{' 2>&1 | filecheck %s --check-prefix=BRACKET
// RUN: not tilewright-opt %s -p 'cse,,canonicalize' 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: not tilewright-opt %s -p 'cse,' 2>&1 | filecheck %s --check-prefix=LAST
// RUN: not tilewright-opt %s --pipeline grap 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: not tilewright-opt %s --target avx513 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not tilewright-opt %s -p cse --stop-after cs 2>&1 | filecheck %s --check-prefix=STOP
// RUN: not tilewright-opt %t.absent 2>&1 | filecheck %s --check-prefix=FILE

// PASS: error: unknown pass 'decompose-complex-op'; did you mean decompose-complex-ops?
// UPSTREAM: error: unknown pass 'canonicalise'; did you mean canonicalize?
// NESTED: error: unknown pass 'csee'; did you mean cse?
// OPTION: error: pass canonicalize has no option 'max-iteration'; did you mean max-iterations?
// NOOPTION: error: pass decompose-complex-ops has no option 'x'
// BRACKET: error: '}' is missing in pass pipeline 'cse{'
// EMPTY: error: nothing stands between two ',', or at an end, in 'cse,,canonicalize'
// LAST: error: nothing stands between two ',', or at an end, in 'cse,'
// PIPELINE: error: unknown pipeline 'grap': expected one of graph, convert, tensor, lower, default; did you mean graph?
// TARGET: error: unknown target 'avx513': expected one of host, avx2, {{.*}}; did you mean avx512?
// STOP: error: pass 'cs' is not in the pipeline; did you mean cse?
// FILE: error: cannot read {{.*}}.absent: No such file or directory

func.func private @f()
