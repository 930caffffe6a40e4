import { MultipartReader, readBoundary } from './multipart-reader.js';

const part = (content: string, name = 'a') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;

/** The names and contents of the parts, from chunks of so many bytes; the message of an error. */
async function read(form: string, size: number, boundary = 'b'): Promise<[string, string][] | string> {
  const bytes = Buffer.from(form);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield Promise.resolve(bytes.subarray(at, at + size));
  }
  const parts: [string, string][] = [];
  try {
    const reader = new MultipartReader(chunks(), boundary, 10);
    for await (const { name, content, start } of reader.parts()) {
      let text = '';
      for await (const chunk of content) text += chunk.toString('latin1');
      expect(bytes.toString('latin1', start, reader.end)).toBe(text);
      parts.push([name, text]);
    }
    return parts;
  } catch (error) {
    return (error as Error).message;
  }
}

const OWN_LINE = expect.stringContaining('outside of a line of its own');
const NO_END = expect.stringContaining('ends');

describe('MultipartReader', () => {
  it.each<[string, string, unknown]>([
    ['no part', '--b--\r\n', []],
    ['no line break at the end', `${part('x')}--b--`, [['a', 'x']]],
    ['a line break at the start', `\r\n${part('x')}--b--\r\n\r\n`, [['a', 'x']]],
    [
      'empty and large parts',
      `${part('')}${part('x'.repeat(99), 'c')}--b--\r\n`,
      [
        ['a', ''],
        ['c', 'x'.repeat(99)],
      ],
    ],
    ['what resembles a delimiter', `${part('\r\n--bb\r\n --b')}--b--`, OWN_LINE],
    ['a longer boundary', `${part('\r\n--bb\r\n--B\r\n-b')}--b--`, [['a', '\r\n--bb\r\n--B\r\n-b']]],
    [
      'white space after delimiters',
      `${part('x').replace('--b', '--b \t')}${part('y').replace('--b', '--b ')}--b-- \r\n`,
      [
        ['a', 'x'],
        ['a', 'y'],
      ],
    ],
    ['a delimiter after LF', `${part('x').slice(0, -2)}\n${part('y')}--b--`, OWN_LINE],
    ['a delimiter before LF', `${part('x')}${part('y').replace('--b\r\n', '--b\n')}--b--`, OWN_LINE],
    ['a delimiter within a line', `${part('x').slice(0, -2)}${part('y')}--b--`, OWN_LINE],
    ['a preamble', `before\r\n${part('x')}--b--`, 'The form does not begin with its boundary.'],
    ['parts after the end', `${part('x')}--b--\r\n${part('y')}--b--`, 'The form continues after its end.'],
    ['no end', part('x'), NO_END],
    ['an end within the headers', `${part('x')}--b\r\nContent-Disposition: form-data; name="c"`, NO_END],
    ['adjacent delimiters', `--b\r\n${part('x')}--b--`, 'A part has malformed headers.'],
    ['a part without headers', `--b\r\n\r\nx\r\n--b--`, expect.stringContaining('no valid Content-Disposition')],
    ['a continued header', '--b\r\nContent-Disposition: form-data;\r\n\tname="c"\r\n\r\nx\r\n--b--', [['c', 'x']]],
    [
      'two dispositions',
      `${part('x').replace('\r\n\r\n', '\r\nContent-Disposition: form-data; name="c"\r\n\r\n')}--b--`,
      'A part has two headers Content-Disposition.',
    ],
    [
      'two names',
      `${part('x').replace('"a"', '"a"; name="c"')}--b--`,
      expect.stringContaining('no valid Content-Disposition'),
    ],
    ['more parts than permitted', `${part('x').repeat(11)}--b--`, 'The form exceeds the limit of 10 parts.'],
  ])('reads or rejects %s, for every size of chunks', async (_, form, expected) => {
    for (let size = 1; size <= form.length + 1; size++) expect(await read(form, size)).toEqual(expected);
  });

  it.each([
    ['name="files"; filename="a\\"b\\\\c.png"', 'a"b\\c.png'],
    ['name="files"; filename="C:\\fakepath\\a.png"', 'C:\\fakepath\\a.png'],
    ['name="files"; filename="a%22b%0D%0A50%.png"', 'a"b\r\n50%.png'],
    [`name="files"; filename="x.png"; filename*=UTF-8'de'B%C3%A4r.png`, 'Bär.png'],
    ['filename=a.png; name=files;', 'a.png'],
    ['name="files"', undefined],
  ])('reads the file name of %s', async (disposition, filename) => {
    const form = Buffer.from(`--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\nx\r\n--b--`);
    const names: unknown[] = [];
    async function* chunks() {
      yield Promise.resolve(form);
    }
    for await (const each of new MultipartReader(chunks(), 'b', 1).parts()) names.push([each.name, each.filename]);
    expect(names).toEqual([['files', filename]]);
  });
});

describe('readBoundary', () => {
  it.each([
    ['multipart/form-data; boundary="a b;\\"c"', 'a b;"c'],
    ['Multipart/Form-Data;charset=utf-8;BOUNDARY=----x=1', '----x=1'],
  ])('of %s', (type, boundary) => expect(readBoundary(type)).toBe(boundary));

  it.each(['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=a; boundary=b'])(
    'rejects %s',
    (type) => expect(() => readBoundary(type)).toThrow(/Content-Type/),
  );
});
