import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expectNone } from '../support/for-each.js';
import { ROOT } from '../support/service.js';

const MODULES = join(ROOT, 'src/modules');
const read = (file: string): string => readFileSync(join(MODULES, file), 'utf8');
const files = readdirSync(MODULES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** Entities that refer to rows of workspace tables by key. */
const referring = files
  .filter((file) => file.endsWith('.entity.ts') && !file.startsWith('workspace-tables/'))
  .filter((file) => /extends RowReferringRecord\b|\b\w+TableId: string/.test(read(file)))
  .map((file) => ({ file, entity: /export class (\w+)/.exec(read(file))![1]!, module: dirname(file).split('/')[0]! }));

/** Does a provider of the module, or its repository, update the references of the entity when a key is renamed? */
function isUpdated({ entity, module }: (typeof referring)[number]): boolean {
  return files
    .filter((file) => file.startsWith(`${module}/`))
    .map(read)
    .some(
      (source) =>
        /implements [^{]*\bRowReferrer\b/.test(source) &&
        source.includes('.register(this)') &&
        new RegExp(`import \\{[^}]*\\b${entity}(?:sRepository|sService)?\\b`).test(source),
    );
}

describe('entities with references to rows', () => {
  it('are found', () => {
    expect(referring.map(({ entity }) => entity)).toEqual(expect.arrayContaining(['Note', 'Tag']));
  });

  it('follow the rename of a key (docs/how-to/extending.md)', () => {
    expectNone(
      referring.filter((each) => !isUpdated(each)).map(({ file }) => file),
      'Register a RowReferrer that changes the key of the entity (docs/how-to/extending.md#follow-key-renames).',
    );
  });
});
