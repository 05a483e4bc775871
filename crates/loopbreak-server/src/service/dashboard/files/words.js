// Figures as people read them. The same units and words in every view.

/** US dollars; a dash where nothing is known to cost anything. */
export function money(dollars) {
  if (!dollars) return "–";
  if (dollars < 0.01) return "<$0.01";
  return "$" + (dollars < 100 ? dollars.toFixed(2) : Math.round(dollars).toLocaleString("en-US"));
}

export function count(number) {
  return number.toLocaleString("en-US");
}

export function tokens(number) {
  if (!number) return "–";
  if (number < 1000) return String(number);
  if (number < 1e6) return (number / 1e3).toFixed(number < 1e4 ? 1 : 0) + " k";
  return (number / 1e6).toFixed(number < 1e7 ? 1 : 0) + " M";
}

/** The time since then, such as `5 min ago`. */
export function ago(time, now = Date.now()) {
  const seconds = Math.max(0, Math.round((now - time) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} days ago`;
}

/** A date as `2026-11-19 21:05`, in the time zone of the reader. */
export function date(time) {
  const at = new Date(time);
  const two = (number) => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** A day counted from 1970-01-01 as `2026-11-19`. */
export function day(number) {
  return new Date(number * 86_400_000).toISOString().slice(0, 10);
}

export function percent(part, whole) {
  return whole > 0 ? `${Math.round((100 * part) / whole)}\u00a0%` : "–";
}

/** What a number of something is called. */
export function plural(number, word) {
  return `${count(number)} ${word}${number === 1 ? "" : "s"}`;
}
