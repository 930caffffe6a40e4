import fc from 'fast-check';
import {
  isMistyped,
  joinRuns,
  listEnds,
  listPairs,
  listParts,
  listVariants,
  mayContainError,
  omitZeros,
  splitRuns,
  splitWords,
} from './search-words.js';

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

describe('a code', () => {
  it.each([
    ['DN 50', ['dn50', '50']],
    ['AT10-UTL_CW', ['at10utlcw', 'utlcw', 'cw']],
    ['M8 x 40', ['m8x40', 'x40', '40']],
    ['M8 × 40', ['m8x40', 'x40', '40']],
    ['Feed-water pump', ['feedwater', 'water', 'pump']],
    ['hall 3 - pump', ['hall3pump', '3pump', 'pump']],
    ['hall 3    pump', ['hall3', '3', 'pump']],
    ['feed, water', ['feed', 'water']],
  ])('begins at each word of %j', (text, codes) => {
    const runs = splitRuns(text);
    const joined = joinRuns(runs);
    expect(runs.map(({ position, codeEnd }) => joined.slice(position, codeEnd))).toEqual(codes);
  });

  it.each([
    ['000004711', '4711'],
    ['0', '0'],
    ['000', '0'],
    ['4711', '4711'],
    ['00a1', '00a1'],
  ])('%s without leading zeros is %s, if it is a number', (word, expected) => {
    expect(omitZeros(word)).toBe(expected);
  });
});

describe('a run of a script without blanks', () => {
  it.each([
    ['冷却水 pump', ['冷', '却', '水', 'pump']],
    ['ガﾎﾟー', ['カ', 'ホ', 'ー']],
    ['ปั๊มน้ำ', ['ป', 'ม', 'น', 'า']],
    ['第3号DN50', ['第', '3', '号', 'dn50']],
  ])('%s is divided in letters, without marks', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it('has pairs of neighbors', () => {
    expect([listPairs('冷却水'), listPairs('水')]).toEqual([['冷却', '却水'], ['水']]);
  });
});

describe('a part of a word', () => {
  it('has at least four letters', () => {
    expect(listEnds('kessel')).toEqual(['+essel', '+ssel']);
    expect(listEnds('ring')).toEqual([]);
    expect(listParts('feedpumps')).toEqual(['feed', 'pumps', 'feedp', 'umps']);
    expect(listParts('kessel')).toEqual([]);
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
    expect(['pump', 'p10', 'at', 'x'.repeat(41), 'насос'].map(mayContainError)).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
  });
});
