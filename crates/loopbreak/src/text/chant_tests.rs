//! Tests of repetition inside a text.

use proptest::prelude::*;

use super::*;

fn whole(text: &str) -> Option<RepeatedPassage> {
    let streamed = ChantStream::default().push(text);
    let looked_at = chant_of(text, 4, 400, false).map(|(chant, _)| chant);
    if text.len() <= LOOKED_AT {
        assert_eq!(streamed, looked_at, "the quick look loses nothing");
    }
    assert_eq!(streamed.is_some(), looked_at.is_some());
    looked_at
}

#[track_caller]
fn assert_chant(text: &str, words: u32) {
    let chant = whole(text).expect("a chant");
    assert_eq!(chant.words, words);
}

#[track_caller]
fn assert_none(text: &str) {
    assert_eq!(whole(text), None);
    assert_eq!(whole(&format!("Here it is:\n\n{text}\n")), None);
}

/// Returns a number of lines, each made from its index.
fn lines(numbers: Range<usize>, line: impl Fn(usize) -> String) -> String {
    numbers.map(line).collect()
}

#[test]
fn a_repeated_word_sentence_or_paragraph_is_a_chant() {
    assert_chant(&format!("The case went to {}", "court ".repeat(14_645)), 1);
    assert_chant(&"I will now run the tests again to verify. ".repeat(12), 9);
    let paragraph = "The build fails because the lock file is stale.\nI will remove it, build once more, and then look \
                     at what the linker has to say about the symbols that were missing before.\n\n";
    assert_chant(&format!("Let me think.\n\n{}", paragraph.repeat(4)), 33);
    assert_chant(&format!("{}I will now ru", "I will now run it again, and then we see. ".repeat(12)), 10);
    assert_chant(&"我现在再检查一次文件。".repeat(20), 11);
    assert_chant(&"ha".repeat(4000), 1);
}

#[test]
fn reports_the_repeated_unit() {
    let text = format!("So: {}", "we go round and round, ".repeat(30));
    let (chant, unit) = chant_of(&text, 4, 400, false).expect("a chant");
    assert_eq!(unit, "we go round and round,");
    assert_eq!(&text[chant.unit.start as usize..chant.unit.end as usize], unit);
    assert_eq!((chant.rounds, chant.structured), (30, false));
}

#[test]
fn finds_a_unit_in_which_every_word_occurs_twice() {
    assert_chant(&"what is it that it is that what it was was ".repeat(12), 11);
}

#[test]
fn a_text_that_stopped_repeating_is_not_a_chant() {
    let text = format!("{}\nThat was silly. The answer is 42, see the file.", "I will check. ".repeat(200));
    assert_eq!(whole(&text), None);
}

#[test]
fn lists_tables_rules_and_figures_are_not_chants() {
    assert_none(&lines(1..200, |n| format!("{n}. Update the module and run the tests\n")));
    assert_none(&lines(1..90, |n| format!("| file{n}.rs | 12 | ok | no change needed here |\n")));
    assert_none(&"| - | ok | ok |\n".repeat(60));
    assert_none(&"-".repeat(5000));
    assert_none(&"=====\n".repeat(500));
    assert_none(&"* * * ".repeat(500));
    assert_none(&".".repeat(5000));
    assert_none(&"....F...s....\n".repeat(300));
    assert_none(&"0 0 0 1 0 0\n".repeat(500));
    assert_none(&"|---|---|---|\n".repeat(100));
}

#[test]
fn code_and_data_are_not_chants() {
    assert_none(&"    });\n  });\n});\n".repeat(60));
    assert_none(&"  {\"type\": \"text\", \"required\": true},\n".repeat(40));
    assert_none(&"\"OK\", ".repeat(300));
    assert_none(&"<tr><td>name</td></tr>\n".repeat(60));
    assert_none(&"        null, null, null, null,\n".repeat(20));
    let names = ["Speichern", "Abbrechen", "Weiter", "Zurück", "Hilfe", "Suchen", "Öffnen"];
    let entry =
        |n: usize| format!("  {{\"key\": \"button.{n}\", \"value\": \"{}\"}},\n", names[n % names.len()]);
    assert_none(&(0..400).map(entry).collect::<String>());
}

#[test]
fn endless_code_is_a_chant() {
    assert_chant(&"  <div class=\"row\">\n".repeat(600), 2);
}

#[test]
fn poems_with_refrains_and_logs_are_not_chants() {
    let verse = |n: usize| {
        format!(
            "In verse {n} the river runs along another shore than before,\nand all that I have seen of it is \
                 number {n}.\nOh roll along, roll along, roll along home,\noh roll along, roll along home.\n\n"
        )
    };
    assert_none(&(0..20).map(verse).collect::<String>());
    assert_none(&lines(0..60, |n| format!("10:02:{:02} retrying the connection to the server\n", n % 60)));
    let log = "Waiting for the server to start\n".repeat(40);
    assert_eq!(chant_of(&log, 4, 400, true), None, "a log may wait");
}

#[test]
fn half_a_million_words_are_read_quickly() {
    let text = lines(0..20_000, |n| format!("word{} and more of it, ", n % 700));
    assert_eq!(ChantStream::default().push(&text), None);
}

proptest! {
    #[test]
    fn the_pieces_of_a_stream_do_not_change_the_result(
        words in prop::collection::vec("[a-c\"é法 .\n]{1,6}", 1..12),
        rounds in 1_usize..60,
        cuts in prop::collection::vec(1_usize..40, 1..8),
    ) {
        let text = format!("{} end. {}", words.concat(), words.join(" ").repeat(rounds));
        let expected = ChantStream::new(3, 60).push(&text);
        let mut stream = ChantStream::new(3, 60);
        let (mut last, mut rest, mut cuts) = (None, text.as_str(), cuts.iter().cycle());
        while !rest.is_empty() {
            let at = rest.char_indices().nth(*cuts.next().unwrap()).map_or(rest.len(), |(at, _)| at);
            last = stream.push(&rest[..at]);
            rest = &rest[at..];
        }
        prop_assert_eq!(last, expected);
    }

    #[test]
    fn every_cut_into_two_pieces_gives_the_same_result(unit in "[a-z]{1,5} [a-z]{1,5} [a-zé]{1,5} [a-z]{1,5}\\. ", tail in "[a-z ]{0,9}") {
        let text = format!("{}{tail}", unit.repeat(9));
        let expected = ChantStream::new(4, 50).push(&text);
        for (at, _) in text.char_indices() {
            let mut stream = ChantStream::new(4, 50);
            stream.push(&text[..at]);
            prop_assert_eq!(stream.push(&text[at..]), expected.clone());
        }
    }

    #[test]
    fn no_text_causes_a_panic_and_the_unit_lies_inside_the_text(text in ".{0,600}", rounds in 1_usize..20) {
        let text = text.repeat(rounds);
        if let Some((chant, unit)) = chant_of(&text, 4, 100, false) {
            prop_assert!(chant.bytes as usize <= text.len() && !unit.is_empty());
        }
    }
}
