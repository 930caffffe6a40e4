import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AtriumClient } from '@atrium/client';
import { CommandLine } from '../support/command-line.js';
import { Home } from '../support/home.js';
import { equipmentLines, locationLines, SAP_EXPORT } from '../support/sap-export.js';
import { ROOT } from '../support/service.js';
import { shareService } from '../support/shared-services.js';

const BLOCK = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/tutorials/sap-export.md'), 'utf8'))![1]!;

/** The imports of the tutorial, as a shell would split them. */
const COMMANDS = BLOCK.trim()
  .split('\n')
  .filter((line) => line.startsWith('npx atrium import '))
  .map((line) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!).slice(2));

let atrium: CommandLine;
let client: AtriumClient;

beforeAll(async () => {
  const { service } = await shareService();
  const caller = await service.provision();
  atrium = new CommandLine(service, caller);
  client = new AtriumClient({ baseUrl: service.baseUrl, apiKey: caller.apiKey, workspaceId: caller.workspaceId });
  for (const name of ['mapping.yaml', 'locations.layout.json', 'equipment.layout.json'])
    copyFileSync(join(ROOT, 'examples/sap-export', name), join(atrium.directory, name));
  const locations = locationLines();
  writeFileSync(join(atrium.directory, 'locations.txt'), locations);
  const keys = locations
    .toString('latin1')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.slice(0, 30).trim());
  writeFileSync(join(atrium.directory, 'equipment.txt'), equipmentLines(keys));
});

it('the tutorial runs as it is written, on the demo workspace of a new service', async () => {
  const home = await Home.make();
  try {
    await home.start();
    const commands = BLOCK.replace('http://localhost:3000', home.baseUrl);
    const env = { ...process.env, XDG_CONFIG_HOME: home.path };
    const { stdout } = await promisify(execFile)('bash', ['-ec', commands], { cwd: ROOT, env });
    expect(stdout).toMatch(/^Functional Locations\s+7\s+7\s/m);
    expect(stdout).toMatch(/^Equipment\s+7\s+6\s/m);
    expect(stdout).toMatch(/^000000000010000001\s+Ersatzpumpe Süd\s/m);
  } finally {
    await home.stop();
    home.remove();
  }
}, 240_000);

it('an export of SAP is imported by the two imports of the tutorial, and again without changes', async () => {
  const [locations, equipment] = COMMANDS as [string[], string[]];
  const { missingParents, missingLocations, duplicates } = SAP_EXPORT;
  expect(await atrium.json(...locations)).toMatchObject({
    created: SAP_EXPORT.locations,
    rejected: 0,
    unresolved: missingParents,
  });
  expect(await atrium.json(...equipment)).toMatchObject({
    created: SAP_EXPORT.equipment,
    skipped: duplicates,
    rejected: 0,
    unresolved: missingLocations,
  });
  expect(await atrium.json(...locations)).toMatchObject({ created: 0, unchanged: SAP_EXPORT.locations });
  expect(await atrium.json(...equipment)).toMatchObject({ created: 0, unchanged: SAP_EXPORT.equipment });

  const table = client.assets('Equipment');
  expect(await table.get('000000000010000000')).toMatchObject({
    name: 'Ersatz',
    brgew: 0.5,
    inbdt: null,
    lvorm: true,
  });
  expect(await table.get('000000000010001099')).toMatchObject({
    name: 'Meßstelle',
    brgew: -1099.5,
    inbdt: '2024-01-31',
    source: 'SAP PM',
  });
  const depths = new Set<number>();
  for await (const { tplnr } of client.locations('Functional Locations').rows())
    depths.add(String(tplnr).split('-').length);
  expect(Math.max(...depths)).toBeGreaterThanOrEqual(6);
});
