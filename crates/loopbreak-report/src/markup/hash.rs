//! SHA-256 in base64, as a Content-Security-Policy names the scripts and styles it allows.
//!
//! Implemented here because one constant text per page is all there is to hash.

/// The fractional parts of the cube roots of the first 64 primes.
const ROUNDS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// The fractional parts of the square roots of the first 8 primes.
const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Returns the name of a text in a policy: `sha256-` and its hash in base64.
pub(super) fn source(text: &str) -> String {
    format!("sha256-{}", base64(&sha256(text.as_bytes())))
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if bytes.len() % 64 >= 56 {
        padded.resize(padded.len() + 64, 0);
    }
    let length = padded.len() - 8;
    padded[length..].copy_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    let mut state = START;
    for block in padded.chunks_exact(64) {
        compress(&mut state, block);
    }
    let mut hash = [0; 32];
    for (place, word) in hash.chunks_exact_mut(4).zip(state) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    hash
}

#[expect(clippy::many_single_char_names, reason = "the names of the standard")]
fn compress(state: &mut [u32; 8], block: &[u8]) {
    let mut words = [0_u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for at in 16..64 {
        let (one, two) = (words[at - 15], words[at - 2]);
        let one = one.rotate_right(7) ^ one.rotate_right(18) ^ (one >> 3);
        let two = two.rotate_right(17) ^ two.rotate_right(19) ^ (two >> 10);
        words[at] = words[at - 16].wrapping_add(one).wrapping_add(words[at - 7]).wrapping_add(two);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, word) in ROUNDS.into_iter().zip(words) {
        let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let chosen = (e & f) ^ (!e & g);
        let one = h.wrapping_add(mixed).wrapping_add(chosen).wrapping_add(round).wrapping_add(word);
        let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let two = mixed.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(one), c, b, a, one.wrapping_add(two));
    }
    for (sum, word) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *sum = sum.wrapping_add(word);
    }
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at as usize > three.len() { '=' } else { char::from(sign) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        // The examples of FIPS 180-4, and lengths around the end of a block.
        assert_eq!(source(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(source("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
        let two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(source(two), "sha256-JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
        assert_eq!(source(&"x".repeat(55)), "sha256-1eKFaDzU78AtAhpcYgFGlJWJAQBdb3HongmJ+sd+QHI=");
        assert_eq!(source(&"x".repeat(56)), "sha256-BMJiYTcO51QVSdFt7jIMcj4/0UZx5moJmv4KN3wWiI4=");
        assert_eq!(source(&"x".repeat(63)), "sha256-dSILRyGCeOZW8gE7uPDEVaJerwHobGSSTp1I2Jd21vI=");
        assert_eq!(source(&"x".repeat(64)), "sha256-fOEAlx9k5wAej+WlGXPs3+HO1Cvv5+6NX9YhlQa1OTw=");
        assert_eq!(source(&"x".repeat(65)), "sha256-lTfF/fEgSC99WNJentWD9SwCtOME6oFNsWM61WWu1+k=");
        assert_eq!(source(&"x".repeat(1000)), "sha256-RPg1RJSlugO6F5Ko0+nFNMR6kYGYD956P0SwbvKufH8=");
    }

    #[test]
    fn base64_is_filled_up() {
        assert_eq!(
            (base64(b"a"), base64(b"ab"), base64(b"abc")),
            ("YQ==".into(), "YWI=".into(), "YWJj".into())
        );
    }
}
