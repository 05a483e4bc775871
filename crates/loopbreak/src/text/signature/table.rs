//! Outputs as agents and their tools print them, and the signatures they must get.

use proptest::prelude::*;

use super::{LONGEST, signature};

fn check(table: &[(&str, &str)]) {
    for (output, expected) in table {
        assert_eq!(signature(output), *expected, "{output}");
    }
}

#[test]
fn the_examples_of_the_document_have_their_printed_signatures() {
    check(&[
        (
            "Running tests... 2 failed: auth.test.ts - login test timeout, logout test assertion",
            "auth.test.ts:login-timeout,logout-assertion",
        ),
        ("Modified auth.ts line 45-52, added null check for user.profile", "auth.ts:null-check"),
        ("Searched GitHub for 'oauth2 refresh token', found 3 patterns...", "search:oauth2-refresh-token"),
        (
            "Error: TypeError - Cannot read property 'id' of null at auth.ts:45",
            "error:TypeError-null-auth.ts",
        ),
        ("3 tests failing - auth, login, logout", "test-fail:3-auth,login"),
        ("2 tests failing - auth, login", "test-fail:2-auth,login"),
        ("1 test failing - auth", "test-fail:1-auth"),
        ("Fixed auth.ts - added null check", "auth.ts:null-check"),
        ("Fixed auth.ts - updated validation", "auth.ts:validation"),
        ("Fixed auth.ts - refactored handler", "auth.ts:handler"),
    ]);
}

#[test]
fn errors_of_many_tools_have_class_cause_and_file() {
    check(&[
        (
            "Traceback (most recent call last):\n  File \"/app/main.py\", line 10, in <module>\n    run()\n  File \"/app/util.py\", line 3, in run\n    return d['user_id']\n           ~^^^^^^^^^^^\nKeyError: 'user_id'\n",
            "error:KeyError-user_id-/app/util.py",
        ),
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x()\nValueError: one\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"b.py\", line 2, in g\n    y()\nrequests.exceptions.ConnectionError: refused after 3 tries",
            "error:ConnectionError-refused-tries-b.py",
        ),
        (
            "  File \"m.py\", line 9, in h\nAttributeError: 'NoneType' object has no attribute 'x'",
            "error:AttributeError-NoneType-m.py",
        ),
        (
            "error[E0308]: mismatched types\n --> src/main.rs:4:5\n  |\n4 |     \"a\"\n  |     ^^^ expected `i32`",
            "error:E0308-mismatched-types-src/main.rs",
        ),
        (
            "error[E0308]: mismatched types\n --> src/main.rs:4:5\n\nerror: could not compile `x` (bin \"x\") due to 3 previous errors",
            "error:3-E0308-mismatched-types-src/main.rs",
        ),
        (
            "thread 'main' (1234) panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3 but the index is 5\nnote: run with `RUST_BACKTRACE=1`",
            "error:panic-index-out-bounds-len-src/main.rs",
        ),
        ("thread 'main' panicked at 'no luck today', src/lib.rs:9:1", "error:panic-no-luck-today-src/lib.rs"),
        (
            "/app/src/auth.js:45\n    return user.id;\n                ^\n\nTypeError: Cannot read properties of undefined (reading 'id')\n    at login (/app/src/auth.js:45:17)\n    at node:internal/main/run_main_module:23:47\n\nNode.js v20.1.0",
            "error:TypeError-undefined-/app/src/auth.js",
        ),
        (
            "Error: Cannot find module 'left-pad'\nRequire stack:\n    at Module._load (/app/node_modules/x/y.js:1:2)\n    at f (/app/index.js:3:4)",
            "error:cannot-find-module-left-pad-/app/index.js",
        ),
        (
            "Error: ENOENT: no such file or directory, open 'conf.json'",
            "error:ENOENT-no-such-file-directory-conf.json",
        ),
        (
            "Uncaught (in promise) TypeError: x is not a function\n    at f (src/a.ts:1:2)",
            "error:TypeError-x-not-function-src/a.ts",
        ),
        (
            "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x480]\n\ngoroutine 1 [running]:\nruntime.panicmem()\n\t/usr/local/go/src/runtime/panic.go:261\nmain.main()\n\t/app/prog.go:8 +0x1d\nexit status 2",
            "error:panic-nil-/app/prog.go",
        ),
        ("# example.com/x\n./main.go:5:2: undefined: foo", "error:undefined-foo-./main.go"),
        (
            "src/a.ts(10,5): error TS2322: Type 'string' is not assignable",
            "error:TS2322-type-string-not-assignable-src/a.ts",
        ),
        ("src/a.ts:10:5 - error TS2304: Cannot find name 'x'.", "error:TS2304-cannot-find-name-x-src/a.ts"),
        ("main.c:4:5: error: expected ';' before '}' token", "error:expected-token-main.c"),
        (
            "Exception in thread \"main\" java.lang.NullPointerException: Cannot invoke \"String.length()\" because \"<local1>\" is null\n\tat com.x.Main.main(Main.java:5)",
            "error:NullPointerException-null-Main.java",
        ),
        ("app.rb:3:in 'f': undefined method 'x' for nil (NoMethodError)", "error:NoMethodError-nil-app.rb"),
        ("2024-05-06 07:08:09 ERROR connection to db refused", "error:connection-db-refused"),
        ("[ERROR] request failed with status 503 after 120ms", "error:request-failed-status-503"),
        ("fatal: not a git repository", "error:not-git-repository"),
        ("{\"error\": \"rate limit exceeded\"}", "error:rate-limit-exceeded"),
        ("Error:\n  disk full", "error:disk-full"),
        ("HTTP Error 404: Not Found", "error:404-not-found"),
        ("requests.exceptions.HTTPError: 503 Server Error: down", "error:HTTPError-503-server-error-down"),
        ("An error occurred: database is locked", "error:database-locked"),
        ("Exception: boom", "error:boom"),
        (
            "System.InvalidOperationException: No rows\n   at Foo.Bar() in /src/Foo.cs:line 12",
            "error:InvalidOperationException-no-rows-/src/Foo.cs",
        ),
        (
            "TimeoutError: page.goto: Timeout 30000ms exceeded.\nCall log:\n    at tests/login.spec.ts:12:14",
            "error:TimeoutError-page.goto-timeout-exceeded-tests/login.spec.ts",
        ),
        (
            "Found 3 errors in 1 file\napp.py:12: error: Incompatible return value type (got \"int\")",
            "error:3-incompatible-return-value-type-app.py",
        ),
    ]);
}

