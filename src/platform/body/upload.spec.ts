import { displayName } from './upload.js';

describe('displayName', () => {
  it.each([
    ['valve.jpg', 'valve.jpg'],
    ['Kesselhaus Ä ☕ 配管.png', 'Kesselhaus Ä ☕ 配管.png'],
    ['👩‍🔧 at work.mp4', '👩‍🔧 at work.mp4'],
    ['../../x', 'x'],
    ['/etc/passwd', 'passwd'],
    ['C:\\fakepath\\pump.pdf', 'pump.pdf'],
    ['..\\..\\x.png', 'x.png'],
    ['a\r\nX-Header: 1.png', 'aX-Header: 1.png'],
    ['a\0b\u007f\u0085.png', 'ab.png'],
    ['gnp.\u202eexe.png', 'gnp.exe.png'],
    ['a\u2066b\u2069\u200e.png', 'ab.png'],
    ['  padded.png  ', 'padded.png'],
    ['half \ud83d.png', 'half \ufffd.png'],
    ['50%.pdf', '50%.pdf'],
    ['.hidden', '.hidden'],
  ])('turns %j into %j', (original, expected) => {
    expect(displayName(original)).toBe(expected);
  });

  it.each(['', ' ', '.', '..', '../', 'folder/', '\r\n', '\u202e', '..\\..'])(
    'returns "file" for %j, which contains no name',
    (original) => {
      expect(displayName(original)).toBe('file');
    },
  );

  it('preserves the extension of a name that is too long', () => {
    expect(displayName(`${'a'.repeat(300)}.jpeg`)).toBe(`${'a'.repeat(250)}.jpeg`);
    expect(displayName('a'.repeat(255))).toBe('a'.repeat(255));
    expect(displayName(`${'a'.repeat(300)}.${'b'.repeat(30)}`)).toBe('a'.repeat(255));
  });

  it('does not cut within a surrogate pair', () => {
    const name = displayName(`a${'🔧'.repeat(200)}.png`);
    expect(name).toBe(`a${'🔧'.repeat(125)}.png`);
    expect(name.length).toBeLessThanOrEqual(255);
  });
});
