// The difference of two texts, word by word, and the variants among many texts.
const DIFF_WORDS = 300;

// Returns nodes: what only the old text has as `del`, what only the new one has as `ins`. Texts that have little in common are
// easier to read as they are.
function wordDiff(old, text) {
  const split = (whole) => whole.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) || [];
  const [before, after] = [split(old), split(text)];
  let [head, tail] = [0, 0];
  const least = Math.min(before.length, after.length);
  while (head < least && before[head] === after[head]) head += 1;
  while (tail < least - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const [a, b] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const parts = [["", before.slice(0, head).join("")]];
  if (a.length > DIFF_WORDS || b.length > DIFF_WORDS) parts.push(["del", a.join("")], ["ins", b.join("")]);
  else parts.push(...commonWords(a, b));
  parts.push(["", before.slice(before.length - tail).join("")]);
  // Neighbours of one kind are one node.
  const merged = [];
  for (const [kind, words] of parts) {
    if (!words) continue;
    const last = merged[merged.length - 1];
    if (last && last[0] === kind) last[1] += words;
    else merged.push([kind, words]);
  }
  const kept = merged.reduce((sum, [kind, words]) => sum + (kind ? 0 : words.trim().length), 0);
  if (kept * 2 < Math.min(old.length, text.length)) return [text];
  return merged.map(([kind, words]) => (kind ? el(kind, {}, words) : words));
}

// The longest common subsequence of two lists of words, as kept, deleted and inserted parts.
function commonWords(a, b) {
  const wide = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * wide + j] = a[i] === b[j] ? longest[(i + 1) * wide + j + 1] + 1 : Math.max(longest[(i + 1) * wide + j], longest[i * wide + j + 1]);
    }
  }
  const parts = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { parts.push(["", a[i]]); i += 1; j += 1; }
    else if (i < a.length && (j === b.length || longest[(i + 1) * wide + j] >= longest[i * wide + j + 1])) { parts.push(["del", a[i]]); i += 1; }
    else { parts.push(["ins", b[j]]); j += 1; }
  }
  return parts;
}

// The different texts in the order of their first turns, each with its turns.
function variants(pairs) {
  const all = new Map();
  for (const [turn, text] of pairs) {
    if (!all.has(text)) all.set(text, { text, turns: [] });
    all.get(text).turns.push(turn);
  }
  return [...all.values()];
}
