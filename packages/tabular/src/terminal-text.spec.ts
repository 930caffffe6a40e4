import { formatForTerminal, formatLinesForTerminal } from './terminal-text.js';

const CONTROLS = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index),
  ...[0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
].map((code) => String.fromCodePoint(code));

describe('text for terminals', () => {
  it('shows each control character as a dot', () => {
    for (const control of CONTROLS) expect(formatForTerminal(`a${control}b`)).toBe('a·b');
  });

  it('changes no other text', () => {
    const text = 'Pumpe Süd, 図, مضخة, naïve, 👩‍🔧, 10 °C';
    expect(formatForTerminal(text)).toBe(text);
  });

  it('retains only the line breaks of several lines', () => {
    expect(formatLinesForTerminal('a\u001b[2J\nb\r\n')).toBe('a·[2J\nb·\n');
  });
});
