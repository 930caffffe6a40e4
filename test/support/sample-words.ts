/** A generator of random numbers that repeats its numbers for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const ONSETS = 'b br c ch d f fl g h k kl l m n p pr r s st t'.split(' ');
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ei', 'ä', 'ö', 'ü', 'é'];
const CODAS = ['', '', 'l', 'n', 'r', 's', 't', 'ng'];

/** Different words of two to four syllables, such as `stölkang`. */
export function createWords(count: number, random: () => number): string[] {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)]!;
  const words = new Set<string>();
  while (words.size < count) {
    const syllables = 2 + Math.floor(random() * 3);
    words.add(Array.from({ length: syllables }, () => pick(ONSETS) + pick(VOWELS) + pick(CODAS)).join(''));
  }
  return [...words];
}

/** The word with one typing error: an added, missing, replaced or swapped letter. */
export function mistype(word: string, random: () => number): string {
  for (;;) {
    const letters = [...word];
    const at = Math.floor(random() * letters.length);
    const other = String.fromCharCode(97 + Math.floor(random() * 26));
    const errors = [
      () => letters.toSpliced(at, 0, other),
      () => letters.toSpliced(at, 1),
      () => letters.with(at, other),
      () => letters.toSpliced(at, 2, ...letters.slice(at, at + 2).reverse()),
    ];
    const typed = errors[Math.floor(random() * errors.length)]!().join('');
    if (typed !== word) return typed;
  }
}
