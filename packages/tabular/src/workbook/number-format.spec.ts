import { displayNumber } from './number-format.js';

describe('a number of a workbook', () => {
  it.each<[number, string, string | undefined, boolean | null]>([
    [47, '"P-"000', 'P-047', true],
    [123_456_789, String.raw`00000\-0000`, '12345-6789', true],
    [4711, '0000000000;;;@', '0000004711', true],
    [0, '0000000000;;;@', undefined, true],
    [4712, '[$-409]000000', '004712', true],
    [4713, '000000;@', '004713', true],
    [4714, '000000_)', '004714', true],
    [4715, '0000 0000', '0000 4715', true],
    [-5, '000', '-005', true],
    [-5, '000;"minus "000', 'minus 005', true],
    [1234567, '000', undefined, null],
    [12.5, '000', undefined, true],
    [1.1, '0.00', '1.10', false],
    [1.125, '0.00', undefined, null],
    [5, '0" kg"', '5 kg', false],
    [7, '"a;b"00', 'a;b07', true],
  ])('%d in the format %j is displayed as %j', (value, format, text, isKey) => {
    expect(displayNumber(value, format)).toEqual(isKey === null ? undefined : { text, isKey });
  });

  it.each(['General', '', '0', '#,##0.00', '0%', '0.00E+00', '# ?/?', '[>100]000', '@', '#,##0 "€"'])(
    'in the format %j has its shortest text',
    (format) => {
      expect(displayNumber(5, format)).toBeUndefined();
    },
  );
});
