import fc from 'fast-check';
import { isMistyped, listVariants, mayContainError, splitRuns, splitWords } from './search-words.js';

/** Each makes one typing error at a position. */
const ERRORS: readonly ((letters: string[], at: number, other: string) => string[])[] = [
  (letters, at, other) => letters.toSpliced(at, 0, other),
  (letters, at) => letters.toSpliced(at, 1),
  (letters, at, other) => letters.with(at, other),
  (letters, at) => letters.toSpliced(at, 2, ...letters.slice(at, at + 2).reverse()),
];

describe('the words of a text', () => {
  it.each([
    ['Feed-water PUMP', ['feed', 'water', 'pump']],
    ['Kühlwasserpumpe Straße', ['kuhlwasserpumpe', 'strasse']],
    ['Zażółć gęślą', ['zazolc', 'gesla']],
    ['Øre Æsir', ['ore', 'aesir']],
    ['AT10-UTL_CW', ['at10', 'utl', 'cw']],
    ['½ valve', ['1', '2', 'valve']],
    ['насос', ['насос']],
    ['  –!? ', []],
  ])('of %j are folded', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it('of a decomposed text are those of the composed one', () => {
    expect(splitWords('Kühler'.normalize('NFD'))).toEqual(splitWords('Kühler'.normalize('NFC')));
  });

  it('have their positions in the original text', () => {
    const text = 'Ⓐ Pümpe, Straße';
    expect([...splitRuns(text)].map(({ start, end }) => text.slice(start, end))).toEqual(['Pümpe', 'Straße']);
  });
});

describe('a typing error', () => {
  it.each([
    ['pmup', 'pump', true],
    ['pimp', 'pump', true],
    ['pmp', 'pump', true],
    ['pumpp', 'pump', true],
    ['upmp', 'pump', true],
    ['pumq', 'pump', true],
    ['pump', 'pump', false],
    ['pums', 'lump', false],
    ['oil', 'oik', false],
    ['pumpen', 'pump', false],
    ['valev', 'value', false],
  ])('%s for %s: %s', (typed, word, expected) => {
    expect(isMistyped(typed, word)).toBe(expected);
  });

  it('leaves a variant that both words have', () => {
    const letter = fc.constantFrom(...'abcdefghäß');
    const words = fc.array(letter, { minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(words, fc.nat({ max: 3 }), letter, fc.constantFrom(...ERRORS), (letters, at, other, makeError) => {
        const [word, typed] = [letters.join(''), makeError(letters, at, other).join('')];
        fc.pre(typed !== word);
        expect(isMistyped(typed, word)).toBe(true);
        const variants = new Set(listVariants(word));
        expect(listVariants(typed).some((variant) => variants.has(variant))).toBe(true);
      }),
    );
  });

  it('is not looked for in words with digits, and in very short and very long ones', () => {
    expect(['pump', 'p10', 'at', 'x'.repeat(31), 'насос'].map(mayContainError)).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });
});
