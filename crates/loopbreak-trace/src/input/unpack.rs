//! Reads compressed logs: gzip and zstd. A few bytes can unpack to any number, so there is a limit.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::unpack_limit::UnpackLimit;

/// Size of the buffer for decompressed text.
const BUFFER: usize = 256 * 1024;

/// Magic numbers of the compressed formats.
const GZIP: [u8; 3] = [0x1F, 0x8B, 0x08];
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The largest window of zstd that is accepted: that of `zstd --long` and of level 22, the most that `zstd -d` takes without being
/// asked. The decoder holds it in a buffer of the next power of two, so this is half of the memory that it takes, for each log that
/// is read at the same time.
const LARGEST_WINDOW: u64 = 128 * 1024 * 1024;

/// Returns whether a file that starts with these bytes is compressed.
pub(crate) fn is_packed(head: &[u8]) -> bool {
    head.starts_with(&GZIP) || head.starts_with(&ZSTD)
}

/// Returns the content of a stream, decompressed if necessary. Reading fails beyond the limit.
pub(crate) fn unpack(
    mut input: Box<dyn BufRead + Send>,
    limit: UnpackLimit,
) -> io::Result<Box<dyn BufRead + Send>> {
    let head = input.fill_buf()?;
    let (is_gzip, is_zstd) = (head.starts_with(&GZIP), head.starts_with(&ZSTD));
    if !is_gzip && !is_zstd {
        return Ok(input);
    }
    let packed = Arc::new(AtomicU64::new(0));
    let input: PackedInput = Box::new(CountedInput { input, consumed: Arc::clone(&packed) });
    let reader: Box<dyn Read + Send> = if is_gzip {
        Box::new(MultiGzDecoder::new(input))
    } else {
        Box::new(ZstdFrames::Between(Some(input)))
    };
    let limited = LimitedReader { reader, packed, unpacked: 0, limit };
    Ok(Box::new(BufReader::with_capacity(BUFFER, limited)))
}

type PackedInput = Box<dyn BufRead + Send>;

/// Counts the bytes that are consumed.
struct CountedInput {
    input: PackedInput,
    consumed: Arc<AtomicU64>,
}

impl Read for CountedInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.consumed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl BufRead for CountedInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.consumed.fetch_add(amount as u64, Ordering::Relaxed);
        self.input.consume(amount);
    }
}

/// Fails when too much was unpacked.
struct LimitedReader {
    reader: Box<dyn Read + Send>,
    packed: Arc<AtomicU64>,
    unpacked: u64,
    limit: UnpackLimit,
}

impl Read for LimitedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.unpacked += count as u64;
        self.limit.check(self.packed.load(Ordering::Relaxed), self.unpacked)?;
        Ok(count)
    }
}

type ZstdInput = Chain<Cursor<Vec<u8>>, PackedInput>;
type ZstdDecoder = StreamingDecoder<ZstdInput, ruzstd::decoding::FrameDecoder>;

/// The frames of a zstd stream.
enum ZstdFrames {
    /// Inside a frame.
    Inside(Box<ZstdDecoder>),
    /// Before the next frame; `None` at the end.
    Between(Option<PackedInput>),
}

impl Read for ZstdFrames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self {
                ZstdFrames::Inside(decoder) => {
                    let count = decoder.read(buffer)?;
                    if count > 0 || buffer.is_empty() {
                        return Ok(count);
                    }
                    let ZstdFrames::Inside(decoder) = std::mem::replace(self, ZstdFrames::Between(None))
                    else {
                        return Ok(0);
                    };
                    // The header was consumed completely.
                    let (_, input) = decoder.into_inner().into_inner();
                    *self = ZstdFrames::Between(Some(input));
                }
                ZstdFrames::Between(input) => {
                    let Some(mut input) = input.take() else { return Ok(0) };
                    if input.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let mut header = frame_header(&mut input)?;
                    let window = window_size(&header);
                    if window > LARGEST_WINDOW {
                        return Err(io::Error::other(format!(
                            "its zstd window of {} MB is larger than {} MB; unpack it with `zstd -d --long=31`, or pack \
                             it again without --long",
                            window / (1024 * 1024),
                            LARGEST_WINDOW / (1024 * 1024)
                        )));
                    }
                    widen_window(&mut header);
                    let input = Cursor::new(header).chain(input);
                    let decoder = StreamingDecoder::new(input).map_err(io::Error::other)?;
                    *self = ZstdFrames::Inside(Box::new(decoder));
                }
            }
        }
    }
}

/// Number of bytes before the fields of variable length: magic number and descriptor.
const HEADER_START: usize = 5;