#[test]
fn test_runs_keep_their_count() {
    check(&[
        (
            "=== short test summary info ===\nFAILED tests/test_auth.py::test_login\nFAILED tests/test_auth.py::test_logout\n=== 2 failed, 3 passed in 0.12s ===",
            "test-fail:2-test_login,test_logout",
        ),
        (
            "E       AssertionError: assert 1 == 2\n\ntests/test_auth.py:12: AssertionError\nFAILED tests/test_auth.py::test_login - AssertionError: assert 1 == 2\n1 failed, 3 passed in 0.12s",
            "error:AssertionError-assert-tests/test_auth.py+test-fail:1-test_login",
        ),
        (
            "FAIL src/auth.test.ts\n  ● auth › login\n  ● auth › logout\n\nTest Suites: 1 failed, 1 total\nTests:       2 failed, 5 passed, 7 total\nSnapshots:   0 total\nTime:        1.2 s",
            "test-fail:2-login,logout",
        ),
        (
            "running 3 tests\ntest a::x ... ok\ntest a::y ... FAILED\ntest a::z ... FAILED\n\nfailures:\n    a::y\n    a::z\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored; finished in 0.01s\n\nerror: test failed, to rerun pass `--lib`",
            "test-fail:2-a::y,a::z",
        ),
        (
            "test result: FAILED. 1 passed; 2 failed; 0 ignored\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\ntest result: ok. 0 passed; 0 failed; 0 ignored",
            "test-fail:3",
        ),
        (
            "--- FAIL: TestLogin (0.00s)\n    auth_test.go:12: got 1, want 2\n--- FAIL: TestLogout (0.01s)\nFAIL\nFAIL\texample.com/auth\t0.012s",
            "test-fail:2-TestLogin,TestLogout",
        ),
        (
            "  5 passing (20ms)\n  2 failing\n\n  1) login times out:\n  2) logout works:",
            "test-fail:2-login-times-out,logout-works",
        ),
        (" Test Files  1 failed (1)\n      Tests  2 failed | 3 passed (5)", "test-fail:2"),
        ("Error: 2 tests failed - auth, login", "test-fail:2-auth,login"),
    ]);
}

