// A short message that needs no answer.

const SHOWN_MS = 6000;
let timer;

export function notice(text) {
  const place = document.getElementById("notice");
  place.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => { place.textContent = ""; }, SHOWN_MS);
}
