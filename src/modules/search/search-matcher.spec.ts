import fc from 'fast-check';
import { matchFields, parseSearch, type SearchedField, type SearchQuery } from './search-matcher.js';

const find = (q: string, fields: readonly SearchedField[], similar: Record<string, string[]> = {}) => {
  const query: SearchQuery = parseSearch(q);
  const words = query.words.map((word) => ({ ...word, similar: new Set(similar[word.text]) }));
  return matchFields({ ...query, words }, fields);
};
const title = (text: string): SearchedField => ({ name: 'name', text, isTitle: true });
const other = (text: string): SearchedField => ({ name: 'note', text });
const code = (text: string): SearchedField => ({ name: 'key', text, isCode: true });
const mark = (match: ReturnType<typeof find>) =>
  match?.matches.map(({ parts }) => parts.map((part, at) => (at % 2 === 1 ? `[${part}]` : part)).join(''));

describe('a match', () => {
  it('needs each word, in any field', () => {
    expect(mark(find('pump cooling', [title('Feed pump'), other('of the cooling water')]))).toEqual([
      'Feed [pump]',
      'of the [cooling] water',
    ]);
    expect(find('pump heating', [title('Feed pump'), other('of the cooling water')])).toBeUndefined();
  });

  it('marks beginnings of words, accents and letter cases in the original text', () => {
    expect(mark(find('kuhl', [title('Die KÜHLWASSERPUMPE, kühl')]))).toEqual(['Die [KÜHLWASSERPUMPE], [kühl]']);
  });

  it('scores codes, titles and whole words higher', () => {
    const scores = [
      find('at10', [code('AT10')]),
      find('at10', [code('AT10-UTL')]),
      find('at10', [title('AT10')]),
      find('at10', [title('AT100')]),
      find('at10', [other('AT10')]),
      find('at10', [other('AT100')]),
    ].map((match) => match!.score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(scores.length);
  });

  it('scores the code as it was typed higher than with other separators and zeros', () => {
    const [same, other, longer] = ['P-100', 'p100', 'P-1000'].map((text) => find('p-100', [code(text)])!.score);
    expect([same! > other!, other! > longer!]).toEqual([true, true]);
    expect(find('4711', [code('4711')])!.score).toBeGreaterThan(find('4711', [code('0004711')])!.score);
  });

  it('of a code does not depend on what separates its words', () => {
    const letters = fc.stringMatching(/^[a-z]{1,4}$/);
    const digits = fc.stringMatching(/^[1-9]{1,3}$/);
    const words = fc.array(fc.tuple(letters, digits), { minLength: 1, maxLength: 3 }).map((pairs) => pairs.flat());
    const separators = fc.array(fc.constantFrom('', ' ', '-', '.', '/', '_', ' - '), { minLength: 6, maxLength: 6 });
    const join = (parts: string[], between: string[]) =>
      parts.map((part, at) => (at === 0 ? part : between[at]! + part)).join('');
    fc.assert(
      fc.property(words, separators, separators, (parts, stored, typed) => {
        const text = `Pump ${join(parts, stored)}; spare`;
        expect(find(join(parts, typed), [other(text)])?.isMistyped).toBe(false);
        expect(find(`${join(parts, typed)}0`, [other(text)])).toBeUndefined();
      }),
    );
  });

  it('scores parts of words below their beginnings', () => {
    const scores = ['Pumpen', 'Wasserpumpe'].map((text) => find('pumpe', [other(text)])!.score);
    expect(scores[0]).toBeGreaterThan(scores[1]!);
    expect(find('ump', [other('Pumpe')])).toBeUndefined();
  });

  it('scores similar words lowest and states them', () => {
    const similar = find('pmup', [title('Feed pump')], { pmup: ['pump'] });
    expect([similar?.isMistyped, mark(similar)]).toEqual([true, ['Feed [pump]']]);
    expect(similar!.score).toBeLessThan(find('pum', [other('Feed pump')])!.score);
  });

  it('finds the number of a note as people write it', () => {
    expect(find('#12', [code('12')])!.score).toBeGreaterThan(1_000);
  });

  it('shows a part of a long text around the first match', () => {
    const text = `${'😀'.repeat(100)} the pump ${'and more words '.repeat(50)}`;
    const [match] = find('pump', [other(text)])!.matches;
    const shown = match!.parts.join('');
    expect(shown.length).toBeLessThanOrEqual(203);
    expect([shown.at(0), shown.at(-1), shown.isWellFormed()]).toEqual(['…', '…', true]);
    expect(text).toContain(shown.slice(1, -1));
    expect(match!.parts[1]).toBe('pump');
    expect(match!.parts).toHaveLength(3);
  });

  it('of a text without letters and digits does not exist', () => {
    expect(parseSearch(' –!? ').words).toEqual([]);
  });
});
