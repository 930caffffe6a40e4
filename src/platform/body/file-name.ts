const MAX_LENGTH = 255;

/** Control characters, line and paragraph separators, byte order marks, and what turns the direction of text around. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

const EXTENSION = /\.[^.\s]{1,20}$/;

/** A file's name as it can be shown anywhere: no path, nothing invisible, at most 255 characters, extension and all. */
export function displayName(given: string): string {
  const name = given.replace(UNSAFE, '').split(/[/\\]/).at(-1)!.toWellFormed().trim();
  if (/^\.*$/.test(name)) return 'file';
  if (name.length <= MAX_LENGTH) return name;
  const [extension = ''] = EXTENSION.exec(name) ?? [];
  const stem = name.slice(0, MAX_LENGTH - extension.length);
  // Not the first half of a character alone.
  return stem.replace(/[\ud800-\udbff]$/, '') + extension;
}
