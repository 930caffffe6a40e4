/** A name of one word is replaced within longer texts only if it has so many characters, as IDs have. */
const MIN_DISTINCT_LENGTH = 16;

const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** The letter of an escaped control character in JSON is not a part of the next word. */
const AFTER_ESCAPE = String.raw`(?<=\\[bfnrt])`;

/**
 * A regular expression of PostgreSQL that finds names in texts and in texts of JSON. An email address, a name of
 * several words and an ID are found within longer texts, another name of one word only as the whole text.
 */
export function toNamePattern(names: readonly string[]): string {
  const forms = names.flatMap((name) => [name, JSON.stringify(name).slice(1, -1)]);
  return Array.from(new Set(forms), toAlternative).join('|');
}

function toAlternative(name: string): string {
  const escaped = name
    .trim()
    .replace(PUNCTUATION, String.raw`\$&`)
    .replace(/\s+/g, String.raw`\s+`);
  if (name.includes('@')) return String.raw`(?:(?<![\w.+-])|${AFTER_ESCAPE})${escaped}(?![\w-]|\.\w)`;
  const isDistinct = /\s/.test(name.trim()) || name.length >= MIN_DISTINCT_LENGTH;
  if (isDistinct) return String.raw`(?:(?<!\w)|${AFTER_ESCAPE})${escaped}(?!\w)`;
  return `(?:^|(?<="))${escaped}(?:$|(?="))`;
}
