import { displayName } from './file-name.js';

describe('a file name', () => {
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
  ])('%j is shown as %j', (given, shown) => {
    expect(displayName(given)).toBe(shown);
  });

  it.each(['', ' ', '.', '..', '../', 'folder/', '\r\n', '\u202e', '..\\..'])('%j has no name in it', (given) => {
    expect(displayName(given)).toBe('file');
  });

  it('keeps its extension where it is too long', () => {
    expect(displayName(`${'a'.repeat(300)}.jpeg`)).toBe(`${'a'.repeat(250)}.jpeg`);
    expect(displayName('a'.repeat(255))).toBe('a'.repeat(255));
    expect(displayName(`${'a'.repeat(300)}.${'b'.repeat(30)}`)).toBe('a'.repeat(255));
  });

  it('is not cut within a character', () => {
    const shown = displayName(`a${'🔧'.repeat(200)}.png`);
    expect(shown).toBe(`a${'🔧'.repeat(125)}.png`);
    expect(shown.length).toBeLessThanOrEqual(255);
  });
});