#[test]
fn sentences_about_errors_are_not_errors() {
    check(&[
        ("Error handling was improved", "error-handling-was-improved"),
        ("Build finished: 0 errors, 0 warnings", "build-finished:-0-errors,-0-warnings"),
        ("no error", "no-error"),
        ("All good, no error: done", "all-good,-no-error:-done"),
        ("error: none", "error:-none"),
        ("{\"ok\": true, \"error\": null}", "{\"ok\":-true,-\"error\":-null}"),
        ("test result: ok. 3 passed; 0 failed", "test-result:-ok.-3-passed;-0-failed"),
        ("Fixed the TypeError: null profile in auth.ts", "auth.ts:typeerror"),
        ("Added error handling to src/auth.py", "src/auth.py:error-handling"),
        ("except ValueError:", "except-valueerror:"),
        ("let e = Error::new(1);", "let-e-=-error::new(1);"),
    ]);
}

#[test]
fn an_output_without_text_has_no_signature() {
    check(&[("", ""), (" \n\t ", ""), ("\u{1b}[0m", "")]);
}

#[test]
fn volatile_parts_are_omitted() {
    for (one, other) in [
        ("Error: timeout after 120ms at db.ts:4", "Error: timeout after 250ms at db.ts:9"),
        ("2024-05-06T07:08:09Z ERROR no route", "2024-05-06T07:09:10Z ERROR no route"),
        ("TypeError: bad object at 0x7ffe01", "TypeError: bad object at 0x7ffe99"),
        ("Modified auth.ts line 45-52, added null check", "Modified auth.ts line 46-53, added null check"),
        ("2 failed: a.test.ts - login timeout 50ms, b", "2 failed: a.test.ts - login timeout 90ms, b"),
        ("[10:00:01] Thinking about it", "[10:00:02] Thinking about it"),
    ] {
        assert_eq!(signature(one), signature(other));
    }
}

#[test]
fn progress_changes_the_signature() {
    for (one, other) in [
        ("3 failed: a.test.ts - x, y, z", "2 failed: a.test.ts - x, y"),
        ("Tests: 3 failed, 4 passed", "Tests: 2 failed, 5 passed"),
        ("TypeError: a is not iterable at x.ts:1", "TypeError: b is not iterable at x.ts:1"),
        ("Found 5 errors.\nerror TS1: bad", "Found 4 errors.\nerror TS1: bad"),
        (
            "TypeError: x is null at a.ts:1\nTests: 3 failed, 4 passed",
            "TypeError: x is null at a.ts:1\nTests: 2 failed, 5 passed",
        ),
        ("Searched for 'a'", "Searched for 'b'"),
    ] {
        assert_ne!(signature(one), signature(other));
    }
}

#[test]
fn the_end_of_a_long_output_counts() {
    let output =
        format!("cargo test\n{}\ntest result: FAILED. 3 passed; 2 failed; 0 ignored", "é ok\n".repeat(3000));
    assert_eq!(signature(&output), "test-fail:2");
}

proptest! {
    #[test]
    fn any_text_has_a_bounded_signature_of_one_line(text in any::<String>()) {
        let found = signature(&text);
        prop_assert!(found.len() <= LONGEST);
if !text.contains('\u{1b}') {
            prop_assert_eq!(found.is_empty(), text.trim().is_empty());
        }
        prop_assert_eq!(signature(&text), found);
    }

    #[test]
    fn pieces_of_real_outputs_in_any_order_never_cause_a_panic(
        text in "(error|Error|\\[E0308\\]|: |:|panicked at |panic: |File \"|\", line 3|TypeError|a\\.ts|:4:5|\\(|\\)| |\n|2 |failed|tests |FAIL|FAILED |::|● |fixed |added |null|é|'|\"|searched for |- |=|0x1f|\u{1b}\\[){0,30}"
    ) {
        prop_assert!(signature(&text).len() <= LONGEST);
    }
}
