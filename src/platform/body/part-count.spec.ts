import { PartCount } from './part-count.js';

const TYPE = 'multipart/form-data; boundary=b';
const part = (content: string) => `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${content}\r\n`;

/** The form in pieces of so many bytes. */
function counted(form: string, size: number, type = TYPE): number {
  const count = new PartCount(type);
  const bytes = Buffer.from(form);
  for (let at = 0; at < bytes.length; at += size) count.add(bytes.subarray(at, at + size));
  return count.parts;
}

describe('the parts of a form', () => {
  it.each([
    ['none', '--b--\r\n', 0],
    ['one', `${part('x')}--b--\r\n`, 1],
    ['three', `${part('')}${part('x'.repeat(99))}${part('x--b')}--b--\r\n`, 3],
    ['one behind a preamble', `before\r\n${part('x')}--b--\r\n`, 1],
    ['boundaries at once', '--b\r\n--b\r\n--b--\r\n', 2],
    ['text that is like a boundary', `${part('\r\n--bb\r\n--B\r\n --b\r\n-b')}--b--\r\n`, 1],
  ])('are counted: %s', (_, form, parts) => {
    for (let size = 1; size <= form.length + 1; size++) expect([size, counted(form, size)]).toEqual([size, parts]);
  });

  it('are counted by a boundary in quotes', () => {
    expect(counted('--a b;"c\r\n\r\nx\r\n--a b;"c--', 7, 'multipart/form-data; boundary="a b;\\"c"')).toBe(1);
  });

  it('are none where there is no boundary', () => {
    expect(counted(part('x'), 5, 'multipart/form-data')).toBe(0);
  });
});
