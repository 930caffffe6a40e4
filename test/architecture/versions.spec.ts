import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service.js';

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const manifest = (path: string) => JSON.parse(read(path)) as Manifest;

/** The version of the last release, or of the next one while it is prepared. */
const { version } = manifest('package.json');

describe('the version', () => {
  it('is the same in the service, the clients, the lockfile and the deployment', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Manifest> };
    const commandLine = manifest('clients/cli/package.json');
    const found = {
      client: manifest('clients/typescript/package.json').version,
      commandLine: commandLine.version,
      clientOfCommandLine: commandLine.dependencies['@atrium/client'],
      printed: /\.version\('([^']+)'\)/.exec(read('clients/cli/src/main.ts'))?.[1],
      assistants: /version: '([^']+)'/.exec(read('src/modules/assistants/protocol.ts'))?.[1],
      ...Object.fromEntries(['', 'clients/typescript', 'clients/cli'].map((path) => [path, packages[path]!.version])),
      image: /image: atrium:(\S+)/.exec(read('deploy/kubernetes.yaml'))?.[1],
    };
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, version])));
  });

  it('is in the changelog: in the section of the last release, or as the first release that is prepared', () => {
    const [, unreleased, last] = read('CHANGELOG.md').split(/^## /m);
    expect(unreleased).toMatch(/^\[Unreleased\]\n/);
    const heading = new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}\n`);
    if (last === undefined) expect(unreleased).toContain(`the first release will be ${version}.`);
    else expect(last).toMatch(heading);
  });

  it('has a recipe that names the files to change', () => {
    const recipe = read('CONTRIBUTING.md');
    for (const file of ['CHANGELOG.md', 'clients/cli/src/main.ts', 'deploy/kubernetes.yaml'])
      expect(recipe.slice(recipe.indexOf('## Release'))).toContain(file);
  });
});
