//! Archives of releases, also such as no release should have.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// An entry of an archive: name, type and content. The type is that of the tar format: `0` for a file, `2` for a link.
pub(crate) type ArchiveEntry<'e> = (&'e str, u8, &'e [u8]);

/// Returns a compressed tar archive, also with names that no archive should have.
pub(crate) fn archive(entries: &[ArchiveEntry<'_>]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, kind, content) in entries {
        let mut header = [0_u8; 512];
        let (size, target): (usize, &[u8]) = if *kind == b'2' { (0, content) } else { (content.len(), b"") };
        let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
        put(0, name.as_bytes());
        put(100, b"0000755");
        put(108, b"0000000");
        put(116, b"0000000");
        put(124, format!("{size:011o}\0").as_bytes());
        put(136, b"00000000000\0        ");
        put(156, &[*kind]);
        put(157, target);
        put(257, b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        tar.extend(header);
        if *kind == b'0' {
            tar.extend(*content);
            tar.resize(tar.len().next_multiple_of(512), 0);
        }
    }
    tar.resize(tar.len() + 1024, 0);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&tar).unwrap();
    packed.finish().unwrap()
}

/// Returns an archive as `cargo xtask dist` makes it, with the program first.
pub(crate) fn release_archive(version: &str, target: &str, program: &[u8]) -> (String, Vec<u8>) {
    let name = format!("loopbreak-{version}-{target}");
    let bytes = archive(&[
        (&format!("{name}/README.md"), b'0', b"read me"),
        (&format!("{name}/loopbreak"), b'0', program),
        (&format!("{name}/man/loopbreak.1"), b'0', b".TH"),
    ]);
    (format!("{name}.tar.gz"), bytes)
}