/// Reads the header of a frame, and not a byte more.
fn frame_header(input: &mut PackedInput) -> io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(18);
    input.by_ref().take(HEADER_START as u64).read_to_end(&mut header)?;
    // Anything but a frame is left to the decoder, which says so.
    if let (true, Some(descriptor)) = (header.starts_with(&ZSTD), header.get(HEADER_START - 1)) {
        let (window, id, content) = field_lengths(*descriptor);
        input.by_ref().take((window + id + content) as u64).read_to_end(&mut header)?;
    }
    Ok(header)
}

/// Returns the lengths of the window descriptor, the id of the dictionary and the size of the content.
fn field_lengths(descriptor: u8) -> (usize, usize, usize) {
    let is_single = is_single_segment(descriptor);
    let id = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = [usize::from(is_single), 2, 4, 8][usize::from(descriptor >> 6)];
    (usize::from(!is_single), id, content)
}

/// Returns whether the content is one segment: then its size is the window.
fn is_single_segment(descriptor: u8) -> bool {
    descriptor & 0x20 != 0
}

/// Returns the size of the window that a frame asks for, or 0 if the header is incomplete.
fn window_size(header: &[u8]) -> u64 {
    let Some(descriptor) = header.get(HEADER_START - 1).copied() else { return 0 };
    let fields = &header[HEADER_START..];
    let (_, id, content) = field_lengths(descriptor);
    if is_single_segment(descriptor) {
        let Some(bytes) = fields.get(id..id + content) else { return 0 };
        let mut size = [0; 8];
        size[..content].copy_from_slice(bytes);
        // A size of two bytes is counted from 256; that does not matter here.
        return u64::from_le_bytes(size);
    }
    let Some(window) = fields.first() else { return 0 };
    let base = 1_u64 << (10 + u32::from(window >> 3));
    base + base / 8 * u64::from(window & 7)
}

/// Asks for an eighth more than a window that is a power of two. The buffer of the decoder has to hold a block beside the
/// window: it would be made for the window alone, and then be copied into one of twice the size.
fn widen_window(header: &mut [u8]) {
    let is_large = window_size(header) > u64::from(u16::MAX);
    let is_single = header.get(HEADER_START - 1).is_none_or(|descriptor| is_single_segment(*descriptor));
    if let (true, false, Some(window)) = (is_large, is_single, header.get_mut(HEADER_START))
        && window.trailing_zeros() >= 3
    {
        *window |= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(content).unwrap();
        packer.finish().unwrap()
    }

    fn zstd(content: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest)
    }

    fn read(packed: Vec<u8>, limit: UnpackLimit) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        unpack(Box::new(Cursor::new(packed)), limit)?.read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn content_is_unpacked_up_to_the_limit() {
        let content = vec![b'x'; 3 * BUFFER];
        for packed in [gzip(&content), zstd(&content)] {
            let small = UnpackLimit::bytes(content.len() as u64 - 1);
            let exact = UnpackLimit::bytes(content.len() as u64);
            assert_eq!(read(packed.clone(), exact).unwrap(), content);
            assert_eq!(read(packed.clone(), UnpackLimit::default()).unwrap(), content);
            let error = read(packed, small).unwrap_err();
            assert!(UnpackLimit::is_cause_of(&error), "{error}");
        }
    }

    #[test]
    fn several_frames_are_read_one_after_the_other() {
        let frames = [zstd(b"a"), zstd(&[b'b'; 1000]), zstd(b""), zstd(b"c")].concat();
        let content = read(frames, UnpackLimit::default()).unwrap();
        assert_eq!((content.len(), content[0], content[1001]), (1002, b'a', b'c'));
    }

    #[test]
    fn a_window_is_widened_only_where_it_is_a_power_of_two() {
        for (window, widened) in
            [((26 - 10) << 3, (26 - 10) << 3 | 1), ((26 - 10) << 3 | 3, (26 - 10) << 3 | 3), (0, 0)]
        {
            let mut header = [&ZSTD[..], &[0x00, window]].concat();
            widen_window(&mut header);
            assert_eq!(header[HEADER_START], widened);
        }
        let single = [&ZSTD[..], &[0xA0, 0, 0, 0, 0x80]].concat();
        let mut header = single.clone();
        widen_window(&mut header);
        assert_eq!(header, single, "the size of the content is not a window");
    }

    #[test]
    fn a_zstd_frame_with_a_huge_window_is_refused_before_memory_is_taken() {
        // 2 GB as window, and 2 GB as the content of a single segment.
        let window = [&ZSTD[..], &[0x00, (31 - 10) << 3, 1, 0, 0]].concat();
        let single = [&ZSTD[..], &[0xA0, 0, 0, 0, 0x80, 1, 0, 0]].concat();
        for frame in [window, single] {
            let error = read(frame, UnpackLimit::default()).unwrap_err();
            assert!(error.to_string().contains("zstd window of 2048 MB"), "{error}");
        }
        let usual = [&ZSTD[..], &[0x00, (26 - 10) << 3, 1, 0, 0]].concat();
        assert_eq!(read(usual, UnpackLimit::default()).unwrap(), b"");
    }
}
