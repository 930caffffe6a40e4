import { PartCount } from './part-count.js';

const TYPE = 'multipart/form-data; boundary=b';
const part = (content: string) => `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${content}\r\n`;

/** Adds the form in chunks of so many bytes. */
function countParts(form: string, size: number, type = TYPE): number {
  const count = new PartCount(type);
  const bytes = Buffer.from(form);
  for (let position = 0; position < bytes.length; position += size)
    count.add(bytes.subarray(position, position + size));
  return count.parts;
}

describe('PartCount', () => {
  it.each([
    ['no part', '--b--\r\n', 0],
    ['one part', `${part('x')}--b--\r\n`, 1],
    ['three parts', `${part('')}${part('x'.repeat(99))}${part('x--b')}--b--\r\n`, 3],
    ['a part after a preamble', `before\r\n${part('x')}--b--\r\n`, 1],
    ['adjacent boundaries', '--b\r\n--b\r\n--b--\r\n', 2],
    ['text that resembles a boundary', `${part('\r\n--bb\r\n--B\r\n --b\r\n-b')}--b--\r\n`, 1],
  ])('counts %s for every chunk size', (_, form, parts) => {
    for (let size = 1; size <= form.length + 1; size++) expect([size, countParts(form, size)]).toEqual([size, parts]);
  });

  it('supports a quoted boundary', () => {
    expect(countParts('--a b;"c\r\n\r\nx\r\n--a b;"c--', 7, 'multipart/form-data; boundary="a b;\\"c"')).toBe(1);
  });

  it('counts nothing without a boundary', () => {
    expect(countParts(part('x'), 5, 'multipart/form-data')).toBe(0);
  });
});
