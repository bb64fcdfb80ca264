// Scores in words and figures. A score is that of the API: value, plies, exact, odds, x, game_score.

const signed = (number, digits = 1) => {
  const text = Math.abs(number).toFixed(digits);
  return Number(text) === 0 ? "0" + text.slice(1) : (number < 0 ? "−" : "+") + text;
};

/** The signs of errors, as in chess. */
export const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

const LETTERS = { win: "W", draw: "D", loss: "L" };

/** A short figure for a cell: W5, D, L≤8 if proven, +0.8 if not. */
export function figure(score) {
  if (score.value) return LETTERS[score.value] + (score.exact === false ? "≤" : "") + (score.plies ?? "");
  return signed(score.odds);
}

/** The exact score in the game's own units, where the game has them. */
export function gameScore(score) {
  if (score.game_score === null || score.game_score === undefined) return "";
  return signed(score.game_score, 0);
}

/** How a score looks: the class of its element. */
export function kind(score) {
  if (score.value) return score.value;
  return score.odds > 0.04 ? "plus" : score.odds < -0.04 ? "minus" : "even";
}

/** The plies of a won or lost game: "5", or "at most 59". */
export function plies(score) {
  return (score.exact === false ? "at most " : "") + score.plies;
}

/** A score in words, for screen readers and lists. */
export function words(score) {
  if (!score.value) return signed(score.odds);
  return score.plies ? `${score.value} in ${plies(score)}` : score.value;
}

/** What a figure means, for people who point at it. */
export function explain(score) {
  if (score.value === "draw") return "proven: a draw";
  if (score.value) return `proven: a ${words(score)}${score.plies ? score.plies === 1 ? " move" : " moves, counting both sides" : ""}`;
  const better = score.x >= 0.5 ? "X" : "O";
  const chance = Math.round(100 * Math.max(score.x, 1 - score.x));
  return `${words(score)}: about ${chance}% for ${better}, an estimate`;
}

export const percent = (chance) => `${Math.round(100 * chance)}%`;

/** 1234567 as 1.2 M. */
export function short(number) {
  if (number < 1000) return String(Math.round(number));
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= size) return `${(number / size).toFixed(number < 10 * size ? 1 : 0)} ${unit}`;
  }
  return "";
}
