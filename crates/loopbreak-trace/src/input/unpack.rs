//! Reads compressed logs: gzip and zstd.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

/// Size of the buffer for decompressed text.
const BUFFER: usize = 256 * 1024;

/// Magic numbers of the compressed formats.
const GZIP: [u8; 3] = [0x1F, 0x8B, 0x08];
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// Returns whether a file that starts with these bytes is compressed.
pub(crate) fn is_packed(head: &[u8]) -> bool {
    head.starts_with(&GZIP) || head.starts_with(&ZSTD)
}

/// Returns the content of a stream, decompressed if necessary.
pub(crate) fn unpack(mut input: Box<dyn BufRead + Send>) -> io::Result<Box<dyn BufRead + Send>> {
    let head = input.fill_buf()?;
    if head.starts_with(&GZIP) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(input))));
    }
    if head.starts_with(&ZSTD) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, ZstdFrames::Between(Some(input)))));
    }
    Ok(input)
}

type PackedInput = Box<dyn BufRead + Send>;
type ZstdDecoder = StreamingDecoder<PackedInput, ruzstd::decoding::FrameDecoder>;

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
                    *self = ZstdFrames::Between(Some(decoder.into_inner()));
                }
                ZstdFrames::Between(input) => {
                    let Some(mut input) = input.take() else { return Ok(0) };
                    if input.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let decoder = StreamingDecoder::new(input).map_err(io::Error::other)?;
                    *self = ZstdFrames::Inside(Box::new(decoder));
                }
            }
        }
    }
}
