import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RepositoryCopy } from '../support/repository-copy.js';

interface Step {
  /** The sentence above the code block names the file. */
  sentence: string;
  language: string;
  text: string;
}

describe('the guides to adding a module and a field', () => {
  let copy: RepositoryCopy;

  beforeAll(async () => {
    copy = new RepositoryCopy();
    // The check of the language lists the files with git.
    await copy.execute('git init -q');
  });

  afterAll(() => copy.remove());

  /** Executes the commands and edits of a guide in the copy. */
  async function follow(guide: string): Promise<void> {
    for (const { sentence, language, text } of readSteps(readFileSync(join(copy.folder, guide), 'utf8'))) {
      const edit = /^In `(.+?)`, above `(.+)`:$/.exec(sentence);
      const file = /`([^`]+\.ts)`:$/.exec(sentence)?.[1];
      if (edit) insert(edit[1]!, edit[2]!, text);
      else if (language === 'ts') {
        expect({ sentence, file: typeof file }).toEqual({ sentence, file: 'string' });
        mkdirSync(dirname(join(copy.folder, file!)), { recursive: true });
        writeFileSync(join(copy.folder, file!), text);
      } else if (language === 'sh') for (const command of text.trim().split('\n')) await copy.execute(command);
    }
  }

  /** Inserts the lines above the last occurrence of the anchor line. */
  function insert(file: string, anchor: string, lines: string): void {
    const before = readFileSync(join(copy.folder, file), 'utf8').split('\n');
    const index = before.findLastIndex((line) => line.trim() === anchor);
    expect({ file, anchor, found: index >= 0 }).toEqual({ file, anchor, found: true });
    const after = [...before.slice(0, index), lines.trimEnd(), ...before.slice(index)];
    writeFileSync(join(copy.folder, file), after.join('\n'));
  }

  const readDocument = () =>
    JSON.parse(readFileSync(join(copy.folder, 'openapi.json'), 'utf8')) as {
      paths: object;
      components: { schemas: Record<string, { properties: object }> };
    };

  it('produce a module that builds, is documented, meets the dependency rules and passes its tests', async () => {
    await follow('docs/how-to/extending.md');
    expect(Object.keys(readDocument().paths)).toEqual(
      expect.arrayContaining(['/v1/api/work-orders', '/v1/api/work-orders/{id}', '/v1/api/work-orders/{id}/restore']),
    );
  }, 600_000);

  it('produce a field that is documented, and a migration that matches it', async () => {
    await follow('docs/how-to/adding-a-field.md');
    const { schemas } = readDocument().components;
    for (const name of ['ChangeProjectDto', 'ProjectFields'])
      expect(schemas[name]!.properties).toHaveProperty('costCenter');
  }, 600_000);
});

function readSteps(guide: string): Step[] {
  return [...guide.matchAll(/([^\n]*)\n\n```(\w+( setup)?)\n([\s\S]*?)```/g)].map(
    ([, sentence, language, , text]): Step => ({ sentence: sentence!, language: language!, text: text! }),
  );
}
