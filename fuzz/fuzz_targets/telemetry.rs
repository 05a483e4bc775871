//! Feeds arbitrary requests through the reader of telemetry. The first byte selects the kind and the form of the request.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopbreak_trace::{TelemetryEncoding, TelemetryReader, TelemetrySignal};

fuzz_target!(|data: &[u8]| {
    let Some((choice, body)) = data.split_first() else { return };
    let signal = if choice & 1 == 0 { TelemetrySignal::Traces } else { TelemetrySignal::Logs };
    let encoding = if choice & 2 == 0 { TelemetryEncoding::Protobuf } else { TelemetryEncoding::Json };
    let mut reader = TelemetryReader::default();
    let Ok(first) = reader.read(signal, encoding, body) else { return };
    let count = first.steps.len();
    let has_long_name = |name: usize| name > 200;
    for received in &first.steps {
        assert!(!received.step.run.as_ref().is_some_and(|run| has_long_name(run.as_text().len())));
    }
    // What could not be stored is read again, to the same steps.
    reader.undo(first);
    let again = reader.read(signal, encoding, body).expect("it was read before");
    assert_eq!(again.steps.len(), count);
    reader.take_held();
});
